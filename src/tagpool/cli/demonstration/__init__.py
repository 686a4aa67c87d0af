"""What ``tagpool demo`` shows: the built-in corpus, two experts, and pools where capitals are missing."""
