"""Stretches: probabilities that adjacent tokens of a sentence have certain labels, from its lattice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice


class Stretches:
    """Probabilities of stretches of tokens in a lattice that has tokens; labels are numbers, and -1 is a label it does not have.

    ``continues``, [L][L], is True where the second label continues the span of the first.
    """

    def __init__(self, lattice: Lattice, continues: NDArray[np.bool_]) -> None:
        first, self._steps = (np.exp(part) for part in lattice.log_transitions())
        self._marginals = lattice.marginals() if len(lattice) > 1 else first[None]
        self._continues = continues

    def probability(self, labels: Sequence[int], start: int, end: int) -> float:
        """Return the probability that tokens ``start`` to ``end`` have their ``labels``, those of the whole sentence.

        If the last span of the stretch ends with it, so it must in the probability.

        >>> lattice = Lattice(np.zeros((3, 2)), np.zeros((2, 2)))
        >>> Stretches(lattice, np.zeros((2, 2), bool)).probability([0, 1, 0], 0, 2)
        0.25
        >>> Stretches(lattice, np.array([[True, False], [False, False]])).probability([0, 0, 1], 0, 2)
        0.125
        """
        numbers = labels[start:end]
        if min(numbers) < 0:
            return 0.0
        probability = float(self._marginals[start, numbers[0]])
        for token, (label, following) in enumerate(pairwise(numbers), start):
            probability *= float(self._steps[token, label, following])
        if end < len(labels) and not (labels[end] >= 0 and self._continues[numbers[-1], labels[end]]):
            probability *= max(0.0, 1 - float(self._steps[end - 1, numbers[-1], self._continues[numbers[-1]]].sum()))
        return min(probability, 1.0)
