"""How shares are learned on held-out sentences: by F1 on a grid, by the likelihood of a product, by EM for a mixture."""

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
from tagpool.pools.combination import COMBINATIONS, SEQUENCE_PRODUCT, Walks, combined
from tagpool.pools.member_weights import Climbed, climbed, expected_shares, grid, projected, uniform
from tagpool.pools.members import Member, lattices_by, scored_by

_MOST_NUMBERS = 1 << 20  # of transitions at once
_IMPOSSIBLE = -1e3  # what a step that a member forbids counts as, so that its share can be judged at all


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Sentences that members have not learned from, with their labels."""

    members: Sequence[Member]
    sentences: Any
    gold: Sequence[Sequence[str]]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the members know."""
        return self.members[0].labels_

    def numbers(self, labels: Sequence[str]) -> list[NDArray[np.int32]]:
        """Gold labels as numbers; -1 for those that are not listed."""
        number = {label: index for index, label in enumerate(labels)}
        return [np.array([number.get(label, -1) for label in sentence], np.int32) for sentence in self.gold]

    def batch(self) -> list[Scored] | None:
        """Every member's scores of all sentences, None where a member has only lattices."""
        found = [scored_by(member, self.sentences, self.labels) for member in self.members]
        return [each for each in found if each is not None] if None not in found else None

    def lattices(self) -> Iterator[tuple[Lattice, ...]]:
        """The members' lattices, sentence by sentence."""
        return zip(*(lattices_by(member, self.sentences, self.labels) for member in self.members), strict=True)


def refuse_unknown(held_out: HeldOut) -> None:
    """Raises an error if the sentences have labels that the members have not, or too many or few of them."""
    unknown = sorted({label for sentence in held_out.gold for label in sentence} - set(held_out.labels))
    if unknown:
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        raise InputError(f"the held-out sentences have labels that the members do not know: {shown}")


# By F1 ------------------------------------------------------------------------------------------------------------------


def best_on_grid(parts: Sequence[HeldOut], combine: str) -> FloatArray:
    """The shares of a grid with the highest F1 (accuracy for plain labels); among equals those nearest to equal shares."""
    points = list(grid(len(parts[0].members)))
    table = tuple(dict.fromkeys([*parts[0].labels, *(label for part in parts for row in part.gold for label in row)]))
    gold = np.concatenate([row for part in parts for row in part.numbers(table)]).astype(np.int64)
    lengths = [len(row) for part in parts for row in part.gold]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    found: list[list[NDArray[np.int64]]] = [[] for _ in points]
    for part in parts:
        check_lengths(part.gold, [[""] * length for length in _lengths(part)], "tokens")
        number = np.array([table.index(label) for label in part.labels])
        for index, predicted in enumerate(_decoded(part, combine, points)):
            found[index].append(number[predicted])

    def judged(index: int) -> tuple[float, float]:
        counts = count_chunks(Alignment(table, gold, np.concatenate(found[index]), offsets))
        f1 = float(rates(len(counts.correct), len(counts.predicted), len(counts.gold))[2])
        return -f1, float(np.abs(points[index] - points[0]).sum())

    return points[min(range(len(points)), key=judged)]


def _decoded(part: HeldOut, combine: str, points: Sequence[FloatArray]) -> list[NDArray[np.int32]]:
    """The best labels of all tokens, for each of the shares."""
    batch = part.batch() if combine == SEQUENCE_PRODUCT else None
    if batch is not None and all(each.edges.ndim == 2 for each in batch):
        return [best_of(weighted(batch, point)) for point in points]
    found: list[list[NDArray[np.int32]]] = [[] for _ in points]
    decoded = _products if combine == SEQUENCE_PRODUCT else _chains
    for lattices in part.lattices():
        for labels, one in zip(found, decoded(lattices, combine, points), strict=True):
            labels.append(one)
    return [np.concatenate(each) for each in found]


def _products(lattices: Sequence[Lattice], combine: str, points: Sequence[FloatArray]) -> Iterator[NDArray[np.int32]]:
    for point in points:
        yield Lattice.combine(lattices, point).best().labels


