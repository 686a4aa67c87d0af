"""Commands of ``tagpool pool``."""
