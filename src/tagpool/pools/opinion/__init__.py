"""The opinion pool."""
