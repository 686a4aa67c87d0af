"""Path experts by brute force: every path of an automaton by itself, with a weight of its own. Slow and plain.

A sentence is (votes, gold): votes[token][expert] and gold[token] are labels, None for who abstains. An automaton is a list of
edges (from, to, expert) in the order of the states' depths; a table has a state for each token, at which paths choose freely.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Votes = Sequence[Sequence[int | None]]
Sentence = tuple[Votes, Sequence[int]]


@dataclass
class Read:
    """An edge as it reads a sentence: (edge, state, token, expert)."""

    edge: int
    state: object
    token: int
    expert: int


class Paths:
    """All path experts, each as the edges it has; ``reads(path, sentence number)`` says what it reads of a sentence."""

    def __init__(self, paths: list[tuple[int, ...]], edges: int, reads: Callable[[tuple[int, ...], int], list[Read]]) -> None:
        self.paths, self.edges, self.reads = paths, edges, reads

    @classmethod
    def of_automaton(cls, edges: list[tuple[int, int, int]], sentences: Sequence[Sentence]) -> Paths:
        def grow(path: tuple[int, ...], state: int) -> Iterable[tuple[int, ...]]:
            ahead = [number for number, edge in enumerate(edges) if edge[0] == state]
            if not ahead:
                yield path
            for number in ahead:
                yield from grow((*path, number), edges[number][1])

        def reads(path: tuple[int, ...], number: int) -> list[Read]:
            length = len(sentences[number][1])
            return [Read(edge, edges[edge][0], token, edges[edge][2]) for token, edge in enumerate(path[:length])]

        return cls(list(grow((), edges[0][0])), len(edges), reads)

    @classmethod
    def of_table(cls, states_of: list[list[int]], states: int, experts: int) -> Paths:
        """``states_of`` has for every sentence the state of each token."""

        def reads(path: tuple[int, ...], number: int) -> list[Read]:
            return [Read(path[s], s, token, path[s] - s * experts) for token, s in enumerate(states_of[number])]

        free = itertools.product(*([s * experts + j for j in range(experts)] for s in range(states)))
        return cls(list(free), states * experts, reads)


class WeightedMajority:
    """The weighted majority algorithm on paths: p ← p·β^loss, normalised (equation 2 of the paper), round by round."""

    def __init__(self, paths: Paths, sentences: Sequence[Sentence], beta: float) -> None:
        self.paths, self.sentences, self.beta = paths, sentences, beta
        self.rounds: list[dict[tuple[int, ...], float]] = []
        weights = dict.fromkeys(paths.paths, 1.0)
        for number in range(len(sentences)):
            total = math.fsum(weights.values())
            weights = {path: weight / total for path, weight in weights.items()}
            self.rounds.append(weights)
            charges = self.charges(weights, number)
            weights = {path: weight * beta ** charges(path) for path, weight in weights.items()}

    def charges(self, weights: dict[tuple[int, ...], float], number: int) -> Callable[[tuple[int, ...]], float]:
        """Loss of a path in the exponent: 1 for an error; for an abstention the mean loss of the others at its state."""
        votes, gold = self.sentences[number]
        chance = self.edge_probabilities(weights)

        def wrong(read: Read) -> float:
            messages = votes[read.token][read.expert]
            if messages is not None:
                return float(messages != gold[read.token])
            same = {
                (r.edge, r.expert) for path in self.paths.paths for r in self.paths.reads(path, number) if r.state == read.state
            }
            loud = [(chance[e], votes[read.token][j] != gold[read.token]) for e, j in same if votes[read.token][j] is not None]
            if not loud:
                return 0.0
            mixed = math.fsum(w * self.beta**error for w, error in loud) / math.fsum(w for w, _ in loud)
            return math.log(mixed) / math.log(self.beta)

        return lambda path: math.fsum(wrong(read) for read in self.paths.reads(path, number))

    def edge_probabilities(self, weights: dict[tuple[int, ...], float]) -> list[float]:
        return [math.fsum(w for path, w in weights.items() if edge in path) for edge in range(self.paths.edges)]

    def expected_losses(self) -> list[float]:
        result = []
        for number, weights in enumerate(self.rounds):
            votes, gold = self.sentences[number]
            errors = {
                path: sum(votes[r.token][r.expert] not in (None, gold[r.token]) for r in self.paths.reads(path, number))
                for path in weights
            }
            result.append(math.fsum(w * errors[path] for path, w in weights.items()) / max(len(gold), 1))
        return result

    def averaged(self, first: int) -> list[float]:
        chosen = [self.edge_probabilities(weights) for weights in self.rounds[first:]]
        return [math.fsum(column) / len(chosen) for column in zip(*chosen, strict=True)]


def position_votes(paths: Paths, averaged: list[float], votes: Votes, number: int) -> list[dict[int, float]]:
    """The weight of each label at each token: the summed probabilities of the edges that say it there."""
    read_there = {(r.token, r.edge, r.expert) for path in paths.paths for r in paths.reads(path, number)}
    result: list[dict[int, float]] = [{} for _ in votes]
    for token, edge, expert in sorted(read_there):
        label = votes[token][expert]
        if label is not None:
            result[token][label] = result[token].get(label, 0.0) + averaged[edge]
    return result


def best_score(
    paths: Paths, averaged: list[float], votes: Votes, number: int
) -> tuple[float, dict[tuple[int | None, ...], float]]:
    """The highest product of votes over the label sequences that some path has, and the product of each of them."""
    weight = position_votes(paths, averaged, votes, number)
    products: dict[tuple[int | None, ...], float] = {}
    for path in paths.paths:
        labels = tuple(votes[r.token][r.expert] for r in paths.reads(path, number))
        products[labels] = math.prod(0.0 if y is None else weight[t][y] for t, y in enumerate(labels))
    return max(products.values()), products
