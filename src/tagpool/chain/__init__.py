"""Chains of labels: scores in; the best sequences, probabilities and samples out."""
