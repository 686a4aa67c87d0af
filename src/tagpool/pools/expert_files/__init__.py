"""Labels of experts from files: matched to sentences by their text, aligned to their tokens, in one tag scheme."""
