"""Shared parts of the path-expert studies: every method is trained on disjoint folds and tested on the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.experiments.study import Row, Table, mean_row, sample_row
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray
from tagpool.pools.votes.fitted import sentence_losses
from tagpool.pools.votes.methods.batch import expert_losses
from tagpool.pools.votes.methods.method import Settings
from tagpool.pools.votes.pool import VotePool
from tagpool.pools.votes.training import choose_beta, learn

METHODS = ("mvote", "fpl", "cv", "fpl_cv", "espboost", "sle", "rand", "best")  # in the order of the paper's tables
_DRAWS = 2000

Numbers: TypeAlias = NDArray[np.int64]
Fold: TypeAlias = tuple[Numbers, Numbers]  # training and test sentences
Printed: TypeAlias = tuple[Sequence[float], Sequence[float]]  # figures of the methods and their standard deviations


@dataclass(frozen=True)
class Variant:
    """A method with its parameters (default: those of the paper)."""

    method: str
    key: str = "position"
    stop_early: bool = False
    tuned: bool = False  # β by cross-validation on the training sentences
    delta: float = 0.05


VARIANTS = {method: Variant(method) for method in METHODS} | {
    "sle, stopped early": Variant("sle", stop_early=True),
    "majority": Variant("majority"),
}
KEYED = {f"mvote, {key}": Variant("mvote", key) for key in ("shared", "label")} | {
    "mvote, β chosen": Variant("mvote", tuned=True),
    "mvote, label, β chosen": Variant("mvote", "label", tuned=True),
}


@dataclass(frozen=True)
class Difference:
    """Difference of two losses by sentence, with 95% interval and p value of a bootstrap over sentences."""

    less: float
    low: float
    high: float
    p_value: float

    def __str__(self) -> str:
        return f"{self.less:+.2f} ({self.low:+.2f} to {self.high:+.2f}), p = {self.p_value:.3f}"


class Losses:
    """Losses of several methods in one measure, by run and sentence."""

    def __init__(self, sentences: int) -> None:
        self._runs: dict[str, list[float]] = {}
        self._sums: dict[str, FloatArray] = {}
        self._counts: dict[str, Numbers] = {}
        self._sentences = sentences

    def add(self, name: str, sentences: Numbers, losses: FloatArray) -> None:
        """Add a run: the losses on the sentences with these numbers."""
        self._runs.setdefault(name, []).append(float(losses.mean()))
        self._sums.setdefault(name, np.zeros(self._sentences))[sentences] += losses
        self._counts.setdefault(name, np.zeros(self._sentences, np.int64))[sentences] += 1

    def mean(self, name: str) -> float:
        """Return the mean loss over runs."""
        return float(np.mean(self._runs[name]))

    def rows(self, metric: str, papers: Sequence[float] | None = None, scale: float = 100.0) -> list[Row]:
        """Return a row for each method (default: in percent). ``papers`` has the figures of the paper, in its order."""
        printed = dict(zip(METHODS, papers, strict=True)) if papers else {}
        return [mean_row(name, metric, np.array(runs), printed.get(name), scale) for name, runs in self._runs.items()]

    def spread_rows(self, metric: str, papers: Printed | None = None, scale: float = 100.0) -> list[Row]:
        """Return a row for each method with the standard deviation of its runs; ``papers`` has the figures of the paper."""
        printed = dict(zip(METHODS, zip(*papers, strict=True), strict=True)) if papers else {}
        rows = []
        for name, runs in self._runs.items():
            paper, spread = printed.get(name, (None, None))
            row = sample_row(name, metric, [scale * run for run in runs])
            rows.append(replace(row, paper=paper, paper_spread=spread, digits=2))
        return rows

    def mean_of(self, name: str, sentences: NDArray[np.bool_]) -> float:
        """Return the mean loss on some of the sentences: for each the mean over its test runs."""
        tested = sentences & (self._counts[name] > 0)
        return float((self._sums[name][tested] / self._counts[name][tested]).mean())

    def less(self, name: str, than: str, scale: float = 100.0, *, sentences: NDArray[np.bool_] | None = None) -> Difference:
        """Return the difference of the losses: for each sentence the mean over its test runs (default: all sentences)."""
        means = [self._sums[item] / np.maximum(self._counts[item], 1) for item in (than, name)]
        tested = (self._counts[name] > 0) & (self._counts[than] > 0)
        tested &= True if sentences is None else sentences
        differences = scale * (means[0] - means[1])[tested]
        random = np.random.default_rng(1)
        drawn = np.array([differences[random.integers(0, len(differences), len(differences))].mean() for _ in range(_DRAWS)])
        tail = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
        low, high = np.percentile(drawn, (2.5, 97.5)).tolist()
        return Difference(float(differences.mean()), low, high, min(1.0, 2 * (1 + tail) / (_DRAWS + 1)))


def compare_order(
    losses: Losses, papers: Printed, scale: float = 100.0, *, rows: Mapping[str, str] | None = None
) -> tuple[int, list[str]]:
    """Return the number of pairs of methods in the order of the paper, and descriptions of the others.

    Pairs whose intervals overlap in the paper do not count. ``rows`` has the rows that stand for a method, if not its own.
    """
    names = [method if rows is None else rows.get(method, method) for method in METHODS]
    printed = dict(zip(names, zip(*papers, strict=True), strict=True))
    same, others = 0, []
    for pair in combinations(printed, 2):
        lower, higher = sorted(pair, key=lambda method: printed[method][0])
        if sum(printed[lower]) >= printed[higher][0] - printed[higher][1]:
            continue
        ours = [losses.mean(method) for method in (lower, higher)]
        if ours[0] < ours[1]:
            same += 1
        else:
            others.append(f"{lower} < {higher} ({scale * ours[0]:.2f}, {scale * ours[1]:.2f})")
    return same, others


def pool_labels(
    known: Ballots, tested: Ballots, variants: Mapping[str, Variant], beta: float, seed: int
) -> Iterator[tuple[str, IntArray]]:
    """Yield the name of each variant and its label numbers for test sentences after training on others."""
    epsilon = 0.5 / (len(known.experts) * max(int(known.lengths.max()), 1))
    for name, variant in variants.items():
        pool = VotePool(variant.method, key=variant.key, beta="cv")
        chosen = choose_beta(pool, known) if variant.tuned else beta
        settings = Settings(chosen, variant.delta, epsilon, 100, variant.stop_early, seed)
        pool.seed = seed
        yield name, learn(pool, known, settings).vote(tested, pool)[0]


def folds_of(count: int, learned: int, folds: int) -> Iterator[Fold]:
    """Yield folds: the numbers of ``learned`` training sentences, disjoint from those of other folds, and of all others."""
    numbers = np.arange(count)
    for fold in range(folds):
        selected = (numbers >= fold * learned) & (numbers < (fold + 1) * learned)
        yield numbers[selected], numbers[~selected]


def expert_table(title: str, ballots: Ballots) -> Table:
    """Return a table with the loss of each expert on all sentences."""
    losses = expert_losses(ballots, 1.0 - np.eye(len(ballots.labels)))
    lines = [[name, f"{100 * loss:.2f}"] for name, loss in zip(ballots.experts, losses.tolist(), strict=True)]
    return Table(title, ["expert", "loss, %"], lines)


def measure_losses(ballots: Ballots, folds: Iterable[Fold], variants: Mapping[str, Variant], beta: float) -> Losses:
    """Return the losses of each variant on the second part of every fold after training on the first."""
    costs = 1.0 - np.eye(len(ballots.labels))
    results = Losses(len(ballots))
    for seed, (first, others) in enumerate(folds, 1):
        rest = ballots.select(others)
        for name, labels in pool_labels(ballots.select(first), rest, variants, beta, seed):
            results.add(name, others, sentence_losses(rest, labels, costs))
    return results
