"""Models of the experiments: construction, choice of the setting on dev, several seeds, scores with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import mcnemar, randomisation_test
from tagpool.experiments.corpora import Split
from tagpool.experiments.study import Row, Setting
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.optim.fobos import FOBOS
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool

Labels = list[list[str]]
Make = Callable[[float, int], Any]
_SCHEME = "bioes"
_LEAST = 1e-4  # smallest p value of 10,000 draws


def legally(tagger: Any, corpus: Corpus) -> Labels:
    """Return the best labels that BIOES allows."""
    rules = Scheme.of(_SCHEME).constraints(tagger.labels_)
    return [
        [rules.labels[label] for label in rules.constrain(lattice).best().labels.tolist()] for lattice in tagger.lattices(corpus)
    ]


@dataclass
class Model:
    """One kind of model: its constructor from a setting and a seed, the settings to try, and the fitted models.

    ``legal``: only labels that BIOES allows are predicted; ``stops``: early stopping on dev. ``tried`` has the dev F1 of each
    setting.
    """

    name: str
    make: Make
    grid: Sequence[float]
    legal: bool = False
    stops: bool = False
    setting: float | None = None
    fitted: list[Any] = field(default_factory=list)
    dev: float = 0.0
    tried: dict[float, float] = field(default_factory=dict)

    def fit(self, value: float, seed: int, split: Split) -> Any:
        """Return a trained model; pools learn their weights on dev."""
        tagger = self.make(value, seed)
        is_pool = isinstance(tagger, BaggingPool)
        return tagger.fit(split.train, dev=split.dev if self.stops or is_pool else None)

    def on_dev(self, tagger: Any, split: Split) -> float:
        """Return the F1 of a model on the dev set, in percent."""
        return 100 * score(split.dev.labels, self.decode(tagger, split.dev)).f1

    def decode(self, tagger: Any, corpus: Corpus) -> Labels:
        """Return the labels of a fitted model."""
        return legally(tagger, corpus) if self.legal else list(tagger.predict(corpus))


def tune(model: Model, split: Split, setting: Setting, *, whole_grid: bool = False, only_first: bool = False) -> Model:
    """Choose the setting that is best on dev with the first seed, and train the other seeds with it.

    A quick run takes the middle of the grid, unless ``whole_grid``. ``only_first`` leaves the other seeds to :func:`refit`.
    """
    seeds = setting.seed_numbers()
    grid = list(model.grid)[len(model.grid) // 2 :][:1] if setting.quick and not whole_grid else list(model.grid)
    best: tuple[float, float, Any] | None = None
    for value in grid:
        fitted = model.fit(value, seeds[0], split)
        reached = model.tried[value] = model.on_dev(fitted, split)
        setting.report(f"{model.name}, {value:g}: dev F1 {reached:.2f}")
        if best is None or reached > best[0]:
            best = reached, value, fitted
    assert best is not None
    model.dev, model.setting, first = best
    model.fitted = [first]
    for seed in () if only_first else seeds[1:]:
        setting.report(f"{model.name}, {model.setting:g}, seed {seed}")
        model.fitted.append(model.fit(model.setting, seed, split))
    return model


def choice_of_l2(grid: Sequence[float], setting: Setting) -> str:
    """Describe how :func:`tune` chooses the L2 penalty.

    >>> choice_of_l2([0.1, 0.3], Setting(quick=True))
    'l2 0.3, not tuned (quick run)'
    """
    if setting.quick:
        return f"l2 {grid[len(grid) // 2]:g}, not tuned (quick run)"
    return f"l2 of each model chosen on dev from {listed(grid)}"


def refit(model: Model, corpus: Corpus, setting: Setting) -> None:
    """Train a model of every seed on these sentences, with the penalty and weights chosen on dev for the first."""
    assert model.setting is not None
    first, model.fitted = model.fitted[0], []
    for seed in setting.seed_numbers():
        setting.report(f"{model.name}, {model.setting:g}, seed {seed}: on all sentences")
        tagger = model.make(model.setting, seed)
        if isinstance(tagger, BaggingPool):
            tagger.weights = first.weights_
        model.fitted.append(tagger.fit(corpus))


def measured(
    row: str, metric: str, gold: Labels, results: Iterable[Labels], *, paper: float | None = None, mark: str = ""
) -> Row:
    """Return the mean F1 over seeds, and the mean bounds of its 95% intervals (bootstrap over sentences)."""
    scores, lows, highs = [], [], []
    for labels in results:
        result = score(gold, labels, draws=1000)
        interval = result.intervals["f1"]
        scores.append(100 * result.f1)
        lows.append(100 * interval.low)
        highs.append(100 * interval.high)
    return Row(row, metric, _mean(scores), _mean(lows), _mean(highs), paper, mark)


def precision_and_recall(
    row: str, where: str, gold: Labels, results: Sequence[Labels], papers: Sequence[float | None] = (None, None)
) -> list[Row]:
    """Return mean precision and recall over seeds, in percent."""
    scores = [score(gold, labels) for labels in results]
    return [
        Row(row, f"{where} {name}", _mean([100 * getattr(one, name) for one in scores]), paper=paper)
        for name, paper in zip(("precision", "recall"), papers, strict=True)
    ]


def better_mark(gold: Labels, first: Sequence[Labels], second: Sequence[Labels]) -> str:
    """Return ** if ``second`` is better by McNemar's test over tokens with p < 0.01 for every seed, * if p < 0.05."""
    worst = 0.0
    for a, b in zip(first, second, strict=True):
        outcome = mcnemar(gold, a, b)
        if outcome.second_only <= outcome.first_only:
            return ""
        worst = max(worst, outcome.p_value)
    return "**" if worst < 0.01 else "*" if worst < 0.05 else ""


