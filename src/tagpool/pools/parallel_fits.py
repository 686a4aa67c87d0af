"""Parallel training of several learners in threads (native training releases the interpreter lock)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.optim.watch import Epoch
from tagpool.pools.bagging.label_wise import expand_labels

OnEpoch = Callable[[str, Epoch], object]


@dataclass(frozen=True, eq=False)
class Job:
    """One learner to fit, with the name of its bag."""

    name: str
    expert: Expert
    train: Corpus
    dev: Any = None
    sample_weight: Any = None
    labels: Sequence[str] | None = None
    """All labels, for a learner that is trained with some of them merged."""


def variant(expert: Expert, **changes: Any) -> Expert:
    """Return an unfitted copy with other parameters.

    >>> from tagpool import CRF
    >>> variant(CRF("ner", l2=0.5), templates="word[0]")
    CRF(templates='word[0]', l2=0.5)
    """
    parameters: Mapping[str, Any] = expert.get_params(deep=False)
    copy = type(expert)(**{**parameters, **changes})
    copy._dev_scheme = expert._dev_scheme
    return copy


def fit_all(jobs: Sequence[Job], threads: int, on_epoch: OnEpoch | None = None) -> None:
    """Fit all jobs; the result does not depend on ``threads``. An error stops all jobs; the error of the first job is raised."""
    stopped = threading.Event()
    lock = threading.Lock()

    def report(job: Job, epoch: Epoch) -> object:
        if stopped.is_set():
            return False
        if on_epoch is None:
            return None
        with lock:  # one call of on_epoch at a time
            return on_epoch(job.name, epoch)

    def run(job: Job) -> None:
        if stopped.is_set():
            return
        try:
            job.expert.fit(job.train, dev=job.dev, sample_weight=job.sample_weight, on_epoch=lambda epoch: report(job, epoch))
            if job.labels is not None:
                expand_labels(job.expert, job.labels)
        except InputError as error:
            raise InputError(f"bag {job.name!r}: {error}") from None

    with ThreadPoolExecutor(max_workers=max(1, min(threads, len(jobs)))) as workers:
        futures = [workers.submit(run, job) for job in jobs]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:  # stop the other jobs after an error or Ctrl-C
            stopped.set()
    for future in futures:
        future.result()
