"""TrialTask: the training of one trial, in this process or in another, with pruning by the trials before it."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import TagpoolError
from tagpool.experts.tagger import Tagger
from tagpool.optim.watch import Epoch
from tagpool.tuning.quiet_optuna import import_optuna, quiet
from tagpool.tuning.result import FAILED, FINISHED, PRUNED

FULL_TRIALS = 5  # before a trial is pruned
FULL_EPOCHS = 5  # of a trial before it is pruned
History = Sequence[tuple[float, Mapping[int, float]]]
"""The score of each finished trial, and its scores by epoch."""


@dataclass(frozen=True, eq=False)
class TrialTask:
    """A trial to train. ``end`` is the time (of ``time.time``) when it is stopped; the first trial never is."""

    learner: Any
    train: Corpus
    dev: Corpus
    is_first: bool
    end: float
    history: History


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a trial; ``state`` is None if the time ended first. ``reports`` are the dev scores by epoch."""

    state: str | None
    seconds: float
    score: float | None = None
    error: str | None = None
    reports: dict[int, float] = field(default_factory=dict)


def run_trial(task: TrialTask) -> Outcome:
    """Train and score a learner.

    >>> from tagpool import CRF, builtin_corpus
    >>> task = TrialTask(CRF("word[0]"), builtin_corpus(50), builtin_corpus(20, part="dev"), True, math.inf, [])
    >>> run_trial(task).state
    'finished'
    """
    pruner = _Pruner(task.history)
    stopped: list[str] = []

    def follow(*event: Any) -> bool:
        epoch: Epoch = event[-1]
        is_scored = len(event) == 1 and epoch.score is not None  # the members of a pool have scores of their own
        if is_scored and pruner.prunes(epoch.number, epoch.score or 0.0) and not task.is_first:
            stopped.append(PRUNED)
        if not task.is_first and time.time() >= task.end:
            stopped.insert(0, "time")
        return not stopped

    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # steps that diverged
            task.learner.fit(task.train, dev=task.dev, on_epoch=follow)
    except TagpoolError as error:
        if task.is_first or isinstance(error, MemoryError):
            raise
        return Outcome(FAILED, time.perf_counter() - begun, error=str(error), reports=pruner.reports)
    taken = time.perf_counter() - begun
    if "time" in stopped:
        return Outcome(None, taken)
    return Outcome(PRUNED if stopped else FINISHED, taken, dev_score(task.learner, task.dev), reports=pruner.reports)


class _Pruner:
    """The pruner of Optuna, with a study in memory that has the trials before this one."""

    def __init__(self, history: History) -> None:
        optuna = import_optuna()
        self.reports: dict[int, float] = {}
        with quiet(optuna):
            pruner = optuna.pruners.MedianPruner(n_startup_trials=FULL_TRIALS, n_warmup_steps=FULL_EPOCHS)
            study = optuna.create_study(direction="maximize", pruner=pruner)
            for score, reports in history:
                study.add_trial(optuna.trial.create_trial(value=score, intermediate_values=dict(reports)))
            self._trial = study.ask()

    def prunes(self, epoch: int, score: float) -> bool:
        """Return whether the trial is worse than the median of the others."""
        self.reports[epoch] = score
        self._trial.report(score, epoch)
        return bool(self._trial.should_prune())


def dev_score(learner: Any, dev: Corpus) -> float:
    """Return the F1 of a fitted learner on the dev set, as ``tagpool train`` prints it."""
    stopped_at = learner.summary_["dev"] if isinstance(learner, Tagger) else None
    return float(learner.score(dev) if stopped_at is None else stopped_at)


def end_after(seconds: float) -> float:
    """Return the time in some seconds; infinite for infinite seconds.

    >>> end_after(math.inf)
    inf
    """
    return math.inf if math.isinf(seconds) else time.time() + seconds
