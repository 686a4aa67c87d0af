"""Sentences in the order of ``tagpool suggest``: F1 of a CRF by number of labelled sentences, against random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tagpool.auditing.suggestions import doubts_of, suggestion_order
from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import Split, conll2003, gene_mentions, spanish
from tagpool.experiments.pool_bench import with_time_left
from tagpool.experiments.study import Row, Setting, Study, Table, mean_row
from tagpool.experts.linear.crf import CRF
from tagpool.report.plots import Panel, panels

SUGGESTED, DOUBTFUL, RANDOM = "as suggested", "by expected errors", "random"
_FIRST, _STEP = 100, 1.5  # sentences that are random in every order, and the growth from model to model
_MOST = 6000  # sentences
_ENOUGH = 0.9  # part of the F1 of all sentences
_DEPTH = 65  # F1 below the highest point of the plot


@dataclass
class _Curve:
    """F1 of the models of one order and seed, with the numbers of sentences and tokens that they learned from."""

    sentences: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)

    def needed(self, f1: float, cost: Sequence[int]) -> float:
        """Return the cost at which the curve first reaches an F1, interpolated between its points; that of all if it does not."""
        for place, value in enumerate(self.f1):
            if value >= f1:
                if place == 0:
                    return float(cost[0])
                before, share = self.f1[place - 1], (f1 - self.f1[place - 1]) / (value - self.f1[place - 1])
                return float(cost[place - 1] + share * (cost[place] - cost[place - 1])) if value > before else float(cost[place])
        return float(cost[-1])


def run(setting: Setting) -> Study:
    """Run the tables and the plot. An interrupt ends the runs; the tables then have the finished ones."""
    study = Study("suggest", f"Labels saved until {100 * _ENOUGH:.0f}% of the F1 of all sentences, against random order")
    corpora: dict[str, Callable[[], tuple[Corpus, Corpus]]] = {
        "CoNLL-2003": lambda: _words(conll2003(setting, "bio2")),
        "BC2GM": lambda: _words(gene_mentions(setting, "bio2")),
        "CoNLL-2002, Spanish": lambda: _words(spanish(setting, "bio2")),
    }
    jobs = [(name, seed) for name in corpora for seed in setting.seed_numbers()]
    results: dict[str, dict[str, list[_Curve]]] = {}
    full: dict[str, float] = {}
    try:
        for number in with_time_left([1.0] * len(jobs), setting.report, [f"{name}: seed {seed}" for name, seed in jobs]):
            name, seed = jobs[number]
            train, test = corpora[name]()
            if name not in full:
                full[name] = 100 * CRF().fit(train).score(test)
            sizes = _sizes(setting, len(train))
            for order in (SUGGESTED, DOUBTFUL, RANDOM):
                curve = _learn(train, test, order, seed, sizes)
                results.setdefault(name, {}).setdefault(order, []).append(curve)
    except KeyboardInterrupt:
        study.notes.append("The run was interrupted.")
    study.tables.append(_needed_table(results, full))
    for name, curves in results.items():
        study.rows += _rows(name, curves, full[name])
        study.tables.append(_table(name, curves))
    study.notes += _notes(full, len(setting.seed_numbers()))
    if setting.plots is not None and results:
        shown = [Panel(f"labelled tokens, {name}", _points(curves), logarithmic=True) for name, curves in results.items()]
        study.plots = panels(setting.plots / "suggest", shown, "F1", "F1 by number of labelled tokens", _DEPTH)
    return study


def _words(split: Split) -> tuple[Corpus, Corpus]:
    """Return the words and labels of training and test."""
    return split.train.with_columns(["word", "label"]).drop_empty(), split.test.with_columns(["word", "label"])


def _sizes(setting: Setting, sentences: int) -> list[int]:
    """Return the numbers of labelled sentences.

    >>> _sizes(Setting(quick=True), 2500)
    [100, 150, 225, 337]
    """
    sizes = [_FIRST]
    while (size := int(sizes[-1] * _STEP)) <= (400 if setting.quick else _MOST) and size < sentences:
        sizes.append(size)
    return sizes


def _learn(train: Corpus, test: Corpus, order: str, seed: int, sizes: Sequence[int]) -> _Curve:
    """Return the curve of an order: each model chooses the sentences for the next one."""
    source = random.Random(seed)
    shuffled = source.sample(range(len(train)), len(train))
    labelled, curve = shuffled[: sizes[0]], _Curve(list(sizes))
    for number, size in enumerate(sizes):
        part = train.select(labelled)
        model = CRF(seed=seed).fit(part)
        curve.tokens.append(part.token_count)
        curve.f1.append(100 * model.score(test))
        if number + 1 < len(sizes):
            chosen = set(labelled)
            rest = [one for one in shuffled if one not in chosen]
            labelled = [*labelled, *_choose(model, train, rest, order, sizes[number + 1] - size)]
    return curve


def _choose(model: CRF, train: Corpus, rest: Sequence[int], order: str, count: int) -> list[int]:
    """Return the next sentences."""
    if order == RANDOM:
        return list(rest[:count])
    part = train.select(rest)
    doubts = doubts_of(model, part)
    if order == SUGGESTED:
        return [rest[place] for place in islice(suggestion_order(part.words, doubts), count)]
    return [rest[place] for place in sorted(range(len(rest)), key=lambda place: -float(doubts[place].sum()))[:count]]


def _rows(name: str, curves: Mapping[str, Sequence[_Curve]], full: float) -> list[Row]:
    """Return the shares of the sentences and tokens that an order saves."""
    rows = []
    for what in ("sentences", "tokens"):
        needed = _needed(curves, what, full)
        for order in (SUGGESTED, DOUBTFUL):
            saved = 100 * (1 - needed[order] / needed[RANDOM][: len(needed[order])])
            rows.append(mean_row(f"{name}, {order}", f"{what} saved, %", saved))
    return rows


def _needed(curves: Mapping[str, Sequence[_Curve]], what: str, full: float) -> dict[str, NDArray[np.float64]]:
    """Return the sentences or tokens that each order needs, one number for each seed."""
    wanted = _ENOUGH * full
    return {order: np.array([one.needed(wanted, getattr(one, what)) for one in lines]) for order, lines in curves.items()}


def _needed_table(results: Mapping[str, Mapping[str, Sequence[_Curve]]], full: Mapping[str, float]) -> Table:
    lines = []
    for name, curves in results.items():
        sentences, tokens = (_needed(curves, what, full[name]) for what in ("sentences", "tokens"))
        lines += [[f"{name}, {order}", f"{sentences[order].mean():,.0f}", f"{tokens[order].mean():,.0f}"] for order in curves]
    return Table("Labels that are needed", ["", "sentences", "tokens"], lines)


def _table(name: str, curves: Mapping[str, Sequence[_Curve]]) -> Table:
    sizes = curves[RANDOM][0].sentences
    lines = [[order, *(f"{np.mean(values):.1f}" for values in _by_size(lines))] for order, lines in curves.items()]
    return Table(f"{name}: F1 by number of sentences", ["", *(f"{size:,}" for size in sizes)], lines)


def _by_size(curves: Sequence[_Curve]) -> list[tuple[float, ...]]:
    return list(zip(*(one.f1 for one in curves), strict=True))


def _points(curves: Mapping[str, Sequence[_Curve]]) -> dict[str, list[tuple[float, float]]]:
    return {
        order: [
            (float(np.mean(tokens)), float(np.mean(values)))
            for tokens, values in zip(zip(*(one.tokens for one in lines), strict=True), _by_size(lines), strict=True)
        ]
        for order, lines in curves.items()
    }


def _notes(full: Mapping[str, float], seeds: int) -> list[str]:
    return [
        f"F1 of a CRF with its defaults, trained on all sentences: {', '.join(f'{name} {f1:.1f}' for name, f1 in full.items())}.",
        f"The first {_FIRST} sentences are random. Then each model chooses the sentences for the next one, half as many as it "
        "learned from. Needed sentences and tokens are interpolated between the models.",
        f"Means over {seeds} seeds of the first sentences, with 95% intervals.",
        "By expected errors: the sentences with most expected wrong labels, which are long. So tokens show the work better.",
        "The order was chosen on CoNLL-2003 alone, among 14.",
    ]
