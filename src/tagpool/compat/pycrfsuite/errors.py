"""Errors of the kinds that python-crfsuite raises, as ours: whoever catches either is served."""

from __future__ import annotations

from tagpool.errors import InputError, TrainingError


class FeatureError(InputError, TypeError):
    """Features or labels that cannot be used; python-crfsuite raises a TypeError or a ValueError for them."""


class NumberError(InputError, TypeError, OverflowError):
    """Something that is no whole number, or one that is too large, for a group or a position."""


class ClosedError(InputError, RuntimeError):
    """A tagger without a model; python-crfsuite raises a ValueError or a RuntimeError."""


class LabelError(InputError, RuntimeError):
    """A label that the model does not have."""


class CRFSuiteError(TrainingError):
    """Training that failed; ``code`` is always CRFsuite's for an unknown error."""

    code = -2147483648
