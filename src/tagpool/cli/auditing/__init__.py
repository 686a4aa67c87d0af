"""Options and tables of ``tagpool audit``."""
