"""Feature bagging."""
