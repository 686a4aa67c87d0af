"""Today's users: seven models with their defaults on eight corpora. F1, costs, and F1 of text without capitals."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from tagpool.errors import InputError
from tagpool.experiments.study import Setting, Study
from tagpool.experiments.users_corpora import SOURCES, Source, read_split, write_split
from tagpool.experiments.users_crfsuite import CRFSUITE, SETTINGS, check_installed
from tagpool.experiments.users_figures import BEST, ByCorpus, ByModel, Runs, advice, mean, means_table, rows_of, sections
from tagpool.experiments.users_models import MEMBERS, MODELS, STACK_SENTENCES
from tagpool.experiments.users_processes import Labels, Run, measure
from tagpool.report.plots import Panel, panels
from tagpool.wording import counted

_MARGIN = 1.2  # height of the plot, as a multiple of the range of F1


def run(setting: Setting) -> Study:
    """Run the tables and the plot. Each training and each tagging is a process with one thread."""
    study = Study("users", "Which model to use: F1, costs, and text without capitals")
    load, missing = [_load()], _missing()
    figures: dict[str, ByModel] = {}
    for corpus, source in SOURCES.items():
        if source.quick or not setting.quick:
            gold, runs = _run_corpus(corpus, source, setting, with_peer=not missing)
            rows, figures[corpus] = rows_of(corpus, source.measure, gold, runs)
            study.rows += rows
    load.append(_load())
    study.sections = sections({corpus: SOURCES[corpus].measure for corpus in figures})
    study.notes = [advice(figures), *_notes(len(setting.seed_numbers())), *missing, _machine(load, with_peer=not missing)]
    study.tables = [means_table(figures)]
    if setting.plots is not None:
        study.plots = _plot(setting.plots / "users", figures)
    return study


def _missing() -> list[str]:
    """Return a note if python-crfsuite is not installed."""
    try:
        check_installed()
    except InputError as error:
        return [f"{CRFSUITE} has no row: {error}."]
    return []


def _run_corpus(corpus: str, source: Source, setting: Setting, *, with_peer: bool) -> tuple[Labels, Runs]:
    """Return the gold labels of the test sentences, and the runs of every model, one for each seed."""
    split = read_split(source, setting)
    runs: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "corpus")
        write_split(split, files)
        for model in (*MODELS, *([CRFSUITE] if with_peer else [])):
            # python-crfsuite draws no random numbers: every seed would give the same model.
            is_peer = model == CRFSUITE
            for seed in setting.seed_numbers()[:1] if is_peer else setting.seed_numbers():
                place = Path(folder, f"{model.replace(' ', '-')}-{seed}.model")
                one = measure("users_crfsuite" if is_peer else "users_models", model, files, place, seed)
                setting.report(f"{corpus}: {model}, seed {seed}: {one.cpu:.1f} CPU s")
                runs.setdefault(model, []).append(one)
    return split.test.labels, runs


def _plot(path: Path, figures: ByCorpus) -> list[str]:
    models = list(next(iter(figures.values())))
    f1 = {model: mean(figures, model, "f1") for model in models}
    parts = [
        Panel(across, {model: [(mean(figures, model, field), f1[model])] for model in models}, logarithmic=True)
        for across, field in (("CPU seconds of training", "cpu"), ("thousand tokens per second when tagging", "speed"))
    ]
    depth = max(_MARGIN * (max(f1.values()) - min(f1.values())), 1.0)
    return panels(path, parts, "F1 or accuracy", f"F1 against costs, means over {len(figures)} corpora", depth)


def _notes(seeds: int) -> list[str]:
    """Return what the figures are."""
    return [
        f"{BEST}: the highest F1, and every model that is not worse by a paired bootstrap over sentences with p < 0.05 for every "
        f"seed (each pair is one test, without a correction for their number). Means over {counted(seeds, 'seed')}; "
        f"{CRFSUITE} has no random numbers and one run.",
        "All models have the words as their only column, and the defaults of fit in Python: no further column, list or cluster, "
        "and no tuned penalty. The dev part ends the training (robust CRF: and chooses its share); where a corpus has "
        "none (CoNLL-2000, GROBID), every tenth training sentence is dev. Spans are BIO2.",
        "robust CRF: robust='auto'. It equals one CRF where every share of changed copies costs more than 0.2 points on dev "
        "(robust_cost).",
        f"stacked pool: {', '.join(MEMBERS)}; a StackedPool on their labels of {STACK_SENTENCES:,} "
        "training sentences (all, if there are fewer) at equal distances, by cross_val_predict with five folds. Stacks are made "
        "for few gold sentences; one on all training sentences of a large corpus takes minutes. GROBID: authors in citations; "
        "F1 of the parts of names. EWT tags: universal parts of speech.",
        f"{CRFSUITE}: the features of its tutorial without parts of speech, c1={SETTINGS['c1']}, c2={SETTINGS['c2']}, "
        f"{SETTINGS['max_iterations']} iterations; it does not use dev.",
        "CPU seconds: user and system time of a process from its start to the written model. Tokens per second: from lists of "
        "words to labels, CPU time of the first call with the test sentences. Without capitals: the test words in lower case.",
    ]


def _machine(load: Sequence[str], *, with_peer: bool) -> str:
    libraries = [("tagpool", "tagpool"), *([(CRFSUITE, CRFSUITE)] if with_peer else [])]
    versions = ", ".join(f"{name} {version(package)}" for name, package in libraries)
    return (
        f"Run on {platform.machine()} with {os.cpu_count()} cores, one thread for each process and one process at a time; load "
        f"average {load[0]} at the beginning, {load[-1]} at the end. Python {platform.python_version()}, {versions}. Times vary "
        "with the load."
    )


def _load() -> str:
    """Return the load averages of 1, 5 and 15 minutes, if the system has them."""
    read: Callable[[], tuple[float, ...]] | None = getattr(os, "getloadavg", None)
    return "unknown" if read is None else " ".join(f"{value:.2f}" for value in read())
