"""Explanations and inspection of linear experts."""
