"""Parts of ``tagpool reproduce``."""
