"""The inducing tagger."""
