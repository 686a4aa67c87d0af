"""Training of vote pools: learn weights with a method, choose β and calibrate confidence by cross-validation."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray, native_ballots
from tagpool.pools.votes.calibration import Calibration, calibrate
from tagpool.pools.votes.fitted import FittedVotes, mean_loss
from tagpool.pools.votes.guarantees import guarantees
from tagpool.pools.votes.keys import token_states
from tagpool.pools.votes.losses import cost_matrix
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.methods.method import Problem, Settings

if TYPE_CHECKING:
    from tagpool.pools.votes.pool import VotePool

BETAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)  # candidates of beta="cv"
_FOLDS = 5


def learn(pool: VotePool, ballots: Ballots, settings: Settings) -> FittedVotes:
    """Learn from ballots with gold labels."""
    method, automaton = METHODS[pool.method], pool.automaton
    costs = cost_matrix(pool.loss, ballots.labels)
    highest = float(costs.max(initial=0.0)) or 1.0

    def problem(rows: IntArray, states: int) -> Problem:
        native = native_ballots(ballots, costs, rows, states, None if method.per_expert else automaton)
        return Problem(native, ballots, costs, highest, settings)

    by_key = automaton is None and not method.per_expert
    tokens = token_states(ballots, pool.key if by_key else "position")
    names = tokens.names if by_key else ()
    whole = problem(tokens.states, len(tokens.names))
    learned = method.learn(whole)
    drawn_from = method.distributions(whole, learned)
    weights, log_paths = learned.weights, 0.0
    if by_key:
        # States that are new after fit get the weights of one state for all tokens.
        new_state = weights if len(names) == 1 else method.learn(problem(np.zeros_like(tokens.states), 1)).weights
        weights = _with_row(weights, new_state, len(names))[0]
        drawn_from = None if drawn_from is None else _with_row(drawn_from, new_state, len(names))
        log_paths = len(names) * math.log(len(ballots.experts))
    elif method.per_expert:
        weights = weights[None, :]
    elif automaton is not None:
        log_paths = automaton.log_path_count
    known = ballots.gold[ballots.gold >= 0]
    return FittedVotes(
        experts=ballots.experts,
        labels=ballots.labels,
        states=names,
        weights=weights,
        drawn_from=drawn_from,
        fallback=ballots.labels[int(np.bincount(known).argmax())] if known.size else ballots.labels[0],
        guarantees=guarantees(learned, method, settings.delta, highest, log_paths),
        beta=settings.beta,
    )


def _with_row(edges: FloatArray, row: FloatArray, states: int) -> FloatArray:
    """Append a row to each [states][experts] table in ``edges``."""
    tables = edges.reshape(-1, states, len(row))
    rows = np.broadcast_to(row, (len(tables), 1, len(row)))
    return np.concatenate([tables, rows], axis=1)


def checked_settings(pool: VotePool, ballots: Ballots, beta: float) -> Settings:
    """Return the settings of the pool's method; raise an InputError for a value out of range."""
    if not (isinstance(beta, (int, float)) and 0 < beta < 1):
        raise InputError(f"beta={beta!r}: expected a number between 0 and 1, exclusive")
    by_position = pool.key == "position" or pool.automaton is not None
    states = int(ballots.lengths.max(initial=1)) if by_position else 1
    epsilon = 0.5 / (len(ballots.experts) * max(states, 1)) if pool.epsilon is None else pool.epsilon
    return Settings(float(beta), pool.delta, float(epsilon), pool.rounds, pool.stop_early, pool.seed)


def choose_beta(pool: VotePool, ballots: Ballots) -> float:
    """Return the β with the least loss in cross-validation; the first one of equals."""
    candidates: Sequence[Any] = BETAS if pool.beta == "cv" else pool.beta  # type: ignore[assignment]
    if isinstance(candidates, str) or not candidates:
        raise InputError(f"beta={pool.beta!r}: expected a number between 0 and 1, a list of numbers, or 'cv'")
    settings = [checked_settings(pool, ballots, beta) for beta in candidates]
    if len(settings) == 1 or not METHODS[pool.method].uses_beta:
        return settings[0].beta
    losses = [sum(_evaluate(pool, *fold, candidate)[0] for fold in folds(ballots, pool.seed)) for candidate in settings]
    return settings[int(np.argmin(losses))].beta


def calibrate_pool(pool: VotePool, ballots: Ballots, settings: Settings) -> Calibration:
    """Learn the rate of correct labels by confidence, in cross-validation."""
    # Votes become more one-sided with every round: the pools of the folds learn for as many rounds as the pool.
    parts = [_evaluate(pool, *fold, settings)[1:] for fold in folds(ballots, pool.seed, filled=True)]
    confidence, correct = (np.concatenate(part) for part in zip(*parts, strict=True))
    return calibrate(confidence, correct.astype(bool))


def folds(ballots: Ballots, seed: int, *, filled: bool = False) -> Iterator[tuple[Ballots, Ballots]]:
    """Split ballots into training and test parts; every sentence is in one test part.

    ``filled`` repeats random training sentences until there are as many as in ``ballots``.

    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> three = ballots_of({"a": [["X"], ["Y"], ["Z"]]}, None)
    >>> sorted(int(number) for _, test in folds(three, 1) for number in test.votes.ravel())
    [0, 1, 2]
    """
    order = list(range(len(ballots)))
    generator = random.Random(seed)
    generator.shuffle(order)
    count = min(_FOLDS, len(order))
    for fold in range(count):
        test = set(order[fold::count])
        train = [sentence for sentence in order if sentence not in test]
        repeated = [generator.choice(train) for _ in test] if filled else []
        yield ballots.select(train + repeated), ballots.select(sorted(test))


def _evaluate(pool: VotePool, train: Ballots, test: Ballots, settings: Settings) -> tuple[float, FloatArray, FloatArray]:
    """Return the summed loss on test sentences, and per token the confidence and whether the label is correct."""
    labels, confidence = learn(pool, train, settings).vote(test, pool)
    known = test.gold >= 0
    loss = mean_loss(test, labels, cost_matrix(pool.loss, test.labels)) * len(test)
    return loss, confidence[known], (labels == test.gold)[known].astype(np.float64)
