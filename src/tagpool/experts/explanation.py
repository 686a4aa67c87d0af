"""Why an expert gives a sentence its labels: the features that decided each token, and those it could not do without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.expert import Expert

_Array = NDArray[np.float64]
_ROUNDING = 1e-4  # scores are sums in float32: a lead within this is none


@dataclass(frozen=True)
class Contribution:
    """What a feature of a token adds: ``score`` to its label, ``difference`` to its lead over the runner-up."""

    feature: str
    score: float
    difference: float


@dataclass(frozen=True)
class TokenExplanation:
    """Why a token has its label.

    ``contributions`` are those of the features that have weights, the largest differences (of either sign) first;
    ``transitions`` is what the labels beside it add to its lead over the ``runner_up``, the most probable other label.

    ``decisive`` is a smallest set of the token's features without which it gets another label, ``instead``, with the rest of
    the sentence as it is; both are None if there is no such set, because its neighbours alone make the label the best.
    """

    word: str
    label: str
    probability: float
    runner_up: str
    runner_up_probability: float
    feature_count: int
    contributions: list[Contribution]
    transitions: float
    decisive: list[str] | None
    instead: str | None


@dataclass(frozen=True)
class _Features:
    """The features of a token that have weights, and what each adds to the score of every label."""

    names: list[str]
    scores: _Array
    count: int


def explain(expert: Expert, corpus: Corpus, sentence: int = 0) -> list[TokenExplanation]:
    """Explains the best labels of a sentence of a corpus.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"], ["Snow"]], label=[["PER"], ["O"], ["O"]])
    >>> first = explain(CRF("word[0]", l2=0.1).fit(corpus), corpus)[0]
    >>> first.label, first.decisive, first.instead
    ('PER', ['word[0]=Ann'], 'O')
    """
    model = expert._fitted()
    if model.given:
        raise InputError("the model was trained on given features: only features of templates can be explained")
    if model.has_history or len(model.states()):
        raise InputError("a chain of order 2, or with features of transitions, cannot be explained: only plain transitions can")
    one = corpus.select([sentence])
    (lattice,) = expert.lattices(one)
    best = lattice.best().labels
    marginals = lattice.marginals()
    others = _others(lattice)
    rows = _features(expert, one)
    return [
        _explained(word, place, model.labels, lattice, best, marginals[place], others[place], features)
        for place, (word, features) in enumerate(zip(one[0].words, rows, strict=True))
    ]


def _features(expert: Expert, one: Corpus) -> list[_Features]:
    model = expert._fitted()
    try:
        described = model.encoder(1).describe(one.native, 0)
    except _native.InputFault as fault:
        raise expert._explained(fault, one) from None
    found = []
    for row in described:
        values: dict[str, float] = {}
        for name, value in row:  # a template may make a feature of a token twice
            values[name] = values.get(name, 0.0) + value
        weights = model.weights_of(list(values)).reshape(len(values), len(model.labels)).astype(np.float64)
        kept = np.flatnonzero(weights.any(axis=1))
        scores = weights[kept] * np.fromiter(values.values(), np.float64)[kept, None]
        names = list(values)
        found.append(_Features([names[i] for i in kept.tolist()], scores, len(values)))
    return found


def _others(lattice: Lattice) -> _Array:
    """For each token and label the best score of everything but the token itself, given that it has the label.

    Only a token's own scores change when it loses features, so that its label then is the argmax of these and its own.
    """
    nodes, edges = lattice.nodes, lattice.edges
    forward, backward = np.empty_like(nodes), np.empty_like(nodes)
    forward[0], backward[-1] = lattice.start, lattice.end
    for t in range(1, len(nodes)):
        forward[t] = ((forward[t - 1] + nodes[t - 1])[:, None] + edges).max(axis=0)
    for t in range(len(nodes) - 2, -1, -1):
        backward[t] = (edges + (nodes[t + 1] + backward[t + 1])[None, :]).max(axis=1)
    return forward + backward


def _explained(
    word: str,
    place: int,
    labels: list[str],
    lattice: Lattice,
    best: NDArray[np.int32],
    marginals: _Array,
    others: _Array,
    features: _Features,
) -> TokenExplanation:
    label = int(best[place])
    runner_up = int(np.argmax(np.where(np.arange(len(labels)) == label, -1.0, marginals)))
    differences = features.scores[:, label] - features.scores[:, runner_up]
    order = np.argsort(-np.abs(differences), kind="stable").tolist()
    decisive = _decisive(place, lattice, label, others, features)
    return TokenExplanation(
        word=word,
        label=labels[label],
        probability=float(marginals[label]),
        runner_up=labels[runner_up],
        runner_up_probability=float(marginals[runner_up]),
        feature_count=features.count,
        contributions=[Contribution(features.names[i], float(features.scores[i, label]), float(differences[i])) for i in order],
        transitions=_beside(lattice, best, place, label) - _beside(lattice, best, place, runner_up),
        decisive=None if decisive is None else [features.names[i] for i in decisive[0]],
        instead=None if decisive is None else labels[decisive[1]],
    )


def _beside(lattice: Lattice, best: NDArray[np.int32], place: int, label: int) -> float:
    """What the labels before and after add to the score of a label."""
    before = lattice.start[label] if place == 0 else lattice.edges[best[place - 1], label]
    after = lattice.end[label] if place == len(best) - 1 else lattice.edges[label, best[place + 1]]
    return float(before + after)


def _decisive(place: int, lattice: Lattice, label: int, others: _Array, features: _Features) -> tuple[list[int], int] | None:
    """The fewest features without which the token is labelled otherwise, and how.

    Another label r overtakes when the features left out take more from the lead of the label over r than there is of it. The
    fewest that do are those that give most to that lead, largest first; the fewest of all are the fewest over all r.
    """
    lead = (lattice.nodes[place] + others)[label] - (lattice.nodes[place] + others)
    gains = features.scores[:, [label]] - features.scores
    order = np.argsort(-gains, axis=0, kind="stable")
    taken = np.cumsum(np.take_along_axis(gains, order, axis=0), axis=0)
    enough = taken > lead + _ROUNDING
    enough[:, label] = False
    for count in range(1, len(gains) + 1):
        # Among those that do with as few, the label that gets furthest ahead.
        for other in sorted(np.flatnonzero(enough[count - 1]).tolist(), key=lambda v: lead[v] - taken[count - 1, v]):
            chosen = order[:count, other].tolist()
            instead = _label_without(place, lattice, features.scores[chosen].sum(axis=0))
            if instead != label:
                return chosen, instead
    return None


def _label_without(place: int, lattice: Lattice, scores: _Array) -> int:
    """The label of a token that lacks these scores: tagged again."""
    nodes = lattice.nodes.copy()
    nodes[place] -= scores
    return int(Lattice(nodes, lattice.edges, lattice.start, lattice.end).best().labels[place])
