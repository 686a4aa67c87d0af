"""Learning of member weights on held-out sentences: by F1 on a grid, by likelihood (products), or by EM (mixtures)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError
from tagpool.evaluation.alignment import Alignment, check_lengths
from tagpool.evaluation.chunks import count_chunks, rates
from tagpool.experts.linear.lattices import Scored
from tagpool.pools.combination import COMBINATIONS, SEQUENCE_PRODUCT, MarkovChains
from tagpool.pools.member_weights import ConcaveFunction, em_weights, maximise, project_to_simplex, uniform, weight_grid
from tagpool.pools.members import label_numbers, member_lattices, member_scores

_MAX_NUMBERS = 1 << 20  # transitions that are combined at once
_FLOOR = -1e3  # ln P of a step that a member forbids, so that its weight still has a likelihood


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Sentences that the members were not trained on, with gold labels."""

    members: Sequence[Any]
    sentences: Any
    gold: Sequence[Sequence[str]]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the members."""
        labels: tuple[str, ...] = self.members[0].labels_
        return labels

    def numbers(self, labels: Sequence[str]) -> list[NDArray[np.int32]]:
        """Return the gold labels as numbers; -1 for labels that are not in ``labels``."""
        number = {label: index for index, label in enumerate(labels)}
        return [np.array([number.get(label, -1) for label in sentence], np.int32) for sentence in self.gold]

    def scores(self) -> list[Scored] | None:
        """Return the scores of all sentences by member; None if a member has only lattices."""
        scores = [member_scores(member, self.sentences, self.labels) for member in self.members]
        return [one for one in scores if one is not None] if None not in scores else None

    def lattices(self) -> Iterator[tuple[Lattice, ...]]:
        """Yield the lattices of the members, sentence by sentence."""
        return zip(*(member_lattices(member, self.sentences, self.labels) for member in self.members), strict=True)

    def check_lengths(self) -> None:
        """Raise an InputError if a sentence does not have as many tokens as gold labels."""
        offsets = getattr(self.sentences, "offsets", None)
        lengths = np.diff(offsets()).tolist() if offsets is not None else [len(sentence) for sentence in self.sentences]
        check_lengths(self.gold, [[""] * length for length in lengths], "token")

    def with_known_labels(self) -> HeldOut:
        """Return the sentences whose labels the members know: members of a fold may lack rare labels."""
        self.check_lengths()
        labels = set(self.labels)
        known = [index for index, row in enumerate(self.gold) if labels.issuperset(row)]
        if len(known) == len(self.gold):
            return self
        select = getattr(self.sentences, "select", lambda numbers: [self.sentences[index] for index in numbers])
        return HeldOut(self.members, select(known), [self.gold[index] for index in known])


# F1 ---------------------------------------------------------------------------------------------------------------------


def maximise_f1(parts: Sequence[HeldOut], combine: str) -> FloatArray:
    """Return the weights of a grid with the highest F1 (accuracy for plain labels); of equals those nearest to uniform."""
    points = list(weight_grid(len(parts[0].members)))
    labels = tuple(dict.fromkeys([*parts[0].labels, *(label for part in parts for row in part.gold for label in row)]))
    gold = np.concatenate([row for part in parts for row in part.numbers(labels)]).astype(np.int64)
    lengths = [len(row) for part in parts for row in part.gold]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    predicted: list[list[NDArray[np.int64]]] = [[] for _ in points]
    for part in parts:
        part.check_lengths()
        number = label_numbers(part.labels, labels)
        for rows, decoded in zip(predicted, _decode(part, combine, points), strict=True):
            rows.append(number[decoded])

    def rank(index: int) -> tuple[float, float]:
        counts = count_chunks(Alignment(labels, gold, np.concatenate(predicted[index]), offsets))
        f1 = float(rates(len(counts.correct), len(counts.predicted), len(counts.gold))[2])
        return -f1, float(np.abs(points[index] - points[0]).sum())

    return points[min(range(len(points)), key=rank)]


def _decode(part: HeldOut, combine: str, points: Sequence[FloatArray]) -> list[NDArray[np.int32]]:
    """Return the best labels of all tokens, for each of the weights."""
    scores = part.scores() if combine == SEQUENCE_PRODUCT else None
    if scores is not None and all(one.edges.ndim == 2 for one in scores):
        return [decode_scores(weight_scores(scores, point)) for point in points]
    rows: list[list[NDArray[np.int32]]] = [[] for _ in points]
    for lattices in part.lattices():
        decoded: Iterator[NDArray[np.int32]]
        if combine == SEQUENCE_PRODUCT:
            decoded = (Lattice.combine(lattices, point).best().labels for point in points)
        else:
            decoded = _decode_chains(lattices, combine, points)
        for row, labels in zip(rows, decoded, strict=True):
            row.append(labels)
    return [np.concatenate(row) for row in rows]


def _decode_chains(lattices: Sequence[Lattice], combine: str, points: Sequence[FloatArray]) -> Iterator[NDArray[np.int32]]:
    """Yield the best labels of a sentence for each of the weights; several weights are combined at once."""
    chains = MarkovChains.of(lattices)
    zeros = np.zeros(chains.nodes.shape[1:])
    at_once = max(1, _MAX_NUMBERS // max(1, chains.steps[0].size))
    for begin in range(0, len(points), at_once):
        first, steps = COMBINATIONS[combine](chains, np.array(points[begin : begin + at_once]))
        for start, edges in zip(first, steps, strict=True):
            yield _native.Chain(zeros, edges, start, zeros[0]).best()[0]


def pool_lattices(lattices: Sequence[Lattice], weights: FloatArray, combine: str) -> Lattice:
    """Combine lattices into one. Members with weight 0 have no effect.

    >>> one, two = Lattice([[2.0, 0.0]], np.zeros((2, 2))), Lattice([[0.0, 1.0]], np.zeros((2, 2)))
    >>> pool_lattices([one, two], uniform(2), "transition-mixture").marginals().round(3).tolist()
    [[0.575, 0.425]]
    """
    if combine == SEQUENCE_PRODUCT:
        return Lattice.combine(lattices, weights)
    if not len(lattices[0]):
        return lattices[0]  # all lattices of a sentence without tokens are equal
    used = [index for index, weight in enumerate(weights) if weight > 0]
    chains = MarkovChains.of([lattices[index] for index in used])
    first, steps = COMBINATIONS[combine](chains, weights[used])
    return Lattice(np.zeros(chains.nodes.shape[1:]), steps, start=first)  # of log probabilities, with partition 1


def weight_scores(scores: Sequence[Scored], weights: FloatArray) -> Scored:
    """Return the weighted sum of scores."""
    used = [(one, weight) for one, weight in zip(scores, weights, strict=True) if weight != 0] or [(scores[0], 0.0)]

    def total(name: str) -> FloatArray:
        parts = [weight * getattr(one, name) for one, weight in used]
        value: FloatArray = sum(parts[1:], parts[0])
        return value

    return Scored(total("nodes"), total("edges"), total("start"), total("end"), scores[0].offsets)


def decode_scores(scores: Scored) -> NDArray[np.int32]:
    """Return the best labels of all tokens, for edges that are the same at every step."""
    parts = (np.ascontiguousarray(part) for part in (scores.edges, scores.start, scores.end))
    return _native.best_batch(np.ascontiguousarray(scores.nodes), scores.offsets, *parts)


# Likelihood -------------------------------------------------------------------------------------------------------------


def maximise_likelihood(
    parts: Sequence[HeldOut], combine: str, project: Callable[[FloatArray], FloatArray] = project_to_simplex, threads: int = 1
) -> FloatArray:
    """Return the weights of a product with the highest likelihood of the gold labels."""
    likelihood = product_likelihood if combine == SEQUENCE_PRODUCT else transition_likelihood
    functions = [likelihood(part, threads) for part in _known_parts(parts)]

    def total(weights: FloatArray) -> tuple[float, FloatArray]:
        results = [function(weights) for function in functions]
        return sum(value for value, _ in results), np.sum([gradient for _, gradient in results], axis=0)

    return maximise(total, uniform(len(parts[0].members)), project)


def product_likelihood(part: HeldOut, threads: int = 1) -> ConcaveFunction:
    """Return ln P(gold) of a product of sequences, with gradient s_j(gold) - E[s_j] for the score s_j of member j."""
    scores = part.scores()
    if scores is None or not all(np.isfinite(one.nodes).all() and np.isfinite(one.edges).all() for one in scores):
        raise InputError("the likelihood of weights needs members without forbidden labels, and no mixtures; use weights='dev'")
    edges_vary = any(one.edges.ndim == 3 for one in scores)
    tokens, labels = scores[0].nodes.shape
    members = []
    for one in scores:
        edges = np.broadcast_to(one.edges, (tokens, labels, labels)) if edges_vary else one.edges
        members.append(tuple(np.ascontiguousarray(array).ravel() for array in (one.nodes, edges, one.start, one.end)))
    gold = np.concatenate(part.numbers(part.labels))

    def function(weights: FloatArray) -> tuple[float, FloatArray]:
        return _native.pool_likelihood(members, scores[0].offsets, gold, weights, labels, edges_vary, threads)  # type: ignore[arg-type]

    return function


def transition_likelihood(part: HeldOut, threads: int = 1) -> ConcaveFunction:
    """Return ln Π_t P(gold_t|gold_{t-1}) of a product of transitions, each normalised, and its gradient."""
    rows = np.stack(_gold_rows(part))  # [members][tokens][labels]
    gold = np.concatenate(part.numbers(part.labels))
    observed = np.take_along_axis(rows, gold[None, :, None], axis=2)[:, :, 0]

    def function(weights: FloatArray) -> tuple[float, FloatArray]:
        scores = np.tensordot(weights, rows, 1)
        highest = scores.max(axis=1, keepdims=True)
        exponentials = np.exp(scores - highest)
        total = exponentials.sum(axis=1, keepdims=True)
        value = float((weights @ observed).sum() - (np.log(total) + highest).sum())
        return value, (observed - (rows * (exponentials / total)).sum(axis=2)).sum(axis=1)

    return function


def fit_mixture_weights(parts: Sequence[HeldOut], combine: str) -> FloatArray:
    """Return the weights of a mixture (of sequences or transitions) with the highest likelihood of the gold labels."""
    log_probabilities = []
    for part in _known_parts(parts):
        numbers = part.numbers(part.labels)
        if combine == "transition-mixture":
            rows = np.stack(_gold_rows(part))
            log_probabilities.append(np.take_along_axis(rows, np.concatenate(numbers)[None, :, None], axis=2)[:, :, 0])
        else:
            sentences = zip(part.lattices(), numbers, strict=True)
            log_probabilities.append(np.array([[one.log_probability(gold) for one in row] for row, gold in sentences]).T)
    return em_weights(np.concatenate(log_probabilities, axis=1), uniform(len(parts[0].members)))


def _gold_rows(part: HeldOut) -> list[FloatArray]:
    """Return by member ln P(y_t|gold_{t-1}) of every token, [tokens][labels]."""
    members: list[list[FloatArray]] = [[] for _ in part.members]
    for lattices, gold in zip(part.lattices(), part.numbers(part.labels), strict=True):
        for rows, lattice in zip(members, lattices, strict=True):
            first, steps = lattice.log_transitions()
            rows.append(np.vstack([first, steps[np.arange(len(gold) - 1), gold[:-1]]]))
    return [np.maximum(np.concatenate(rows), _FLOOR) for rows in members]


def _known_parts(parts: Sequence[HeldOut]) -> list[HeldOut]:
    """Return the parts with the sentences whose labels are known, without empty parts."""
    known = [part for part in (part.with_known_labels() for part in parts) if part.gold]
    if not known:
        raise InputError("no held-out sentence has only labels that the members know")
    return known
