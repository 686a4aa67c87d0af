"""Fitting for experiments: the best setting on dev, several seeds, scores with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import bootstrap_intervals, mcnemar
from tagpool.experiments.corpora import Split
from tagpool.experiments.study import Row, Setting

Labels = list[list[str]]
Predict = Callable[[Any, Corpus], Labels]


@dataclass
class Model:
    """One kind of model: how it is made from a setting and a seed, which settings are tried, and what became of it."""

    name: str
    make: Callable[[float, int], Any]
    grid: Sequence[float]
    setting: float | None = None
    fitted: list[Any] = field(default_factory=list)
    dev: float = 0.0


def predict(tagger: Any, corpus: Corpus) -> Labels:
    """What a tagger says."""
    found: Labels = tagger.predict(corpus)
    return found


def tune(model: Model, split: Split, setting: Setting, *, decode: Predict = predict, stop_on_dev: bool = False) -> Model:
    """Tries every setting with the first seed, takes the one that is best on dev, and trains the other seeds with it."""
    seeds = setting.seed_numbers()
    grid = list(model.grid)[len(model.grid) // 2 :][:1] if setting.quick else list(model.grid)
    best: tuple[float, float, Any] | None = None
    for value in grid:
        fitted = _fit(model, value, seeds[0], split, stop_on_dev)
        reached = score(split.dev.labels, decode(fitted, split.dev)).f1
        setting.say(f"{model.name}, {value:g}: dev F1 {reached:.2f}")
        if best is None or reached > best[0]:
            best = reached, value, fitted
    assert best is not None
    model.dev, model.setting, first = best
    model.fitted = [first]
    for seed in seeds[1:]:
        setting.say(f"{model.name}, {model.setting:g}, seed {seed}")
        model.fitted.append(_fit(model, model.setting, seed, split, stop_on_dev))
    return model


def _fit(model: Model, value: float, seed: int, split: Split, stop_on_dev: bool) -> Any:
    made = model.make(value, seed)
    if stop_on_dev or hasattr(made, "combine"):  # pools find their shares on dev
        return made.fit(split.train, dev=split.dev)
    return made.fit(split.train)


def measured(row: str, metric: str, gold: Labels, found: Iterable[Labels], *, paper: float | None = None, mark: str = "") -> Row:
    """The F1 over several seeds: its mean, and the mean of the bounds of its 95% intervals (bootstrap over sentences)."""
    scores, lows, highs = [], [], []
    for labels in found:
        scores.append(score(gold, labels).f1)
        interval = bootstrap_intervals(gold, labels, draws=1000)["f1"]
        lows.append(interval.low)
        highs.append(interval.high)
    return Row(row, metric, _mean(scores), _mean(lows), _mean(highs), paper, mark)


def better_mark(gold: Labels, first: Sequence[Labels], second: Sequence[Labels]) -> str:
    """** where McNemar's test over tokens has p < 0.01 for every seed, * where p < 0.05, for ``second`` being the better one."""
    worst = 0.0
    for a, b in zip(first, second, strict=True):
        outcome = mcnemar(gold, a, b)
        if outcome.second_only <= outcome.first_only:
            return ""
        worst = max(worst, outcome.p_value)
    return "**" if worst < 0.01 else "*" if worst < 0.05 else ""


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 2)
