"""Trainers: each is a small class that minimises a problem."""
