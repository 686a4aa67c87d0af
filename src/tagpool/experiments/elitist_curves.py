"""Dev F1 of the six models of ELITIST by the strength of their penalty and by epochs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tagpool.experiments.corpora import Split
from tagpool.experiments.fits import Model
from tagpool.experiments.study import Setting, Study, Table
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.report.plots import Panel, panels

_EPOCHS = (1, 2, 3, 5, 10, 15, 20, 30)
_QUICK_EPOCHS = (1, 3, 10)
_DEPTH = 6.0  # F1 points below the best that are drawn
Points = list[tuple[float, float]]


def add_curves(
    study: Study, tuned: Sequence[Model], trained_for: Callable[[int], Sequence[Model]], split: Split, setting: Setting
) -> None:
    """Add tables and a plot. ``tuned`` are the models with all settings tried, ``trained_for`` makes them for other epochs."""
    epochs = _QUICK_EPOCHS if setting.quick else _EPOCHS
    at = {count: {model.name: model for model in trained_for(count)} for count in epochs}
    strengths: dict[str, Points] = {model.name: sorted(model.tried.items()) for model in tuned}
    lengths: dict[str, Points] = {}
    for model in tuned:
        assert model.setting is not None
        setting.say(f"{model.name}, {model.setting:g}: dev F1 by epochs")
        lengths[model.name] = by_epochs({count: at[count][model.name] for count in epochs}, model.setting, split)
    study.tables += [
        Table(
            "Dev F1 against the strength of the penalty (strength: F1)",
            ["", *[""] * max(map(len, strengths.values()))],
            [[name, *(f"{value:g}: {f1:.2f}" for value, f1 in points)] for name, points in strengths.items()],
        ),
        Table(
            "Dev F1 against the epochs, each at its best penalty",
            ["", *(f"{count:g}" for count in epochs)],
            [[name, *(f"{f1:.2f}" for _, f1 in points)] for name, points in lengths.items()],
        ),
    ]
    study.notes.append(
        "Below: the six models on CoNLL-2003 (first seed). Strengths of different penalties are not comparable: an elitist "
        "pool of n experts at λ is, at the optimum, a ridge at n²·λ."
    )
    if setting.plots is not None:
        study.plots = panels(
            setting.plots / "elitist-ner",
            [Panel("strength of the penalty", strengths, logarithmic=True), Panel("epochs", lengths)],
            "dev F1",
            "Six models on CoNLL-2003: the strength of the penalty, and the epochs",
            _DEPTH,
        )


def by_epochs(models: dict[int, Model], strength: float, split: Split) -> Points:
    """Return the dev F1 of a model by epochs: from its log, or, for a pool, trained again for each number."""
    seed = 1
    longest = models[max(models)]
    if isinstance(longest.make(strength, seed), BaggingPool):
        return [(count, model.on_dev(model.make(strength, seed).fit(split.train), split)) for count, model in models.items()]
    scores = {epoch.number: epoch.score for epoch in longest.fit(strength, seed, split).log_}
    return [(count, 100 * float(scores[count] or 0.0)) for count in models]
