"""Word taggers that are cross-fitted: each sentence is labelled by a tagger that was trained without it.

The fold of a sentence is a hash of its words. So equal sentences are in one fold, and a sentence of the training data has the
same fold when it comes again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np

from tagpool.experts.linear.crf import CRF
from tagpool.experts.tasks import iterate_tasks
from tagpool.pools.votes.ballots import FloatArray

Words = Sequence[Sequence[str]]
OnFit = Callable[[str], object]
_UNLIKELY = 1e-6  # probability of a label that a tagger does not know


def fold_of(words: Sequence[str], folds: int) -> int:
    """Return the fold of a sentence.

    >>> fold_of(["Ann", "left"], 5) == fold_of(("Ann", "left"), 5) < 5
    True
    """
    return zlib.crc32("\x1f".join(words).encode("utf-8", "surrogatepass")) % folds


class WordTaggers:
    """One tagger per fold. A fold with fewer than two labels to learn has None: all labels are equally likely there."""

    def __init__(self, taggers: Sequence[CRF | None]) -> None:
        self.taggers = list(taggers)

    @classmethod
    def fit(
        cls, words: Words, labels: Sequence[Sequence[str | None]], folds: int, *, seed: int = 1, weights: FloatArray | None = None
    ) -> WordTaggers:
        """Train a tagger for each fold on the sentences of the other folds; None is an unknown label."""
        known = [number for number, row in enumerate(labels) if any(label is not None for label in row)]
        fold = {number: fold_of(words[number], folds) for number in known}
        trainings = []
        for left_out in range(folds):
            train = [number for number in known if fold[number] != left_out]
            sample_weight = None if weights is None else weights[train]
            trainings.append(([words[n] for n in train], [labels[n] for n in train], sample_weight, seed))
        return cls(list(iterate_tasks(_fit, trainings)))

    def probabilities(self, words: Words, labels: Sequence[str]) -> FloatArray:
        """Return the probability of each label at each token, [tokens][labels]."""
        folds = np.array([fold_of(sentence, len(self.taggers)) for sentence in words], np.int64)
        lengths = np.array([len(sentence) for sentence in words], np.int64)
        ends = np.cumsum(lengths)
        rows = np.full((int(lengths.sum()), len(labels)), 1 / len(labels))
        for fold, tagger in enumerate(self.taggers):
            mine = np.flatnonzero((folds == fold) & (lengths > 0)).tolist()
            if tagger is None or not mine:
                continue
            order = [tagger.labels_.index(label) if label in tagger.labels_ else -1 for label in labels]
            for number, output in zip(mine, tagger.predict_proba([words[n] for n in mine]), strict=True):
                padded = np.column_stack((output, np.full(len(output), _UNLIKELY)))
                rows[ends[number] - lengths[number] : ends[number]] = padded[:, order]
        rows /= rows.sum(axis=1, keepdims=True)
        return rows


def _fit(training: tuple[Words, Sequence[Sequence[str | None]], FloatArray | None, int]) -> CRF | None:
    """Train the tagger of a fold; None if there are fewer than two labels to learn."""
    words, labels, sample_weight, seed = training
    if len({label for row in labels for label in row} - {None}) < 2:
        return None
    return CRF(seed=seed).fit(words, labels, sample_weight=sample_weight)
