"""Parts of ``tagpool tune``."""
