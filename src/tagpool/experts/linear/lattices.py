"""Lattices of an expert: its scores of sentences, for everything but the plain best labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.lattice import Lattice
from tagpool.experts.inputs import as_corpus
from tagpool.experts.linear.expert import Expert

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of many sentences, one after another: sentence i is the tokens offsets[i] to offsets[i + 1].

    ``nodes`` are (tokens, labels), ``edges`` (labels, labels), or (tokens, labels, labels) if they differ from step to step:
    those of the step into a token stand at the token.
    """

    nodes: Scores
    edges: Scores
    start: Scores
    end: Scores
    offsets: NDArray[np.uint32]

    def lattices(self) -> Iterator[Lattice]:
        """One lattice a sentence."""
        for a, b in pairwise(self.offsets.tolist()):
            yield Lattice(self.nodes[a:b], self.edges if self.edges.ndim == 2 else self.edges[a + 1 : b], self.start, self.end)


def lattices(expert: Expert, sentences: Any) -> list[Lattice]:
    """One lattice a sentence; tokens that stand alone have edges of zero. A chain of order 2 has lattices over its states."""
    return list(_each(expert, sentences))


def state_labels(expert: Expert) -> NDArray[np.int64]:
    """The label each number of the expert's lattices stands for: the labels themselves, or the last labels of its pairs.

    >>> from tagpool import CRF, Corpus
    >>> state_labels(CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))).tolist()
    [0, 1]
    """
    model = expert._fitted()
    return np.concatenate([np.arange(len(model.labels)), _pairs(model)[:, 1]])


def marginals(expert: Expert, sentences: Any) -> list[Scores]:
    """The probability of every label at every token of every sentence."""
    labels = state_labels(expert)
    count = len(expert.labels_)
    if len(labels) == count:
        return [lattice.marginals() for lattice in _each(expert, sentences)]
    of_label = (labels[:, None] == np.arange(count)).astype(np.float64)
    return [lattice.marginals() @ of_label for lattice in _each(expert, sentences)]


def _pairs(model: _native.Model) -> NDArray[np.int64]:
    """The label pairs a chain of order 2 has; none for order 1."""
    return model.states().reshape(-1, 2).astype(np.int64)


def scored(expert: Expert, sentences: Any) -> Scored:
    """What an expert's features say of many sentences; what a chain of order 2 adds to it is not in here.

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
            scores, offsets = model.score_columns(corpus.native, expert.threads), corpus.offsets()
            if model.has_history:
                steps = model.score_pairs(corpus.native, expert.threads).reshape(-1, count, count).astype(np.float64)
    except _native.InputFault as fault:
        raise expert._explained(fault, sentences) from None
    weights = model.edges().astype(np.float64) if model.chain else np.zeros(count * (count + 2))
    return Scored(
        nodes=scores.reshape(-1, count).astype(np.float64),
        edges=weights[: count * count].reshape(count, count) if steps is None else steps,
        start=weights[-2 * count : -count],
        end=weights[-count:],
        offsets=offsets,
    )


def _each(expert: Expert, sentences: Any) -> Iterator[Lattice]:
    model = expert._fitted()
    found = scored(expert, sentences)
    pairs = _pairs(model)
    return _over_states(model, pairs, found) if len(pairs) else found.lattices()


def _over_states(model: _native.Model, pairs: NDArray[np.int64], found: Scored) -> Iterator[Lattice]:
    """Lattices whose labels are the last two: first the labels of a first token, then the pairs that may be.

    What a pair scores stands at its node, so that only trigrams are left for the edges.
    """
    nodes, edges, start, end = found.nodes, found.edges, found.start, found.end
    count = len(start)
    last = np.concatenate([np.arange(count), pairs[:, 1]])
    steps = np.full((len(last), len(last)), -np.inf)
    steps[:, count:] = np.where(
        last[:, None] == pairs[:, 0], model.trigrams().reshape(-1, count).astype(np.float64)[:, pairs[:, 1]], -np.inf
    )
    starts = np.concatenate([start, np.full(len(pairs), -np.inf)])
    for a, b in pairwise(found.offsets.tolist()):
        scores = nodes[a:b, last]
        scores[1:, count:] += edges[a + 1 : b, pairs[:, 0], pairs[:, 1]] if edges.ndim == 3 else edges[pairs[:, 0], pairs[:, 1]]
        yield Lattice(scores, steps, starts, end[last])
