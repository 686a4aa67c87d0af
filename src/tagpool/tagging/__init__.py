"""Tagging of streams: text is read in blocks, labelled, and written back with its labels."""
