"""Scores of an expert for many sentences, and their lattices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.lattice import Lattice
from tagpool.errors import MemoryFor
from tagpool.experts.inputs import as_corpus
from tagpool.experts.linear.expert import Expert

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of many sentences, one after another: sentence i is the tokens offsets[i] to offsets[i + 1].

    ``nodes`` is [tokens][labels]. ``edges`` is [labels][labels], or [tokens][labels][labels] if transitions have features; the
    edges into a token are at its index.
    """

    nodes: Scores
    edges: Scores
    start: Scores
    end: Scores
    offsets: NDArray[np.uint32]

    def lattices(self) -> Iterator[Lattice]:
        """Yield one lattice per sentence."""
        for a, b in pairwise(self.offsets.tolist()):
            yield Lattice(self.nodes[a:b], self.edges if self.edges.ndim == 2 else self.edges[a + 1 : b], self.start, self.end)


@MemoryFor("score the sentences; pass fewer at a time")
def scored(expert: Expert, sentences: Any) -> Scored:
    """Scores of many sentences from the features of an expert.

    >>> from tagpool import MaxEnt, Corpus
    >>> scored(MaxEnt("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])), [["Ann"]]).nodes.shape
    (1, 2)
    """
    model = expert._fitted()
    count = len(model.labels)
    steps: Scores | None = None
    try:
        if model.given:
            scores, offsets = model.score_given(sentences)
        else:
            corpus = as_corpus(sentences)
            if not len(corpus):
                return Scored(np.empty((0, count)), np.zeros((count, count)), np.zeros(count), np.zeros(count), corpus.offsets())
            scores, offsets = model.score_columns(corpus.native, expert.threads), corpus.offsets()
            if model.has_history:
                steps = model.score_edges(corpus.native, expert.threads).reshape(-1, count, count).astype(np.float64)
    except _native.InputFault as fault:
        raise expert._explained(fault, sentences) from None
    edges = edge_scores(model)
    return Scored(
        nodes=scores.reshape(-1, count).astype(np.float64),
        edges=edges[:count] if steps is None else steps,
        start=edges[count],
        end=edges[count + 1],
        offsets=offsets,
    )


def edge_scores(model: _native.Model) -> Scores:
    """The scores of bigrams, of first labels and of last labels, [labels + 2][labels]; zero without a chain."""
    count = len(model.labels)
    return model.edges().astype(np.float64).reshape(count + 2, count) if model.chain else np.zeros((count + 2, count))
