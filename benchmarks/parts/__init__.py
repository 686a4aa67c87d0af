"""The parts of the benchmark: each a function of the tasks that gives rows of the table."""
