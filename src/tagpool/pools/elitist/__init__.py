"""The elitist pool."""
