"""Decoding of beliefs: the best label sequences that a tag scheme allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.schemes import Scheme, detect
from tagpool.experts.linear.lattices import Scored
from tagpool.pools.votes.ballots import FloatArray, IntArray
from tagpool.pools.weight_learning import decode_scores

_FLOOR = 1e-12  # probability of a label without any


class LegalDecoder:
    """Decodes token probabilities under the transitions that a tag scheme allows between the labels.

    >>> decoder = LegalDecoder(["O", "B-X", "I-X"], Scheme.BIO2)
    >>> decoder.best(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 2], np.uint32)).tolist()
    [1, 2]
    """

    def __init__(self, labels: Sequence[str], scheme: Scheme) -> None:
        scores = scheme.constraints(labels).scores().astype(np.float64).reshape(len(labels) + 2, len(labels))
        self.edges, self.start, self.end = scores[:-2], scores[-2], scores[-1]

    def scored(self, probabilities: FloatArray, offsets: NDArray[np.uint32]) -> Scored:
        """Return the scores of all sentences."""
        return Scored(np.log(probabilities + _FLOOR), self.edges, self.start, self.end, offsets)

    def best(self, probabilities: FloatArray, offsets: NDArray[np.uint32]) -> IntArray:
        """Return the label numbers of all tokens; sentence i is the tokens offsets[i] to offsets[i + 1]."""
        filled = np.concatenate((offsets[:1], offsets[1:][np.diff(offsets) > 0]))  # without empty sentences
        if len(filled) < 2:
            return np.zeros(0, np.int32)
        return decode_scores(self.scored(probabilities, filled))


def scheme_of(rows: Iterable[Sequence[str | None]]) -> Scheme:
    """Return the tag scheme of label sequences, with unknown labels (None) taken as outside.

    >>> scheme_of([["B-X", "I-X", None]])
    <Scheme.BIO2: 'bio2'>
    """
    return detect(["O" if label is None else label for label in row] for row in rows).scheme
