"""What the studies of path experts share: every method, learned from disjoint sets of sentences, tried on all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.experiments.study import Row
from tagpool.pools.paths.ballots import Ballots
from tagpool.pools.paths.fitted import fit_ballots, mean_loss
from tagpool.pools.paths.methods import Setting

METHODS = ("mvote", "fpl", "cv", "fpl_cv", "espboost", "sle", "rand", "best")  # in the order of the paper's tables


@dataclass(frozen=True)
class Variant:
    """A method with what it is given; the paper's values if nothing is said."""

    method: str
    key: str = "position"
    stop_early: bool = False


VARIANTS = {method: Variant(method) for method in METHODS} | {
    "sle, stopped early": Variant("sle", stop_early=True),
    "majority": Variant("majority"),
}


def fold_losses(
    ballots: Ballots, learned: int, folds: int, variants: Mapping[str, Variant], beta: float
) -> dict[str, NDArray[np.float64]]:
    """The mean loss of each variant, once for every fold: ``learned`` sentences to learn from, all others to be tried on."""
    costs = 1.0 - np.eye(len(ballots.labels))
    epsilon = 0.5 / (len(ballots.experts) * int(ballots.lengths.max()))
    found: dict[str, list[float]] = {name: [] for name in variants}
    for fold in range(folds):
        first = fold * learned
        known = ballots.select(range(first, first + learned))
        rest = ballots.select([*range(first), *range(first + learned, len(ballots))])
        for name, variant in variants.items():
            setting = Setting(variant.method, beta, 0.05, epsilon, 100, variant.stop_early, fold + 1)
            fitted = fit_ballots(known, setting, variant.key, None, "hamming")
            labels, _ = fitted.vote(rest, variant.key, None, None, True, fold + 1)
            found[name].append(mean_loss(rest, labels, costs))
    return {name: np.array(each) for name, each in found.items()}


def loss_row(name: str, data: str, found: NDArray[np.float64], paper: float | None) -> Row:
    """A row in percent: the mean over folds with its 95% interval."""
    mean = 100 * float(found.mean())
    if len(found) < 2:
        return Row(name, data, round(mean, 2), paper=paper)
    half = 196 * float(found.std(ddof=1)) / float(np.sqrt(len(found)))
    return Row(name, data, round(mean, 2), round(mean - half, 2), round(mean + half, 2), paper)
