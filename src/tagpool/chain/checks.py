"""Checks of the arguments of a lattice: shapes, numbers, labels and positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagpool.errors import InputError
from tagpool.wording import counted

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
LabelArray = NDArray[np.int32]

LARGEST = 1e100  # no sum of finite scores can overflow, however long the sentence


def as_scores(values: ArrayLike, name: str) -> FloatArray:
    """Return a read-only copy as float64; -inf is a score, NaN and +inf are errors."""
    try:
        scores = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"expected an array of numbers: {error}", source=name) from None
    if scores.ndim == 0:
        raise InputError(f"expected an array of numbers, got {type(values).__name__}", source=name)
    bad = ~(scores <= LARGEST) | ((scores < -LARGEST) & (scores != -np.inf))
    if bad.any():
        place = tuple(int(axis[0]) for axis in np.nonzero(bad))
        finite = np.isfinite(scores[place])
        expected = f"a score within ±{LARGEST:g}, or -inf" if finite else "a finite score, or -inf to forbid"
        raise InputError(f"expected {expected}, got {scores[place]}", source=f"{name}[{', '.join(map(str, place))}]")
    scores.flags.writeable = False
    return scores


def demand_shape(array: NDArray[Any], name: str, *shapes: tuple[int, ...]) -> None:
    """Raise an InputError unless the array has one of the shapes."""
    if array.shape not in shapes:
        raise InputError(f"expected shape {' or '.join(map(str, shapes))}, got {array.shape}", source=name)


def as_allowed(values: ArrayLike, name: str, shape: tuple[int, ...]) -> BoolArray:
    """Return a boolean array of this shape. Other types are errors: label numbers would be read as marks."""
    marks = np.asarray(values)
    if marks.dtype != np.bool_:
        raise InputError(f"expected True and False, got {marks.dtype}; use astype(bool) if they are marks", source=name)
    demand_shape(marks, name, shape)
    return marks


def as_number(value: SupportsIndex, name: str, low: int, high: int) -> int:
    """Return a whole number with low ≤ number < high."""
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"expected a whole number, got {value!r}", source=name) from None
    if not low <= number < high:
        raise InputError(f"expected a number from {low} to {high - 1}, got {number}", source=name)
    return number


def as_labels(values: Sequence[int] | NDArray[np.integer[Any]], tokens: int, labels: int) -> LabelArray:
    """Return a label sequence as an array; one label number per token."""
    sequence = np.asarray(values)
    if sequence.shape != (tokens,):
        raise InputError(f"expected {counted(tokens, 'label')}, one per token, got shape {sequence.shape}", source="labels")
    if not np.issubdtype(sequence.dtype, np.integer):
        raise InputError(f"expected label numbers, got {sequence.dtype}", source="labels")
    wrong = np.flatnonzero((sequence < 0) | (sequence >= labels))
    if len(wrong):
        place = int(wrong[0])
        raise InputError(f"expected a number from 0 to {labels - 1}, got {sequence[place]}", source=f"labels[{place}]")
    return np.ascontiguousarray(sequence, dtype=np.int32)


def as_groups(items: Iterable[int | Iterable[int]], labels: int) -> list[tuple[tuple[int, ...], bool]]:
    """Return groups of labels, each with True for a group and False for a single label."""
    groups: list[tuple[tuple[int, ...], bool]] = []
    seen: set[int] = set()
    for item in items:
        members = tuple(
            as_number(label, "at_most_once", 0, labels) for label in (item if isinstance(item, Iterable) else (item,))
        )
        for label in members:
            if label in seen:
                raise InputError(f"expected each label in one group only, got label {label} twice", source="at_most_once")
            seen.add(label)
        groups.append((members, isinstance(item, Iterable)))
    return groups
