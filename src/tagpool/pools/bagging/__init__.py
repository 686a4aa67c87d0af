"""BaggingPool: one member per bag of features."""
