"""Alignment of gold and predicted labels as numbers, from which every score is counted.

An :class:`Alignment` has one table of distinct labels, a flat array of label ids for each side, and the offsets of the
sentences. So counting needs no loop over tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.rows import as_rows
from tagpool.corpus.schemes import is_plain
from tagpool.errors import InputError, check_type
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]
else:
    np = LazyModule("numpy")
    IntArray = object

LabelSequences = Iterable[Iterable[str]]


@dataclass(frozen=True, eq=False)
class Alignment:
    """Label ids of gold and prediction; sentence ``s`` is ``offsets[s]`` to ``offsets[s + 1]`` (exclusive)."""

    labels: tuple[str, ...]
    gold: IntArray
    predicted: IntArray
    offsets: IntArray

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return len(self.gold)

    @property
    def sentences(self) -> int:
        """Number of sentences; empty ones count."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of tokens of each sentence."""
        return np.diff(self.offsets)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each token has the gold label."""
        right: NDArray[np.bool_] = self.gold == self.predicted
        return right

    @property
    def plain(self) -> bool:
        """Whether the labels, gold and predicted together, have no spans (:func:`tagpool.corpus.schemes.is_plain`)."""
        size = len(self.labels)
        counts = np.bincount(self.gold, minlength=size) + np.bincount(self.predicted, minlength=size)
        return is_plain(dict(zip(self.labels, counts.tolist(), strict=True)))

    def sum_by_sentence(self, values: NDArray[Any]) -> IntArray:
        """Sum one value per token over each sentence; 0 for an empty one."""
        totals = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
        sums: IntArray = np.diff(totals[self.offsets])
        return sums


def align(gold: LabelSequences | Corpus, predicted: LabelSequences | Corpus) -> Alignment:
    """Align gold and predicted label sequences (or those of corpora); raise InputError if lengths differ.

    >>> align([["B-PER", "O"]], [["O", "O"]]).predicted
    array([1, 1])
    >>> align([["O", "O"]], [["O"]])
    Traceback (most recent call last):
    tagpool.errors.InputError: sentence 1: expected 2 predicted labels, as in gold, got 1
    """
    gold, predicted = (side.labels if isinstance(side, Corpus) else as_rows(side, "labels") for side in (gold, predicted))
    lengths = check_lengths(gold, predicted)
    # dict.fromkeys keeps the order of appearance, so equal input gives equal ids on every run.
    labels = tuple(dict.fromkeys(chain(chain.from_iterable(gold), chain.from_iterable(predicted))))
    for label in labels:
        check_type(label, str, "labels as text")
    number = {label: index for index, label in enumerate(labels)}
    total = sum(lengths)
    return Alignment(
        labels=labels,
        gold=np.fromiter(map(number.__getitem__, chain.from_iterable(gold)), np.int64, total),
        predicted=np.fromiter(map(number.__getitem__, chain.from_iterable(predicted)), np.int64, total),
        offsets=np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
    )


def check_lengths(gold: Sequence[Sequence[str]], other: Sequence[Sequence[str]], noun: str = "predicted label") -> list[int]:
    """Return the lengths of the gold sequences; raise InputError if the other sequences have different ones."""
    if len(gold) != len(other):
        raise InputError(
            f"expected {noun}s for {counted(len(gold), 'sentence')}, as in gold, got {counted(len(other), 'sentence')}"
        )
    for what, sequences in (("gold labels", gold), (f"{noun}s", other)):
        for index, sequence in enumerate(sequences, start=1):
            if isinstance(sequence, str) or not hasattr(sequence, "__len__"):
                kind = f"the string {sequence!r}" if isinstance(sequence, str) else type(sequence).__name__
                message = f"expected a list of {what} for each sentence, got {kind}"
                raise InputError(message, source=f"sentence {index}")
    lengths = list(map(len, gold))
    for index, (expected, got) in enumerate(zip(lengths, map(len, other), strict=True), start=1):
        if expected != got:
            raise InputError(f"expected {counted(expected, noun)}, as in gold, got {got}", source=f"sentence {index}")
    return lengths