def with_marks(
    rows: Sequence[Row], gold: Labels, results: Mapping[str, Sequence[Labels]], rivals: Mapping[str, str]
) -> list[Row]:
    """Return the rows, marked if significantly better than their rival in ``rivals``."""
    return [
        replace(row, mark=better_mark(gold, results[rivals[row.row]], results[row.row])) if row.row in rivals else row
        for row in rows
    ]


def compared(gold: Labels, results: Mapping[str, Sequence[Labels]], rivals: Mapping[str, str]) -> list[str]:
    """Return a note for each model with a rival: the difference in F1 and its p value."""
    notes = []
    for name, rival in rivals.items():
        outcome = randomisation_test(gold, results[rival], results[name])
        p = f"p = {outcome.p_value:.2g}" if outcome.p_value > _LEAST else f"p ≤ {_LEAST:g}"
        notes.append(
            f"{name}, against {rival}: {100 * outcome.difference:+.2f} F1, {p} (approximate randomisation over sentences)."
        )
    return notes


def bags_found(model: Model) -> list[str]:
    """Return a note for each seed of a pool with automatic bags: the bags, the reason and the weights."""
    return [
        f"{model.name}, seed {seed}: {tagger.auto_} Shares {listed(tagger.weights_.tolist())}."
        for seed, tagger in enumerate(model.fitted, 1)
        if isinstance(tagger, BaggingPool) and tagger.auto_ is not None
    ]


def listed(values: Iterable[float]) -> str:
    """Join numbers with commas.

    >>> listed([0.5, 1.0])
    '0.5, 1'
    """
    return ", ".join(f"{value:g}" for value in values)


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 2)


Kind = type[CRF] | type[MaxEnt]


def without_one(groups: Sequence[str]) -> dict[str, list[str]]:
    """Return bags that each lack one group of features, and one bag with all.

    >>> without_one(["tags", "clusters"])
    {'no tags': ['clusters'], 'no clusters': ['tags'], 'all': ['tags', 'clusters']}
    """
    return {f"no {missing}": [group for group in groups if group != missing] for missing in groups} | {"all": list(groups)}


@dataclass(frozen=True)
class Makers:
    """Factory of models with these templates. ``resources`` may contain more than the templates need."""

    text: str
    resources: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    epochs: int = 20
    patience: int | None = 5

    def one(self, kind: Kind, *, dropout: float = 0.0, drop: str = "features", **expert: Any) -> Make:
        """Return a constructor of one expert with l2, trained by SGD."""
        trainer = SGD(epochs=self.epochs, dropout=dropout, drop=drop)
        return lambda value, seed: kind(self.text, l2=value, seed=seed, trainer=trainer, **self._common(), **expert)

    def lasso(self) -> Make:
        """Return a constructor of one MaxEnt with l1."""
        trainer = FOBOS(epochs=self.epochs)
        return lambda value, seed: MaxEnt(self.text, l1=value, l2=0.0, seed=seed, trainer=trainer, **self._common())

    def bagged(self, kind: Kind = CRF, *, expert: Mapping[str, Any] | None = None, **pool: Any) -> Make:
        """Return a constructor of a pool with one expert for each bag; ``pool`` are its parameters."""
        make = self.one(kind, **(expert or {}))
        return lambda value, seed: BaggingPool(make(value, seed), seed=seed, threads=self.threads, **pool)

    def elitist(self, **pool: Any) -> Make:
        """Return a constructor of an elitist pool."""
        common = {"epochs": self.epochs, **self._common()}
        return lambda value, seed: ElitistPool(self.text, strength=value, seed=seed, **{"expert": "maxent", **common, **pool})

    def _common(self) -> dict[str, Any]:
        needed = parse(self.text).resources
        selected = {name: value for name, value in self.resources.items() if name in needed}
        return {"resources": selected, "threads": self.threads, "patience": self.patience}
