"""Tuning: parameters of a path pool checked, β chosen and confidence calibrated, both by cross-validation over sentences."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, FloatArray
from tagpool.pools.votes.calibration import Calibration, calibrated
from tagpool.pools.votes.fitted import fit_ballots, mean_loss
from tagpool.pools.votes.losses import cost_matrix
from tagpool.pools.votes.methods import DISCOUNTED, Setting

BETAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)  # what beta="cv" tries
_FOLDS = 5


def checked_setting(pool: Any, ballots: Ballots, beta: float) -> Setting:
    """The parameters of a pool's method; an InputError for what cannot be."""
    if not (isinstance(beta, (int, float)) and 0 < beta < 1):
        raise InputError(f"beta={beta!r}: expected a number between 0 and 1, both left out")
    if not 0 < pool.delta < 1:
        raise InputError(f"delta={pool.delta!r}: expected a probability between 0 and 1")
    states = int(ballots.lengths.max(initial=1)) if pool.key == "position" else 1
    epsilon = 0.5 / (len(ballots.experts) * max(states, 1)) if pool.epsilon is None else pool.epsilon
    if not (0 < epsilon < math.inf):
        raise InputError(f"epsilon={pool.epsilon!r}: expected a number above 0")
    for name, value in (("rounds", pool.rounds), ("online_rounds", 2 if pool.online_rounds is None else pool.online_rounds)):
        if not isinstance(value, int) or isinstance(value, bool) or value < (1 if name == "rounds" else 2):
            raise InputError(f"{name}={value!r}: expected a whole number from {1 if name == 'rounds' else 2} on")
    if not isinstance(pool.seed, int) or not 0 <= pool.seed < 1 << 63:
        raise InputError(f"seed={pool.seed!r}: expected a whole number from 0 on")
    return Setting(pool.method, float(beta), pool.delta, float(epsilon), pool.rounds, pool.stop_early, pool.seed)


def folds(ballots: Ballots, seed: int, *, filled: bool = False) -> Iterator[tuple[Ballots, Ballots]]:
    """The ballots cut in two, several times: to fit, and to try. The second parts are disjoint and together are all.

    ``filled``: the first parts have as many sentences as there are, some of them twice.

    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> three = ballots_of({"a": [["X"], ["Y"], ["Z"]]}, None)
    >>> sorted(int(number) for _, tried in folds(three, 1) for number in tried.votes.ravel())
    [0, 1, 2]
    """
    order = list(range(len(ballots)))
    chance = random.Random(seed)
    chance.shuffle(order)
    count = min(_FOLDS, len(order))
    for fold in range(count):
        tried = set(order[fold::count])
        rest = [each for each in order if each not in tried]
        more = [chance.choice(rest) for _ in tried] if filled else []
        yield ballots.select(rest + more), ballots.select(sorted(tried))


def best_beta(pool: Any, ballots: Ballots) -> float:
    """The β with the least loss by cross-validation; of equal ones the first."""
    given: Sequence[Any] = BETAS if pool.beta == "cv" else pool.beta
    if isinstance(given, str) or not given:
        raise InputError(f"beta={pool.beta!r}: expected a number between 0 and 1, several to choose from, or 'cv'")
    settings = [checked_setting(pool, ballots, each) for each in given]
    if len(settings) == 1 or pool.method not in DISCOUNTED:
        return settings[0].beta
    losses = [sum(_tried(pool, fitted_on, tried, each)[0] for fitted_on, tried in folds(ballots, pool.seed)) for each in settings]
    return settings[int(np.argmin(losses))].beta


def calibration_of(pool: Any, ballots: Ballots, setting: Setting) -> Calibration:
    """How often labels are right by the share of votes they got, on sentences that were not learned from."""
    # The more rounds, the more one-sided the votes: pools that are to tell about the pool must have learned for as many.
    parts = [_tried(pool, fitted_on, tried, setting)[1:] for fitted_on, tried in folds(ballots, pool.seed, filled=True)]
    shares, right = (np.concatenate(each) for each in zip(*parts, strict=True))
    return calibrated(shares, right.astype(bool))


def _tried(pool: Any, fitted_on: Ballots, tried: Ballots, setting: Setting) -> tuple[float, FloatArray, FloatArray]:
    """The summed loss on sentences that were not learned from; the shares of the labels of their tokens, and which are right."""
    fitted = fit_ballots(fitted_on, setting, pool.key, pool.automaton, pool.loss)
    labels, shares = fitted.vote(tried, pool.key, pool.automaton, pool.scheme, pool.combine == "product", pool.seed)
    known = tried.gold >= 0
    loss = mean_loss(tried, labels, cost_matrix(pool.loss, tried.labels)) * len(tried)
    return loss, shares[known], (labels == tried.gold)[known].astype(np.float64)
