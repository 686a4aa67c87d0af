"""Pools of crowd workers (Rodrigues et al. 2014): without gold labels and with few."""

from __future__ import annotations

from tagpool.experiments.pool_bench import Figures, PoolBench, with_time_left
from tagpool.experiments.pool_data import crowd, draw_gold
from tagpool.experiments.study import Setting, Study

_PARTS = ("val", "test")
_SIZES, _QUICK_SIZES = (30, 100, 300), (30,)


def run(setting: Setting) -> Study:
    """Run the tables. An interrupt ends the samples; the tables then have the finished ones."""
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
    sizes = [size for size in (_QUICK_SIZES if setting.quick else _SIZES) if size < len(bench.data)]
    try:
        seeds = setting.seed_numbers()
        for number in with_time_left([1.0] * len(seeds), setting.report, [f"sample {seed} of {len(seeds)}" for seed in seeds]):
            for size in sizes:
                setting.report(f"{size:,} gold sentences")
                sample = draw_gold(bench.data, size, seeds[number], by_document=True)
                figures.add(bench, bench.run(sample, votes=False).labels, _condition(size), sample.test)
    except KeyboardInterrupt:
        study.complete = False
        study.notes.append("The run was interrupted.")
    conditions = [*(f"{part}, 0" for part in _PARTS), *(_condition(size) for size in sizes)]
    study.rows = figures.rows(conditions)
    counts = {row.metric: row.samples for row in study.rows}
    study.notes += [
        "Mean F1 ± standard deviation over random samples of gold sentences, by document, tested on documents without gold. "
        "Samples: " + ", ".join(f"{name}: {counts[name]}" for name in conditions[2:] if name in counts) + ".",
        *bench.notes,
    ]
    return study


def _condition(size: int) -> str:
    return f"test, {size:,}"
