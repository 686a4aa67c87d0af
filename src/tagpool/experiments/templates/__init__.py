"""The templates of the experiments."""
