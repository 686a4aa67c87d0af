"""Readers of annotated text as other tools write it: JSON dialects, CoNLL columns, tables, and brat's stand-off files."""
