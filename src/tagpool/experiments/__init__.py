"""The lab: one module for each table or figure of the papers, run by ``tagpool reproduce``."""
