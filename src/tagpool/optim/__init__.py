"""Trainers: each a small class that finds the weights of a problem, and what they share."""
