"""Tagging of folders: one output per input, by several workers, continued after an interruption."""
