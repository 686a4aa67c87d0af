"""Pools of crowd workers (Rodrigues et al. 2014): without gold labels, with few, and with doubtful sentences first."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from tagpool.experiments.pool_bench import Figures, PoolBench, with_time_left
from tagpool.experiments.pool_data import GoldSample, crowd, draw_gold
from tagpool.experiments.study import Setting, Study, Table
from tagpool.pools.beliefs import expected_errors
from tagpool.pools.stacked.training import StackSettings, StackTraining
from tagpool.pools.votes.ballots import FloatArray
from tagpool.report.plots import curves

Curve = dict[str, dict[int, list[tuple[float, int]]]]  # F1 and gold tokens of the samples, by order and number of sentences
_PARTS = ("val", "test")
_SIZES, _QUICK_SIZES = (30, 100, 300), (30,)
_CURVE, _QUICK_CURVE = (30, 60, 120, 240), (10, 20)
_DOUBT, _RANDOM, _AS_LONG = "by expected errors", "random", "random, as many tokens"
_FOLDS = 5


def run(setting: Setting) -> Study:
    """Run the tables and the plot. An interrupt ends the samples; the tables then have the finished ones."""
    study = Study("pools-crowd", "Pools of crowd workers: F1 on CoNLL-2003 by number of gold sentences")
    figures = Figures()
    benches: dict[str, PoolBench] = {}
    for part in _PARTS:
        data, count = crowd(setting, part)
        setting.report(f"{part}: {len(data):,} sentences, {len(data.experts)} workers")
        benches[part] = PoolBench.of(data, setting.report)
        figures.add(benches[part], benches[part].labels, f"{part}, 0")
        study.notes.append(
            f"{part}: {len(data):,} sentences of {len(set(data.documents))} documents, {len(data.experts)} workers; "
            f"{count} further sentences have no worker and are left out."
        )
    bench = benches["test"]
    curve: Curve = {_DOUBT: {}, _RANDOM: {}, _AS_LONG: {}}
    sizes = [size for size in (_QUICK_SIZES if setting.quick else _SIZES) if size < len(bench.data)]
    try:
        doubt = expected_errors(bench.unsupervised, bench.data.experts, words=bench.data.words)
        seeds = setting.seed_numbers()
        for number in with_time_left([1.0] * len(seeds), setting.report, [f"sample {seed} of {len(seeds)}" for seed in seeds]):
            _add_points(bench, curve, doubt, seeds[number], setting)
            for size in sizes:
                setting.report(f"{size:,} gold sentences")
                sample = draw_gold(bench.data, size, seeds[number], by_document=True)
                figures.add(bench, bench.run(sample, votes=False).labels, _condition(size), sample.test)
    except KeyboardInterrupt:
        study.notes.append("The run was interrupted.")
    conditions = [*(f"{part}, 0" for part in _PARTS), *(_condition(size) for size in sizes)]
    study.rows = figures.rows(conditions)
    counts = {row.metric: row.samples for row in study.rows}
    study.notes += [
        "Mean F1 ± standard deviation over random samples of gold sentences, by document, tested on documents without gold. "
        "Samples: " + ", ".join(f"{name}: {counts[name]}" for name in conditions[2:] if name in counts) + ".",
        *bench.notes,
    ]
    study.tables.append(_curve_table(curve))
    if setting.plots is not None and curve[_DOUBT]:
        lines = {
            order: [float(np.mean([f1 for f1, _ in values])) for values in points.values()] for order, points in curve.items()
        }
        title = "Gold sentences by expected errors and in random order (crowd workers)"
        study.plots = curves(setting.plots / "pools-crowd", list(curve[_DOUBT]), lines, "gold sentences", "F1", title)
    return study


def _condition(size: int) -> str:
    return f"test, {size:,}"


def _add_points(bench: PoolBench, curve: Curve, doubt: FloatArray, seed: int, setting: Setting) -> None:
    """Add the F1 and the number of gold tokens of every order and size. Half of the documents are candidates, half are test."""
    data, source = bench.data, random.Random(seed)
    lengths = [len(row) for row in data.words]
    documents = sorted(set(data.documents))
    source.shuffle(documents)
    test_documents = set(documents[: len(documents) // 2])
    test = [number for number, document in enumerate(data.documents) if document in test_documents]
    candidates = [number for number, document in enumerate(data.documents) if document not in test_documents]
    source.shuffle(candidates)
    doubtful = sorted(candidates, key=lambda number: -doubt[number])
    for size in _QUICK_CURVE if setting.quick else _CURVE:
        setting.report(f"order of gold sentences: {size}")
        tokens = sum(lengths[number] for number in doubtful[:size])
        as_long = int(np.searchsorted(np.cumsum([lengths[number] for number in candidates]), tokens)) + 1
        orders = {_DOUBT: doubtful[:size], _RANDOM: candidates[:size], _AS_LONG: candidates[:as_long]}
        for order, gold in orders.items():
            f1 = _f1_of_stack(bench, GoldSample(sorted(gold), test))
            curve[order].setdefault(size, []).append((f1, sum(lengths[number] for number in gold)))


def _f1_of_stack(bench: PoolBench, sample: GoldSample) -> float:
    """Return the test F1 of a stack with default settings, without cross-validation."""
    sentences = replace(bench.sentences, gold=sample.rows(bench.data))
    training = StackTraining.of(sentences, bench.data.documents, _FOLDS, seed=1)
    stack = training.fit(range(len(sample.gold)), StackSettings(virtual=True), copies=True)
    return bench.data.select(sample.test).f1(stack.predict(sentences.select(sample.test).corpus()))


def _curve_table(curve: Curve) -> Table:
    sizes = list(curve[_DOUBT])
    lines = []
    for order, points in curve.items():
        cells = []
        for values in points.values():
            f1 = [value for value, _ in values]
            spread = f" ± {np.std(f1, ddof=1):.1f}" if len(f1) > 1 else ""
            cells.append(f"{np.mean(f1):.1f}{spread} ({np.mean([tokens for _, tokens in values]):,.0f})")
        lines.append([order, *cells])
    count = len(next(iter(curve[_DOUBT].values()), []))
    title = f"Order of the gold sentences: F1 of stacking (gold tokens), {count} splits of the test documents into halves"
    return Table(title, ["", *(f"{size} sentences" for size in sizes)], lines)
