"""Figures of the tables in the papers, and where ours are: one module per paper."""
