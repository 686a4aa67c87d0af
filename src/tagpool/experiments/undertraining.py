"""Weight undertraining (BAGGING, section 3 and Figure 1): the accuracy without the strong feature at test time.

Weak features x_1..x_n are standard normal, y ~ Bernoulli(logistic(Σ x_i)), and the strong feature is x_S = a·Σ x_i + noise of
variance 0.04. One logistic regression sees them all; the pool has one for the weak features and one for the strong one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagpool.experiments.study import Setting, Study, mean_row
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.optim.lbfgs import LBFGS
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.report.plots import curves

_WEAK, _INSTANCES = 10, 1000
_STRENGTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_LABELS = ("no", "yes")
_NAMES = ("one model", "one model, strong feature missing", "pool", "pool, strong feature missing", "weak features only")
Matrix = NDArray[np.float64]


def run(setting: Setting) -> Study:
    """Figure 1: accuracy with and without the strong feature against its strength."""
    sets, strengths = (5, (0.0, 2.0, 8.0)) if setting.quick else (100, _STRENGTHS)
    study = Study(
        "undertraining", "Weight undertraining: one model and a pool when the strong feature is missing (BAGGING, Figure 1)"
    )
    lines: dict[str, list[float]] = {}
    for strength in strengths:
        setting.report(f"strength {strength:g}: {sets} data sets")
        results = np.array([_accuracies(strength, seed) for seed in range(sets)])
        for column, name in enumerate(_NAMES):
            study.rows.append(mean_row(name, f"a = {strength:g}", results[:, column]))
            lines.setdefault(name, []).append(results[:, column].mean())
    study.notes += [
        f"Accuracy in percent on {_INSTANCES:,} new instances, mean of {sets} data sets with the 95% interval of the mean; l2=1, "
        "trained to the optimum. The pool is a logarithmic opinion pool with equal weights.",
        "The paper shows a figure without numbers: the curve without the strong feature falls as that feature becomes stronger.",
    ]
    if setting.plots is not None:
        study.plots = curves(
            setting.plots / "undertraining",
            list(strengths),
            lines,
            "strength of the strong feature",
            "accuracy in percent",
            study.title,
        )
    return study


def _accuracies(strength: float, seed: int) -> list[float]:
    random = np.random.default_rng([seed, round(strength * 1000)])
    train, gold = _draw(random, strength)
    test, truth = _draw(random, strength)
    one = _fit(train, gold, range(_WEAK + 1))
    members = [_fit(train, gold, range(_WEAK)), _fit(train, gold, [_WEAK])]
    pool = OpinionPool(members)
    blind = test.copy()
    blind[:, _WEAK] = 0.0
    return [
        _accuracy(one, test, truth),
        _accuracy(one, blind, truth),
        _accuracy(pool, test, truth),
        _accuracy(pool, blind, truth),
        _accuracy(members[0], np.where(np.arange(_WEAK + 1) < _WEAK, test, 0.0), truth),
    ]


def _draw(random: np.random.Generator, strength: float) -> tuple[Matrix, list[str]]:
    weak = random.standard_normal((_INSTANCES, _WEAK))
    total = weak.sum(axis=1)
    strong = strength * total + random.normal(0.0, np.sqrt(0.04), _INSTANCES)
    yes = random.random(_INSTANCES) < 1 / (1 + np.exp(-total))
    return np.column_stack([weak, strong]), [_LABELS[int(item)] for item in yes]


def _fit(matrix: Matrix, gold: list[str], columns: Sequence[int]) -> MaxEnt:
    model = MaxEnt(l2=1.0, trainer=LBFGS(tolerance=1e-7, warm_up=0))
    return model.fit(_sentences(matrix[:, columns], columns), [[label] for label in gold])


def _accuracy(model: MaxEnt | OpinionPool, matrix: Matrix, gold: list[str]) -> float:
    results = model.predict(_sentences(matrix, range(matrix.shape[1])))
    return 100 * float(np.mean([label[0] == right for label, right in zip(results, gold, strict=True)]))


def _sentences(matrix: Matrix, columns: Sequence[int]) -> list[list[dict[str, float]]]:
    return [[{f"x{column}": value for column, value in zip(columns, row, strict=True)}] for row in matrix.tolist()]
