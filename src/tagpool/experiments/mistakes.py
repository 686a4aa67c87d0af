"""Likely annotation errors: precision of the first rows, for noisy labels of the same sentences (NoiseBench)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tagpool.auditing.mistakes import Mistake, find_mistakes
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span, spans
from tagpool.experiments.pool_bench import with_time_left
from tagpool.experiments.pool_data import SOURCES, noisebench_corpus
from tagpool.experiments.study import Setting, Study, Table, mean_row

_TOP = 100
_DEPTHS = (20, 50, 100, 200, 500)
_TURNS = {"missed": ("missed",), "spurious": ("spurious",), "changed": ("type", "boundary", "both")}
_IN_TURN, _BY_SCORE = "in turn", "by score"
Spans = Sequence[Sequence[Span]]


@dataclass
class _Figures:
    """Precisions of one source, in percent, one value for each seed."""

    wrong: float  # annotated spans
    count: list[int] = field(default_factory=list)  # disagreements
    any: list[float] = field(default_factory=list)  # precision of all disagreements, in any order
    by_depth: dict[int, list[float]] = field(default_factory=dict)
    by_order: dict[str, list[float]] = field(default_factory=dict)


def run(setting: Setting) -> Study:
    """Run the tables. An interrupt ends the sources; the tables then have the finished ones."""
    corpus = noisebench_corpus(setting)
    clean = [spans(labels) for labels in corpus.labels]
    seeds = setting.seed_numbers()
    study = Study("mistakes", f"Likely annotation errors: precision of the first {_TOP}, in percent")
    results: dict[str, _Figures] = {}
    try:
        for number in with_time_left([1.0] * len(SOURCES), setting.report, SOURCES):
            results[SOURCES[number]] = _measure(corpus, SOURCES[number], clean, seeds)
    except KeyboardInterrupt:
        study.notes.append("The run was interrupted.")
    for source, figures in results.items():
        study.rows += [
            mean_row(source, "wrong spans, %", np.array([figures.wrong])),
            mean_row(source, "random disagreements", np.array(figures.any)),
            mean_row(source, f"first {_TOP}", np.array(figures.by_depth[_TOP])),
        ]
    study.notes += [
        "Each source has labels for the same sentences. A row of the list is right if the source's spans that overlap it differ "
        "from the clean ones.",
        "Wrong spans: share of the annotated spans that the clean labels do not have, the precision of reading the spans in "
        "random order. Random disagreements: precision of the list in random order.",
        f"Folds: 5, by document. Means over {len(seeds)} seeds of the folds, with 95% intervals.",
        "The score was chosen on the source crowd alone. Kinds in turn were chosen after a look at all sources: one list by "
        "score is better for two of them, and worse for the others.",
    ]
    study.tables = [_depth_table(results), _order_table(results)]
    return study


def _measure(corpus: Corpus, source: str, clean: Spans, seeds: Sequence[int]) -> _Figures:
    labels = corpus.column(source)
    annotated = [spans(row) for row in labels]
    wrong = [span not in right for row, right in zip(annotated, clean, strict=True) for span in row]
    figures = _Figures(100 * sum(wrong) / max(len(wrong), 1))
    for seed in seeds:
        # Without the columns of the other sources, which would be features.
        mistakes = find_mistakes(corpus.with_labels(labels).with_columns(["word", "label"]), seed=seed)
        right = [_differs(one, annotated[one.sentence], clean[one.sentence]) for one in mistakes]
        figures.count.append(len(right))
        figures.any.append(_percent(right))
        for depth in _DEPTHS:
            figures.by_depth.setdefault(depth, []).append(_percent(right[:depth]))
        rows = list(zip(mistakes, right, strict=True))
        by_score = sorted(rows, key=lambda row: -row[0].score)
        orders = {_IN_TURN: rows, _BY_SCORE: by_score}
        orders |= {name: [row for row in rows if row[0].kind in kinds] for name, kinds in _TURNS.items()}
        for name, ordered in orders.items():
            figures.by_order.setdefault(name, []).append(_percent([is_right for _, is_right in ordered[:_TOP]]))
    return figures


def _differs(one: Mistake, annotated: Sequence[Span], clean: Sequence[Span]) -> bool:
    """Return whether the annotated spans that overlap a row differ from the clean ones."""
    sides = ({span for span in side if span.start < one.end and one.start < span.end} for side in (annotated, clean))
    return next(sides) != next(sides)


def _percent(values: Sequence[bool]) -> float:
    return 100 * sum(values) / max(len(values), 1)


def _depth_table(results: dict[str, _Figures]) -> Table:
    lines = [
        [source, f"{np.mean(one.count):.0f}", *(f"{np.mean(one.by_depth[depth]):.0f}" for depth in _DEPTHS)]
        for source, one in results.items()
    ]
    return Table("Precision by number of rows", ["", "rows", *(f"first {depth}" for depth in _DEPTHS)], lines)


def _order_table(results: dict[str, _Figures]) -> Table:
    names = [_IN_TURN, _BY_SCORE, *_TURNS]
    lines = [[source, *(f"{np.mean(one.by_order[name]):.0f}" for name in names)] for source, one in results.items()]
    header = ["", "kinds in turn (the list)", "one list by score", *(f"only {name}" for name in _TURNS)]
    return Table(f"Precision of the first {_TOP} by order", header, lines)
