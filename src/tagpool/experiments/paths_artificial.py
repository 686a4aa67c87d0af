"""Path experts on generated data (PATHS, Tables 1 and 2): experts that are good at some positions, at none, or at some letters.

Sequences of ten letters come from a Markov chain; five experts err at random, always to a neighbouring letter. The descriptions
of ADS1 and ADS3 in the paper do not give the best experts that it prints, so each is run twice: as described, and adjusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool._native import PathBallots
from tagpool.experiments.paths_study import VARIANTS, Losses, Variant, compare_order, folds_of, measure_losses
from tagpool.experiments.study import Setting, Study, Table
from tagpool.pools.votes.ballots import Ballots, FloatArray, native_ballots

_LETTERS, _LENGTH, _EXPERTS, _LEARNED = 26, 10, 5, 200
_PAPER = {  # loss in percent, in the order of the methods
    "ADS1": (1.97, 2.28, 1.97, 7.41, 1.97, 56.41, 11.12, 56.35),
    "ADS2": (21.72, 25.17, 23.85, 40.01, 22.67, 25.00, 40.00, 40.00),
    "ADS3": (17.88, 21.89, 17.88, 31.48, 18.31, 19.54, 31.96, 29.57),
}
_PAPER_WIDTHS = {  # standard deviations in the paper
    "ADS1": (0.002, 0.947, 0.002, 4.087, 0.002, 0.044, 0.540, 0.004),
    "ADS2": (0.983, 5.322, 0.002, 0.028, 0.834, 5.003, 0.018, 0.0),
    "ADS3": (0.004, 4.097, 0.004, 0.387, 0.240, 0.185, 0.018, 0.005),
}
_ROUNDS = 100
_TIE = 1e-6  # part of a vote that decides ties
_LAST, _FIRST_EXPERT, _HINDSIGHT = "sle, last round", "sle, last round, ties to the first", "best, known from test data"
_UNION = {f"{method}, all rounds": Variant(method, delta=0.05 / (_LEARNED * (_LEARNED + 1))) for method in ("cv", "fpl_cv")}
_OTHERS = {"best": _HINDSIGHT, "cv": "cv, all rounds", "fpl_cv": "fpl_cv, all rounds"}
_READINGS = {  # rows that stand for methods of the paper
    "as in the first rows": {},
    "best from test data; CV for all rounds; SLE's last round": {**_OTHERS, "sle": _LAST},
    "the same, SLE's ties to the first": {**_OTHERS, "sle": _FIRST_EXPERT},
}
_BEST_PATH = "best path, known from all data"

Numbers: TypeAlias = NDArray[np.int64]
Experts: TypeAlias = Callable[[np.random.Generator, Numbers], Numbers]


@dataclass(frozen=True)
class Data:
    """A data set: the function of its experts, and the data set of the paper to compare with."""

    name: str
    experts: Experts
    paper: str | None = None


def run(setting: Setting) -> Study:
    """Tables 1 and 2: the loss of every method, learned from 200 sequences, ten times."""
    count, folds = (4000, 2) if setting.quick else (40_000, 10)
    study = Study("paths-artificial", "Path experts on generated data (PATHS, Tables 1 and 2): Hamming loss in percent")
    lines: list[list[str]] = []
    for number, data in enumerate(_DATA):
        setting.report(f"{data.name}: {count:,} sequences, {folds} times {_LEARNED} to learn from")
        losses = _losses(data, count, folds, seed=number)
        study.rows += losses.rows(data.name, _PAPER[data.paper] if data.paper else None)
        lines += _compare(data, losses)
    header = ["", "read as", "MVote / best path", "MVote / best expert", "pairs in the order of the paper", "others"]
    study.tables.append(Table("Claims of the paper and results", header, lines))
    study.notes += [
        f"Mean of {folds} disjoint sets of {_LEARNED} sequences to learn from, tried on all others of {count:,}, with the 95% "
        "interval of the mean. β = 0.95, δ = 0.05, ε = 0.5/(p·l), at most 100 rounds of ESPBoost and SLE. Experts err to a "
        "neighbour of the letter.",
        "ADS1: expert j is right at positions 2j-1 and 2j with the first probability, elsewhere with the second (described: 0.97 "
        "and 0.5; 0.98 and 0.3 give the best expert that the paper prints). ADS2: wrong at four random positions. ADS3: always "
        "right on its fifth of the alphabet, elsewhere with 0.7 as described; 0.6, and mistakes to one fixed neighbour, come "
        "near the printed best expert.",
        "The paper refers elsewhere for the details of CV, FPL-CV and SLE. A majority in which all count alike is not in it.",
        "Readings of the text, each with its rows and the pairs below. Best expert: its small deviation in the paper (0.004 on "
        "ADS1) suggests that the test data chooses it; chosen by 200 sequences, it deviates more.",
        "SLE: the paper writes that the ensemble after 100 iterations on ADS1 has one expert. So it is that of the last round, "
        "not of the best one, and ties of votes and of experts go to the expert that was selected first: one vote for a second "
        "expert then changes nothing. This reading gives the printed loss on ADS1. On ADS3, the last round with ties to the "
        "expert that is selected least often has the paper's order. On ADS2, the printed 25.00 ± 5.00 fits nine runs that end "
        "with all experts and one that ends with a single expert. No rule for ties that was tried gives all three.",
        "CV and FPL-CV: the paper does not print their confidence term. Ours has ln(1/δ) for one round; a bound for the "
        "choice among all rounds has ln(T(T+1)/δ), which favours earlier rounds (rows: all rounds). With it, FPL-CV has the "
        "order of the paper on ADS1, and nearly its loss with the accuracies as described.",
        "CV on ADS2 stays in front of MVote and ESPBoost, which the paper reverses: all experts are alike, equal weights are "
        "optimal, and early rounds are nearest to them. Without a confidence term CV takes late rounds and falls behind MVote "
        "there, but then also on ADS3, against the paper.",
    ]
    return study


def _losses(data: Data, count: int, folds: int, seed: int) -> Losses:
    ballots = _ballots(data, count, seed)
    losses = measure_losses(ballots, folds_of(count, _LEARNED, folds), VARIANTS | _UNION, 0.95)
    for first, others in folds_of(count, _LEARNED, folds):
        rest = ballots.select(others)
        votes = _unkeyed(rest)
        experts = {_LAST: select_stepwise(ballots.select(first), stay=False)}
        experts[_FIRST_EXPERT] = select_stepwise(ballots.select(first), stay=True)
        experts[_HINDSIGHT] = np.eye(_EXPERTS)[int(np.argmin((rest.votes != rest.gold[:, None]).sum(axis=0)))]
        for name, weights in experts.items():
            losses.add(name, others, (votes.vote(weights, False)[0] != rest.gold).reshape(len(rest), _LENGTH).mean(axis=1))
    wrong = (ballots.votes != ballots.gold[:, None]).reshape(count, _LENGTH, _EXPERTS).mean(axis=0)
    losses.add(_BEST_PATH, np.array([0]), np.array([wrong.min(axis=1).mean()]))
    return losses


def select_stepwise(ballots: Ballots, *, stay: bool) -> FloatArray:
    """Return how often SLE selects each expert in all rounds.

    ``stay`` leaves all ties, of votes and of experts, to the expert that was selected first; without it, ties of experts go to
    the one selected least often.
    """
    votes, sign = _unkeyed(ballots), 1 if stay else -1
    counts = np.zeros(_EXPERTS)
    for number in range(_ROUNDS):
        wrong = [int((votes.vote(counts + added, False)[0] != ballots.gold).sum()) for added in np.eye(_EXPERTS)]
        selected = max(range(_EXPERTS), key=lambda expert: (-wrong[expert], sign * counts[expert], -expert))
        counts[selected] += 1 + _TIE * (stay and number == 0)
    return counts


def _unkeyed(ballots: Ballots) -> PathBallots:
    return native_ballots(ballots, None, np.zeros(len(ballots.votes), np.int32), 1, None)


def _ballots(data: Data, count: int, seed: int) -> Ballots:
    random = np.random.default_rng([11, seed])
    steps = random.dirichlet(np.ones(_LETTERS), _LETTERS).cumsum(axis=1)
    gold = np.empty((count, _LENGTH), np.int64)
    gold[:, 0] = random.integers(0, _LETTERS, count)
    for k in range(1, _LENGTH):
        gold[:, k] = np.minimum((steps[gold[:, k - 1]] < random.random((count, 1))).sum(axis=1), _LETTERS - 1)
    outputs = data.experts(random, gold)
    return Ballots(
        experts=tuple(f"expert {number}" for number in range(1, _EXPERTS + 1)),
        labels=tuple("abcdefghijklmnopqrstuvwxyz"),
        offsets=np.arange(0, (count + 1) * _LENGTH, _LENGTH).astype(np.uint32),
        votes=np.ascontiguousarray(outputs.reshape(-1, _EXPERTS), np.int32),
        gold=gold.ravel().astype(np.int32),
    )


# Experts: functions from letters, [sequences][positions], to letters, [sequences][positions][experts] --------------------------


def _by_position(good: float, bad: float) -> Experts:
    selected = np.arange(_LENGTH)[:, None] // 2 == np.arange(_EXPERTS)

    def answer(random: np.random.Generator, gold: Numbers) -> Numbers:
        right = random.random((*gold.shape, _EXPERTS)) < np.where(selected, good, bad)
        return _add_errors(random, gold, right)

    return answer


def _four_wrong(random: np.random.Generator, gold: Numbers) -> Numbers:
    order = random.random((*gold.shape, _EXPERTS)).argsort(axis=1).argsort(axis=1)
    return _add_errors(random, gold, order >= 4)


def _by_letter(otherwise: float, *, fixed: bool) -> Experts:
    def answer(random: np.random.Generator, gold: Numbers) -> Numbers:
        selected = (gold[:, :, None] * _EXPERTS // _LETTERS) == np.arange(_EXPERTS)
        return _add_errors(random, gold, selected | (random.random(selected.shape) < otherwise), fixed=fixed)

    return answer


def _add_errors(random: np.random.Generator, gold: Numbers, right: NDArray[np.bool_], *, fixed: bool = False) -> Numbers:
    step = np.ones(right.shape, np.int64) if fixed else random.choice((-1, 1), right.shape)
    return np.where(right, gold[:, :, None], (gold[:, :, None] + step) % _LETTERS)


_DATA = (
    Data("ADS1, 0.97 and 0.5", _by_position(0.97, 0.5)),
    Data("ADS1, 0.98 and 0.3", _by_position(0.98, 0.3), "ADS1"),
    Data("ADS2", _four_wrong, "ADS2"),
    Data("ADS3, 0.7", _by_letter(0.7, fixed=False)),
    Data("ADS3, 0.6, fixed", _by_letter(0.6, fixed=True), "ADS3"),
)


def _compare(data: Data, losses: Losses) -> list[list[str]]:
    """Return lines with ratios of MVote, and the pairs that the paper separates: those with the same order here, and others."""
    ratios = [f"{losses.mean('mvote') / losses.mean(other):.3f}" for other in (_BEST_PATH, "best")]
    lines = []
    for name, rows in _READINGS.items():
        same, others = compare_order(losses, (_PAPER[data.name[:4]], _PAPER_WIDTHS[data.name[:4]]), rows=rows)
        lines.append([data.name, name, *ratios, f"{same} of {same + len(others)}", "; ".join(others)])
    return lines
