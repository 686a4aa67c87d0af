"""Order in which sentences are checked: F1 of a stack by number of gold tokens, for several orders.

Half of the documents are candidates, the other half are test documents. The orders are compared at equal numbers of tokens, since
checking a long sentence takes longer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tagpool.experiments.pool_bench import PoolBench, with_time_left
from tagpool.experiments.pool_data import GoldSample, crowd, noisebench
from tagpool.experiments.study import Setting, Study, Table, mean_row
from tagpool.pools.beliefs import expected_errors
from tagpool.pools.checking_order import checking_order
from tagpool.pools.stacked.training import StackSettings, StackTraining
from tagpool.report.plots import Panel, panels

Points = dict[str, dict[int, list[float]]]  # F1 of the splits, by order and number of tokens
SUGGESTED, DOUBTFUL, RANDOM = "as suggested", "by expected errors", "random"
_TOKENS, _QUICK_TOKENS = (500, 1000, 2000, 4000), (200,)
_RANDOM_ORDERS = 3  # of every split; their mean is compared
_FOLDS = 5
_DEPTH = 14  # F1 below the highest point of the plot


def run(setting: Setting) -> Study:
    """Run the tables and the plot. An interrupt ends the splits; the tables then have the finished ones."""
    study = Study("pools-order", "Order in which sentences are checked: gain in F1 over random order, by number of gold tokens")
    results: dict[str, Points] = {}
    try:
        for name, data in (("noisebench", noisebench(setting)), ("crowd", crowd(setting, "test")[0])):
            setting.report(name)
            bench = PoolBench.of(data, setting.report, peers=False)
            points: Points = {SUGGESTED: {}, DOUBTFUL: {}, RANDOM: {}}
            seeds = setting.seed_numbers()
            results[name] = points
            texts = [f"{name}: split {seed} of {len(seeds)}" for seed in seeds]
            for number in with_time_left([1.0] * len(seeds), setting.report, texts):
                _add_split(bench, points, seeds[number], _QUICK_TOKENS if setting.quick else _TOKENS)
    except KeyboardInterrupt:
        study.complete = False
        study.notes.append("The run was interrupted.")
    for name, points in results.items():
        for order in (SUGGESTED, DOUBTFUL):
            for tokens, values in points[order].items():
                gains = np.array(values) - np.array(points[RANDOM][tokens][: len(values)])
                study.rows.append(mean_row(f"{name}, {order}", f"{tokens:,} tokens", gains))
        study.tables.append(_table(name, points))
    count = max((len(values) for points in results.values() for values in points[RANDOM].values()), default=0)
    study.notes += [
        f"Mean gain over random order in {count} random splits of the documents: one half to choose from, one half for the test. "
        "With 95% intervals over the splits. Splits share documents, so that the intervals are somewhat too narrow.",
        "Random order is the mean of three. The stack has default settings and no cross-validation.",
        "The order was chosen among 23 on six further splits of the same documents, so that the gains may be somewhat too high.",
    ]
    if setting.plots is not None and count:
        shown = [
            Panel(
                f"gold tokens, {name}",
                {order: [(tokens, float(np.mean(values))) for tokens, values in line.items()] for order, line in points.items()},
                logarithmic=True,
            )
            for name, points in results.items()
        ]
        study.plots = panels(setting.plots / "pools-order", shown, "F1", "F1 of stacking by order of the gold sentences", _DEPTH)
    return study


def _add_split(bench: PoolBench, points: Points, seed: int, sizes: Sequence[int]) -> None:
    """Add the F1 of every order and number of tokens for a split of the documents."""
    data, source = bench.data, random.Random(1000 + seed)
    documents = sorted(set(data.documents))
    source.shuffle(documents)
    test_documents = set(documents[: len(documents) // 2])
    test = [number for number, document in enumerate(data.documents) if document in test_documents]
    candidates = [number for number, document in enumerate(data.documents) if document not in test_documents]
    part = data.select(candidates)
    suggested = checking_order(bench.unsupervised, part.experts, words=part.words)
    doubt = expected_errors(bench.unsupervised, part.experts, words=part.words)
    doubtful = sorted(range(len(candidates)), key=lambda number: -doubt[number])
    shuffled = [source.sample(range(len(candidates)), len(candidates)) for _ in range(_RANDOM_ORDERS)]
    for tokens in sizes:
        for name, orders in ((SUGGESTED, [suggested]), (DOUBTFUL, [doubtful]), (RANDOM, shuffled)):
            scores = []
            for order in orders:
                lengths = np.cumsum([len(part.words[number]) for number in order])
                gold = [candidates[number] for number in order[: int(np.searchsorted(lengths, tokens)) + 1]]
                scores.append(_f1_of_stack(bench, GoldSample(sorted(gold), test)))
            points[name].setdefault(tokens, []).append(float(np.mean(scores)))


def _f1_of_stack(bench: PoolBench, sample: GoldSample) -> float:
    """Return the test F1 of a stack with default settings, without cross-validation."""
    sentences = replace(bench.sentences, gold=sample.rows(bench.data))
    training = StackTraining.of(sentences, bench.data.documents, _FOLDS, seed=1)
    stack = training.fit(range(len(sample.gold)), StackSettings(virtual=True), copies=True)
    return bench.data.select(sample.test).f1(stack.predict(sentences.select(sample.test).corpus()))


def _table(name: str, points: Points) -> Table:
    sizes = list(points[SUGGESTED])
    lines = [[order, *(f"{np.mean(values):.1f}" for values in line.values())] for order, line in points.items()]
    return Table(f"{name}: F1", ["", *(f"{size:,} tokens" for size in sizes)], lines)
