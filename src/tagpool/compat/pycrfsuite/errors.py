"""Errors that are both a TagpoolError and of the type that python-crfsuite raises."""

from __future__ import annotations

from tagpool.errors import InputError, TrainingError


class FeatureError(InputError, TypeError):
    """Invalid features or labels; python-crfsuite raises a TypeError or a ValueError."""


class NumberError(InputError, TypeError, OverflowError):
    """A group or position that is not an integer, or too large."""


class ClosedError(InputError, RuntimeError):
    """A tagger without a model; python-crfsuite raises a ValueError or a RuntimeError."""


class BusyError(InputError, RuntimeError):
    """A change of the instances while a training reads them."""


class LabelError(InputError, RuntimeError):
    """A label that the model does not have."""


class CRFSuiteError(TrainingError):
    """Failed training; ``code`` is always CRFsuite's code for an unknown error."""

    code = -2147483648
