"""``tagpool tag`` for folders."""
