"""The workshop: experts that learn to tag, and the files they are kept in."""
