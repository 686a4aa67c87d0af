"""Small training problems, their loss by summing over all label sequences, and the order in which learners visit sentences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tagpool import GivenEncoder, _native

NONE = np.zeros(0, np.float32)
MASK = 2**64 - 1


@dataclass
class Problem:
    rows: list[list[list[tuple[int, float]]]]  # sentence, token, (feature, value)
    gold: list[list[int]]  # -1: unknown
    features: int
    labels: int

    def training_set(
        self,
        *,
        all_pairs: bool,
        dense_from: int = 2,
        boundaries: bool = True,
        all_transitions: bool = True,
        merge_twins: bool = False,
        bundle: bool = False,
        lean: bool = False,
    ) -> _native.TrainingSet:
        # The encoder is fitted on all features in their order, so that feature k has number k.
        encoder = GivenEncoder()
        listing = [[{f"f{k}": 1.0} for k in range(self.features)]]
        encoder.fit(listing)
        encoded = encoder.transform([[self._merged(token) for token in sentence] for sentence in self.rows])
        gold = np.array([label for sentence in self.gold for label in sentence], np.int32)
        layout = _native.Layout(
            all_cells=all_pairs,
            dense_from=dense_from,
            boundaries=boundaries,
            all_transitions=all_transitions,
            merge_twins=merge_twins,
            bundle=bundle,
            lean=lean,
        )
        return _native.TrainingSet(encoded.native, gold, self.features, self.labels, layout)

    def free_edges(self, boundaries: bool, all_transitions: bool) -> list[int]:
        """Transitions (from * labels + to), then start and end: those that have a weight."""
        L = self.labels
        met = {a * L + b for labels in self.gold for a, b in itertools.pairwise(labels) if a >= 0 and b >= 0}
        transitions = range(L * L) if all_transitions else sorted(met)
        return [*transitions, *(range(L * L, L * L + 2 * L) if boundaries else ())]

    def matrix(self) -> NDArray[np.float64]:
        """One row a token, one column a feature."""
        out = np.zeros((sum(map(len, self.rows)), self.features))
        for number, token in enumerate(itertools.chain.from_iterable(self.rows)):
            for k, value in token:
                out[number, k] = value
        return out

    def tokens_alone(self) -> Problem:
        rows = [[token] for sentence in self.rows for token in sentence]
        return Problem(rows, [[label] for sentence in self.gold for label in sentence], self.features, self.labels)

    @staticmethod
    def _merged(token: list[tuple[int, float]]) -> dict[str, float]:
        return {f"f{k}": value for k, value in token}


@st.composite
def problems(draw: st.DrawFn, unknown: bool = True) -> Problem:
    features, labels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    value = st.sampled_from([1.0, 1.0, 0.5, -2.0])
    token = st.dictionaries(st.integers(0, features - 1), value, max_size=3).map(lambda each: list(each.items()))
    rows = draw(st.lists(st.lists(token, min_size=1, max_size=4), min_size=1, max_size=3))
    label = st.integers(-1 if unknown else 0, labels - 1)
    gold = [draw(st.lists(label, min_size=len(sentence), max_size=len(sentence))) for sentence in rows]
    return Problem(rows, gold, features, labels)


def enumerated(
    problem: Problem, pairs: dict[tuple[int, int], float], edges: NDArray[np.float64], chain: bool, weights: list[float]
) -> float:
    """-sum_i c_i log p(known labels of i), by summing over all label sequences."""
    L = problem.labels
    transitions, start, end = edges[: L * L].reshape(L, L), edges[L * L : L * L + L], edges[L * L + L :]
    loss = 0.0
    for rows, gold, weight in zip(problem.rows, problem.gold, weights, strict=True):
        nodes = [[sum(pairs.get((k, y), 0.0) * v for k, v in token) for y in range(L)] for token in rows]
        total = known = 0.0
        for labels in itertools.product(range(L), repeat=len(rows)):
            score = sum(nodes[t][y] for t, y in enumerate(labels))
            if chain:
                score += start[labels[0]] + end[labels[-1]] + sum(transitions[a, b] for a, b in itertools.pairwise(labels))
            total += math.exp(score)
            if all(g in (-1, y) for g, y in zip(gold, labels, strict=True)):
                known += math.exp(score)
        loss -= weight * math.log(known / total)
    return loss


def random_problem(sentences: int, length: int, labels: int, features: int, seed: int) -> Problem:
    random = np.random.default_rng(seed)
    rows, gold = [], []
    for _ in range(sentences):
        truth = random.integers(0, labels, length)
        gold.append(truth.tolist())
        # A feature hints at its label most of the time.
        noise = random.integers(0, features, (length, 2))
        hints = np.where(random.random(length) < 0.8, truth, random.integers(0, labels, length))
        rows.append(
            [
                [(int(hint), 1.0), *((int(k), 1.0) for k in set(extra.tolist()) - {int(hint)})]
                for hint, extra in zip(hints, noise, strict=True)
            ]
        )
    return Problem(rows, gold, features, labels)


def random_numbers(seed: int) -> Iterator[int]:
    """xoshiro256** (Blackman and Vigna), its state filled by splitmix64."""
    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        state.append(z ^ (z >> 31))

    def turned(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) & MASK

    while True:
        yield turned(state[1] * 5 & MASK, 7) * 9 & MASK
        shifted = state[1] << 17 & MASK
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = turned(state[3], 45)


def shuffled(count: int, numbers: Iterator[int]) -> list[int]:
    items = list(range(count))
    for i in range(count, 1, -1):
        other = next(numbers) * i >> 64
        items[i - 1], items[other] = items[other], items[i - 1]
    return items
