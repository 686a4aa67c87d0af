"""The work of ``tagpool tag``."""
