"""Pools of four noisy experts (NoiseBench): every method by number of gold sentences, drawn by document and by sentence."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import conll2003
from tagpool.experiments.pool_bench import AUTO, BEST, MAJORITY, STACKING, Figures, PoolBench, Trial, with_time_left
from tagpool.experiments.pool_data import NOISY, STRONG, draw_gold, noisebench
from tagpool.experiments.study import Setting, Study, Table
from tagpool.pools.distillation import distill

_SIZES, _QUICK_SIZES = (30, 100, 300, 1000), (30, 100)
_LARGE = 1000  # gold sentences of which fewer samples are drawn
_LARGE_EVERY, _STRONG_EVERY = 5, 4  # samples of which one has the large size, and one the strong experts
_VOTES_EVERY = 4  # samples of which one has the methods other than stacking
_PRECISION = 0.95
_DISTILLED = 3  # samples
_WAYS = {"document": True, "sentence": False}
_NOISY_SET, _STRONG_SET = "four noisy experts", "strong experts"


@dataclass(frozen=True)
class Job:
    """A sample of gold sentences for a set of experts."""

    experts: str
    size: int
    way: str
    seed: int

    @property
    def condition(self) -> str:
        """Column of the table."""
        return f"{self.size:,} by {self.way}"

    @property
    def cost(self) -> float:
        """Seconds, about."""
        return 9 + self.size / 15

    def __str__(self) -> str:
        return f"{self.experts}: {self.size:,} gold sentences by {self.way}, sample {self.seed}"


@dataclass
class Results:
    """Figures of the finished jobs."""

    f1: Figures = field(default_factory=Figures)
    strong: Figures = field(default_factory=Figures)
    finished: list[Job] = field(default_factory=list)
    gains: list[tuple[Job, float, str]] = field(default_factory=list)  # auto minus majority, and the choice
    losses: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    precisions: dict[str, list[tuple[float, float] | None]] = field(default_factory=dict)
    distilled: list[tuple[float, float, float, float, float]] = field(default_factory=list)


def run(setting: Setting) -> Study:
    """Run all tables. An interrupt ends the samples; the tables then have the finished ones."""
    data = noisebench(setting)
    sizes = [size for size in (_QUICK_SIZES if setting.quick else _SIZES) if size < len(data)]
    benches = {
        _NOISY_SET: PoolBench.of(data, setting.report),
        _STRONG_SET: PoolBench.of(noisebench(setting, STRONG), setting.report, peers=False),
    }
    results = Results()
    for name, figures in ((_NOISY_SET, results.f1), (_STRONG_SET, results.strong)):
        figures.add(benches[name], benches[name].labels, "0")
    jobs = _jobs(sizes, len(setting.seed_numbers()))
    middle = sizes[-2] if len(sizes) > 2 else sizes[-1]
    interrupted = False
    try:
        for number in with_time_left([job.cost for job in jobs], setting.report, [*map(str, jobs)]):
            _run_job(jobs[number], benches[jobs[number].experts], results, middle, setting)
    except KeyboardInterrupt:
        interrupted = True
    study = _study(sizes, middle, results, [*benches[_NOISY_SET].notes, *(["The run was interrupted."] if interrupted else [])])
    study.complete = not interrupted
    return study


def _jobs(sizes: Sequence[int], samples: int) -> list[Job]:
    """Return the jobs, so that an interrupted run has about as many samples of each size."""
    jobs = []
    for seed in range(1, samples + 1):
        for size in sizes:
            if size < _LARGE or seed % _LARGE_EVERY == 1:
                jobs += [Job(_NOISY_SET, size, way, seed) for way in _WAYS]
            if size < _LARGE and seed % _STRONG_EVERY == 1:
                jobs.append(Job(_STRONG_SET, size, "document", seed))
    return jobs


def _run_job(job: Job, bench: PoolBench, results: Results, middle: int, setting: Setting) -> None:
    noisy = job.experts == _NOISY_SET
    sample = draw_gold(bench.data, job.size, job.seed, by_document=_WAYS[job.way])
    others = noisy and job.seed % _VOTES_EVERY == 1
    trial = bench.run(sample, votes=others, regression=others)
    scores = (results.f1 if noisy else results.strong).add(bench, trial.labels, job.condition, sample.test)
    results.gains.append((job, scores[AUTO] - scores[MAJORITY], trial.choice))
    if noisy and job.size == middle:
        results.losses.setdefault(job.way, []).append(bench.f1_without(trial))
        results.precisions.setdefault(job.way, []).append(bench.precision(trial, _PRECISION))
        if job.way == "document" and job.seed <= _DISTILLED:
            results.distilled.append(_distill(bench, trial, setting))
    results.finished.append(job)


def _distill(bench: PoolBench, trial: Trial, setting: Setting) -> tuple[float, float, float, float, float]:
    """Return the F1 of the pool and of the distilled tagger on the test sentences, that on new text, and tokens per second.

    The last value is the F1 on new text of a tagger that was trained on the gold labels of all sentences.
    """
    data, test = bench.data, trial.sample.test
    new = conll2003(setting, "bio2").dev
    tagger = distill(trial.stack, data.experts, data.words, gold=trial.sample.rows(data))
    start = time.perf_counter()
    labels = tagger.predict(new)
    seconds = time.perf_counter() - start
    reference = type(tagger)().fit(data.words, data.gold)
    tokens = sum(len(row) for row in new.words)
    return (
        data.f1(trial.labels[STACKING], test),
        data.f1(tagger.predict(data.words), test),
        _f1(new.labels, labels),
        tokens / seconds,
        _f1(new.labels, reference.predict(new)),
    )


def _f1(gold: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> float:
    return 100 * float(score(gold, labels).f1)


def _study(sizes: Sequence[int], middle: int, results: Results, notes: Sequence[str]) -> Study:
    study = Study("pools-noisebench", "Pools of four noisy experts (NoiseBench): F1 by number of gold sentences")
    conditions = ["0", *(f"{size:,} by {way}" for way in _WAYS for size in sizes)]
    study.rows = results.f1.rows(conditions)
    counts = {row.metric: row.samples for row in study.rows if row.row == MAJORITY}
    fewer = {row.metric: row.samples for row in study.rows if row.row == BEST}
    study.notes += [
        "Mean F1 ± standard deviation over random samples of gold sentences. Samples: "
        + ", ".join(f"{condition}: {counts[condition]}" for condition in conditions if condition in counts)
        + ".",
        f"Votes, the CRF on words and scikit-learn with gold labels have one of {_VOTES_EVERY} samples: "
        + ", ".join(f"{condition}: {fewer[condition]}" for condition in conditions if condition in fewer)
        + ".",
        f"Experts: {', '.join(NOISY)}. Gold by document: whole documents (the last one cut), tested on documents without gold; "
        "by sentence: tested on all other sentences. Sentences without gold are used without their labels.",
        "The pool without gold labels (CRF-EM) is fitted once on all sentences; its labels do not depend on the gold sentences. "
        "Methods without gold labels are scored on the same test sentences as the others.",
        "Votes (majority of VotePool, best expert, mvote, espboost, sle) have BIO2 decoding, as stacking has, unless stated. "
        "Peers have their defaults and no BIO2 decoding.",
        *notes,
    ]
    study.tables = [
        *_strong_table(sizes, results),
        _gain_table(results),
        _missing_table(middle, results),
        _precision_table(middle, results),
        *_distilled_table(middle, results),
    ]
    return study


def _spread(values: Sequence[float], digits: int = 1) -> str:
    spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def _strong_table(sizes: Sequence[int], results: Results) -> list[Table]:
    rows = results.strong.rows(["0", *(f"{size:,} by document" for size in sizes)])
    metrics = list(dict.fromkeys(row.metric for row in rows))
    counts = {row.metric: row.samples for row in rows}
    cells = {
        (row.row, row.metric): f"{row.ours:.1f}" + (f" ± {row.spread:.1f}" if row.spread is not None else "") for row in rows
    }
    names = dict.fromkeys(row.row for row in rows)
    lines = [[name, *(cells.get((name, metric), "") for metric in metrics)] for name in names]
    header = ["", *(f"{metric} (n = {counts[metric]})" for metric in metrics)]
    return [Table(f"Strong experts ({', '.join(STRONG)}): F1", header, lines)]


def _gain_table(results: Results) -> Table:
    lines = []
    for experts in (_NOISY_SET, _STRONG_SET):
        gains = [(gain, choice) for job, gain, choice in results.gains if job.experts == experts]
        if not gains:
            continue
        values = [gain for gain, _ in gains]
        choices = {name: sum(choice == name for _, choice in gains) for name in sorted({choice for _, choice in gains})}
        below = sum(value < -0.5 for value in values)
        cells = [f"{np.mean(values):+.1f}", f"{min(values):+.2f}", f"{below} of {len(values)}"]
        lines.append([experts, *cells, ", ".join(f"{name} {count}" for name, count in choices.items())])
    header = ["", "mean", "worst", "samples more than 0.5 below", "chosen methods"]
    return Table("F1 of auto minus majority, all sizes", header, lines)


def _missing_table(size: int, results: Results) -> Table:
    lines = []
    for way, losses in results.losses.items():
        means = {name: float(np.mean([row[name] for row in losses])) for name in losses[0]}
        by_expert = [f"{means[name]:.1f}" for name in NOISY]
        lines.append(
            [f"by {way}", *by_expert, f"{np.mean([*means.values()]):.1f}", f"{max(means.values()):.1f}", str(len(losses))]
        )
    return Table(
        f"F1 lost when an expert is missing at test time, stacking with {size:,} gold sentences",
        ["", *NOISY, "mean", "worst expert", "samples"],
        lines,
    )


def _precision_table(size: int, results: Results) -> Table:
    lines = []
    for way, values in results.precisions.items():
        reached = [value for value in values if value is not None]
        holds = sum(precision >= 100 * _PRECISION for precision, _ in reached)
        lines.append(
            [
                f"by {way}",
                _spread([precision for precision, _ in reached]) if reached else "",
                f"{min((precision for precision, _ in reached), default=0.0):.1f}",
                _spread([0.0 if value is None else value[1] for value in values]),
                f"{holds} of {len(reached)}",
                str(len(values) - len(reached)),
            ]
        )
    return Table(
        f"Spans above the threshold for {100 * _PRECISION:.0f}% precision, stacking with {size:,} gold sentences",
        ["", "precision on test", "least", "share of spans kept, %", "precision holds", "samples without a threshold"],
        lines,
    )


def _distilled_table(size: int, results: Results) -> list[Table]:
    if not results.distilled:
        return []
    pool, same, new, speed, reference = zip(*results.distilled, strict=True)
    line = [_spread(pool), _spread(same), _spread(new), _spread(reference), f"{np.median(speed):,.0f}", str(len(pool))]
    header = ["pool", "distilled, same text", "distilled, new text", "CRF on all gold, new text", "tokens per second", "samples"]
    return [
        Table(
            f"Distilled CRF (no experts needed), F1; {size:,} gold sentences by document; new text: CoNLL-2003 testa",
            header,
            [line],
        )
    ]
