"""Experiments of the papers, one module per table or figure, run by ``tagpool reproduce``."""
