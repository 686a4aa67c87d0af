"""Choice of a pooling method by cross-validation."""
