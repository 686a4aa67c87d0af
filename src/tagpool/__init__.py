"""tagpool: robust sequence labelling on a CPU."""
__version__ = "0.1.0"