def _chains(lattices: Sequence[Lattice], combine: str, points: Sequence[FloatArray]) -> Iterator[NDArray[np.int32]]:
    """The best labels of a sentence for each of the shares, many of which are worked out together."""
    walks = Walks.of(lattices)
    nothing = np.zeros(walks.nodes.shape[1:])
    at_once = max(1, _MOST_NUMBERS // max(1, walks.steps[0].size))
    for begin in range(0, len(points), at_once):
        first, steps = COMBINATIONS[combine](walks, np.array(points[begin : begin + at_once]))
        for start, edges in zip(first, steps, strict=True):
            yield _native.Chain(nothing, edges, start, nothing[0]).best()[0]


def pooled_lattice(lattices: Sequence[Lattice], shares: FloatArray, combine: str) -> Lattice:
    """One lattice of several. Members without a share say nothing.

    >>> one, two = Lattice([[2.0, 0.0]], np.zeros((2, 2))), Lattice([[0.0, 1.0]], np.zeros((2, 2)))
    >>> pooled_lattice([one, two], uniform(2), "transition-mixture").marginals().round(3).tolist()
    [[0.575, 0.425]]
    """
    if combine == SEQUENCE_PRODUCT:
        return Lattice.combine(lattices, shares)
    heard = [index for index, share in enumerate(shares) if share > 0]
    return combined(Walks.of([lattices[index] for index in heard]), shares[heard], COMBINATIONS[combine])


def weighted(batch: Sequence[Scored], shares: FloatArray) -> Scored:
    """The weighted sum of scores."""
    heard = [(each, share) for each, share in zip(batch, shares, strict=True) if share != 0] or [(batch[0], 0.0)]

    def total(name: str) -> FloatArray:
        parts = [share * getattr(each, name) for each, share in heard]
        found: FloatArray = sum(parts[1:], parts[0])
        return found

    return Scored(total("nodes"), total("edges"), total("start"), total("end"), batch[0].offsets)


def best_of(scores: Scored) -> NDArray[np.int32]:
    """The best labels of all tokens, where the edges do not differ from step to step."""
    parts = (np.ascontiguousarray(part) for part in (scores.edges, scores.start, scores.end))
    return _native.best_batch(np.ascontiguousarray(scores.nodes), scores.offsets, *parts)


# By likelihood ----------------------------------------------------------------------------------------------------------


def most_likely(
    parts: Sequence[HeldOut],
    combine: str,
    onto: Callable[[FloatArray], FloatArray] = projected,
    threads: int = 1,
) -> FloatArray:
    """The shares of a product that make the gold labels most probable."""
    make = product_likelihood if combine == SEQUENCE_PRODUCT else transition_likelihood
    functions = [make(known, threads) for known in map(_known, parts) if known.gold]
    _demand(functions)

    def total(shares: FloatArray) -> tuple[float, FloatArray]:
        found = [function(shares) for function in functions]
        return sum(value for value, _ in found), np.sum([gradient for _, gradient in found], axis=0)

    return climbed(total, uniform(len(parts[0].members)), onto)


def product_likelihood(part: HeldOut, threads: int = 1) -> Climbed:
    """ln P(gold) of a product of whole sequences, and its gradient: s_j(gold) - E[s_j], s_j being member j's score."""
    batch = part.batch()
    if batch is None or not all(np.isfinite(each.nodes).all() and np.isfinite(each.edges).all() for each in batch):
        raise InputError("the likelihood of shares needs members that forbid nothing: no mixtures; use weights='dev'")
    vary = any(each.edges.ndim == 3 for each in batch)
    tokens, labels = batch[0].nodes.shape
    members = []
    for each in batch:
        edges = np.broadcast_to(each.edges, (tokens, labels, labels)) if vary else each.edges
        members.append(tuple(np.ascontiguousarray(part).ravel() for part in (each.nodes, edges, each.start, each.end)))
    gold = np.concatenate(part.numbers(part.labels))

    def function(shares: FloatArray) -> tuple[float, FloatArray]:
        return _native.pool_likelihood(members, batch[0].offsets, gold, shares, labels, vary, threads)  # type: ignore[arg-type]

    return function


def transition_likelihood(part: HeldOut, threads: int = 1) -> Climbed:
    """The same of a product of transitions: ln Π_t P(gold_t|gold_{t-1}), each normalised by itself."""
    rows = np.stack(_gold_rows(part))  # members x tokens x labels
    gold = np.concatenate(part.numbers(part.labels))
    observed = np.take_along_axis(rows, gold[None, :, None], axis=2)[:, :, 0]

    def function(shares: FloatArray) -> tuple[float, FloatArray]:
        scores = np.tensordot(shares, rows, 1)
        highest = scores.max(axis=1, keepdims=True)
        weights = np.exp(scores - highest)
        total = weights.sum(axis=1, keepdims=True)
        value = float((shares @ observed).sum() - (np.log(total) + highest).sum())
        return value, (observed - (rows * (weights / total)).sum(axis=2)).sum(axis=1)

    return function


def by_expectation(parts: Sequence[HeldOut], combine: str) -> FloatArray:
    """The shares of a mixture, of whole sequences or of transitions, that make the gold labels most probable."""
    found = []
    for part in filter(lambda each: each.gold, map(_known, parts)):
        numbers = part.numbers(part.labels)
        if combine == "transition-mixture":
            rows = np.stack(_gold_rows(part))
            found.append(np.take_along_axis(rows, np.concatenate(numbers)[None, :, None], axis=2)[:, :, 0])
        else:
            logs = [[each.log_probability(gold) for each in row] for row, gold in zip(part.lattices(), numbers, strict=True)]
            found.append(np.array(logs).T)
    _demand(found)
    return expected_shares(np.concatenate(found, axis=1), uniform(len(parts[0].members)))


def _gold_rows(part: HeldOut) -> list[FloatArray]:
    """For each member: ln P(y_t|gold_{t-1}) of every token, tokens x labels."""
    found: list[list[FloatArray]] = [[] for _ in part.members]
    for lattices, gold in zip(part.lattices(), part.numbers(part.labels), strict=True):
        for rows, lattice in zip(found, lattices, strict=True):
            first, steps = lattice.log_transitions()
            rows.append(np.vstack([first, steps[np.arange(len(gold) - 1), gold[:-1]]]))
    return [np.maximum(np.concatenate(rows), _IMPOSSIBLE) for rows in found]


def _known(part: HeldOut) -> HeldOut:
    """Only the sentences whose labels the members know: the members of a fold may never have seen a rare one."""
    check_lengths(part.gold, [[""] * length for length in _lengths(part)], "tokens")
    labels = set(part.labels)
    chosen = [index for index, row in enumerate(part.gold) if labels.issuperset(row)]
    if len(chosen) == len(part.gold):
        return part
    select = getattr(part.sentences, "select", lambda wanted: [part.sentences[index] for index in wanted])
    return HeldOut(part.members, select(chosen), [part.gold[index] for index in chosen])


def _lengths(part: HeldOut) -> list[int]:
    offsets = getattr(part.sentences, "offsets", None)
    return np.diff(offsets()).tolist() if offsets is not None else [len(sentence) for sentence in part.sentences]


def _demand(found: Sequence[object]) -> None:
    if not found:
        raise InputError("no held-out sentence has only labels that the members know")
