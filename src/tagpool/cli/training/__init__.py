"""The parts of ``tagpool train``: the registry of learners, reading, training with progress, and the summary."""
