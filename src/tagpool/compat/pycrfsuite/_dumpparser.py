"""The name under which python-crfsuite has the contents of a model."""

from tagpool.compat.pycrfsuite.dump import ParsedDump

__all__ = ["ParsedDump"]
