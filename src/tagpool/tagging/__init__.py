"""What ``tagpool tag`` is made of: text in blocks, labels for them, and the same text written back with its labels."""
