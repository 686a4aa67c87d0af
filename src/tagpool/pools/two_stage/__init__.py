"""The two-stage tagger."""
