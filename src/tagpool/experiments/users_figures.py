"""Figures of the models on each corpus: the rows of the tables, the best models, means over corpora, and what to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.experiments.fits import measured
from tagpool.experiments.study import Row, Table
from tagpool.experiments.users_models import ONE
from tagpool.experiments.users_processes import Labels, Run

Runs: TypeAlias = Mapping[str, Sequence[Run]]
BEST = "*"
_LEVEL = 0.05
_DRAWS = 2000


@dataclass(frozen=True)
class Figures:
    """Means over the seeds of a model on a corpus; ``best``: the paired test does not tell it from the best."""

    f1: float
    best: bool
    cpu: float
    peak: float
    size: float
    speed: float
    lower: float

    @property
    def lost(self) -> float:
        """The points of F1 that are lost without capitals."""
        return self.f1 - self.lower


COSTS = {
    "CPU seconds of training": ("CPU s", "cpu"),
    "Peak memory of training": ("MB", "peak"),
    "Size of the model": ("model MB", "size"),
    "Thousand tokens per second when tagging": ("k tokens/s", "speed"),
    "Points lost without capitals": ("lost", "lost"),
}
"""Columns and fields of figures by the heading of their section."""
_CLEAN, _LOWER = "F1, or accuracy for tags", "lower case"

ByModel: TypeAlias = dict[str, Figures]
ByCorpus: TypeAlias = Mapping[str, ByModel]


def rows_of(corpus: str, measure: str, gold: Labels, runs: Runs) -> tuple[list[Row], ByModel]:
    """Return the rows of all models on a corpus, and their figures."""
    best = best_of(gold, runs)
    rows: list[Row] = []
    figures: ByModel = {}
    for model, ones in runs.items():
        mark = BEST if model in best else ""
        clean = measured(model, f"{corpus}, {measure}", gold, [one.test for one in ones], mark=mark)
        lower = measured(model, f"{corpus}, {_LOWER}", gold, [one.lower for one in ones])
        means = {field: float(np.mean([getattr(one, field) for one in ones])) for field in ("cpu", "peak", "size", "speed")}
        means["speed"] /= 1000
        figures[model] = Figures(f1=clean.ours, best=bool(mark), lower=lower.ours, **means)
        costs = [(column, round(float(getattr(figures[model], field)), 2)) for column, field in COSTS.values()]
        rows += [clean, lower, *(Row(model, f"{corpus}, {column}", value) for column, value in costs)]
    return rows, figures


def sections(measures: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the columns of each section, F1 first; ``measures`` are those of the corpora."""
    columns = {heading: column for heading, (column, _) in COSTS.items()} | {"F1 without capitals": _LOWER}
    first = {_CLEAN: [f"{corpus}, {measure}" for corpus, measure in measures.items()]}
    return first | {heading: [f"{corpus}, {column}" for corpus in measures] for heading, column in columns.items()}


def best_of(gold: Labels, runs: Runs) -> set[str]:
    """Return the model with the best mean F1, and those that the paired bootstrap does not tell from it with every seed."""
    f1 = {model: float(np.mean([score(gold, one.test).f1 for one in ones])) for model, ones in runs.items()}
    top = max(f1, key=lambda model: f1[model])
    return {top} | {model for model in runs if model != top and not _is_worse(gold, runs[model], runs[top])}


def _is_worse(gold: Labels, ones: Sequence[Run], others: Sequence[Run]) -> bool:
    """Return whether every run is worse than the run of the other model with the same seed; one run stands for all seeds."""
    pairs = [(ones[seed % len(ones)], others[seed % len(others)]) for seed in range(max(len(ones), len(others)))]
    tests = (paired_bootstrap(gold, one.test, other.test, draws=_DRAWS) for one, other in pairs)
    return all(test.difference > 0 and test.p_value < _LEVEL for test in tests)


def mean(figures: ByCorpus, model: str, field: str) -> float:
    """Return the mean of a figure of a model over corpora."""
    return float(np.mean([getattr(by_model[model], field) for by_model in figures.values()]))


def means_table(figures: ByCorpus) -> Table:
    """Return the means over corpora."""
    fields = {"F1": "f1", "CPU s": "cpu", "MB": "peak", "model MB": "size", "k tokens/s": "speed", "lost": "lost"}
    lines = []
    for model in _models(figures):
        best = sum(by_model[model].best for by_model in figures.values())
        lines.append([model, *(f"{mean(figures, model, field):.2f}" for field in fields.values()), str(best)])
    return Table("Means over corpora", ["", *fields, f"corpora with {BEST}"], lines)


def advice(figures: ByCorpus) -> str:
    """Return which model to choose when, by the means over corpora."""
    models = _models(figures)

    def by(field: str) -> list[str]:
        return sorted(models, key=lambda model: mean(figures, model, field))

    def value(model: str, field: str) -> str:
        return f"{mean(figures, model, field):.1f}"

    def against_one(model: str) -> str:
        if model == ONE:
            return "the same model"
        difference = mean(figures, model, "f1") - mean(figures, ONE, "f1")
        times = mean(figures, model, "cpu") / mean(figures, ONE, "cpu")
        return f"{difference:+.2f} against {ONE}, for {times:.1f} times its CPU time"

    best, firm, least = by("f1")[-1], by("lower")[-1], by("lower")[0]
    marked = {model: sum(by_model[model].best for by_model in figures.values()) for model in models}
    cheap, dear, quick, slow = by("cpu")[0], by("cpu")[-1], by("speed")[-1], by("speed")[0]
    texts = [
        f"Which to choose, by means over {len(figures)} corpora. {ONE}: {value(ONE, 'f1')} F1 in {value(ONE, 'cpu')} CPU s, "
        f"marked {BEST} on {marked[ONE]} corpora. Highest F1: {best}, {value(best, 'f1')} ({against_one(best)}), marked "
        f"on {marked[best]}.",
        f"If capitals may be missing, take {firm}: it has {value(firm, 'lower')} without them, {ONE} {value(ONE, 'lower')}, "
        f"and {least} {value(least, 'lower')}. On text with capitals it has {value(firm, 'f1')} ({against_one(firm)}).",
        f"Least CPU time: {cheap}; most: {dear} ({value(dear, 'cpu')} s). Least memory: {by('peak')[0]}; smallest files: "
        f"{by('size')[0]}. Fastest when tagging: {quick} with {value(quick, 'speed')} thousand tokens per second; slowest: "
        f"{slow} with {value(slow, 'speed')}.",
    ]
    return " ".join(texts)


def _models(figures: ByCorpus) -> list[str]:
    return list(next(iter(figures.values())))
