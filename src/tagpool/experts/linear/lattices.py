"""Scores of an expert for many sentences, and their lattices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.checks import as_scores
from tagpool.chain.lattice import Lattice
from tagpool.errors import MemoryFor
from tagpool.experts.inputs import as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.memory_limit import demand_memory
from tagpool.experts.states import States
from tagpool.wording import counted

Scores = NDArray[np.float64]
_FEW_LABELS = 1024  # a lattice takes 40 MB
_LEAST = 1e-300  # probability in a chain of merged states


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
    """Scores of many sentences from the features of an expert, for each of its labels.

    If labels have two states, labels are no chain of first order. Then the scores are those of the nearest one, with the same
    probabilities of labels and of label bigrams.

    >>> from tagpool import MaxEnt, Corpus
    >>> scored(MaxEnt("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])), [["Ann"]]).nodes.shape
    (1, 2)
    """
    states, scores = States(expert._fitted().labels), state_scores(expert, sentences)
    return _merged(scores, states) if states.merged else scores


def _merged(scores: Scored, states: States) -> Scored:
    """The chain of labels with the probabilities of a chain of states."""
    count = len(states.labels)
    nodes, edges = np.zeros((len(scores.nodes), count)), np.zeros((len(scores.nodes), count, count))
    for (a, b), lattice in zip(pairwise(scores.offsets.tolist()), scores.lattices(), strict=True):
        if a == b:
            continue
        alone = _logarithms(states.sums(lattice.marginals()))
        nodes[a] = alone[0]
        edges[a + 1 : b] = _logarithms(states.sums(states.sums(lattice.pair_marginals()), axis=-2)) - alone[:-1, :, None]
    return Scored(nodes=nodes, edges=edges, start=np.zeros(count), end=np.zeros(count), offsets=scores.offsets)


def _logarithms(probabilities: Scores) -> Scores:
    """Logarithms that are finite, also of probabilities that underflowed to 0."""
    return np.log(np.maximum(probabilities, _LEAST))


def state_scores(expert: Expert, sentences: Any) -> Scored:
    """Scores of many sentences for each state; without labels that have two states, the same as :func:`scored`."""
    model = expert._fitted()
    count = len(model.labels)
    demand_lattice(expert)
    sentences = sentences if model.given else as_corpus(sentences)
    nodes, offsets = node_scores(expert, sentences)
    steps: Scores | None = None
    if model.has_history and not model.given and len(nodes):
        with _explaining(expert, sentences):
            steps = model.score_edges(sentences.native, expert.threads).reshape(-1, count, count).astype(np.float64)
    edges = edge_scores(model)
    return Scored(
        nodes=nodes,
        edges=edges[:count] if steps is None else steps,
        start=edges[count],
        end=edges[count + 1],
        offsets=offsets,
    )


@contextmanager
def _explaining(expert: Expert, sentences: Any) -> Iterator[None]:
    """Raise faults of the native model as errors that name the input."""
    try:
        yield
    except _native.InputFault as fault:
        raise expert._explained(fault, sentences) from None


def node_scores(expert: Expert, sentences: Any) -> tuple[Scores, NDArray[np.uint32]]:
    """The scores of the labels of all tokens, [tokens][labels], and the first token of each sentence."""
    model = expert._fitted()
    with _explaining(expert, sentences):
        if model.given:
            scores, offsets = model.score_given(sentences)
        else:
            corpus = as_corpus(sentences)
            offsets = corpus.offsets()
            scores = model.score_columns(corpus.native, expert.threads) if len(corpus) else np.empty(0, np.float32)
    return scores.reshape(-1, len(model.labels)).astype(np.float64), offsets


@MemoryFor("score the sentences; pass fewer at a time")
def label_probabilities(expert: Expert, sentences: Any) -> list[Scores]:
    """The probability of every label at every token. A MaxEnt with many labels needs no lattice, which has all pairs of labels.

    >>> from tagpool import MaxEnt, Corpus
    >>> expert = MaxEnt("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> label_probabilities(expert, [["Rain"]])[0].tolist()
    [[0.5, 0.5]]
    """
    model = expert._fitted()
    if model.chain or len(model.labels) <= _FEW_LABELS:  # the same bits as for pools
        states = States(model.labels)
        marginals = [lattice.marginals() for lattice in state_scores(expert, sentences).lattices()]
        return [states.sums(one) for one in marginals] if states.merged else marginals
    nodes, offsets = node_scores(expert, sentences)
    for row in nodes:
        as_scores(row, "nodes")  # an error if a sum of large weights is not finite
        np.exp(row - row.max(), out=row)
        row /= row.sum()
    return [nodes[a:b].copy() for a, b in pairwise(offsets.tolist())]


def demand_lattice(expert: Expert) -> None:
    """Raise a ModelError if the transitions between the labels of a model from a file need too much memory."""
    count = len(expert._fitted().labels)
    # Scores and their copy, exponentials by row and by column, and a copy while logarithms are added.
    demand_memory(expert, 5 * 8 * count * count, f"a lattice of {counted(count, 'label')}", "use predict, which needs none")


def edge_scores(model: _native.Model) -> Scores:
    """The scores of bigrams, of first labels and of last labels, [labels + 2][labels]; zero without a chain."""
    count = len(model.labels)
    return model.edges().astype(np.float64).reshape(count + 2, count) if model.chain else np.zeros((count + 2, count))
