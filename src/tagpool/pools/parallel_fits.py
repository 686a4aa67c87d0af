"""Fits side by side: several experts trained at once, each in a thread of its own (training does not hold the interpreter)."""

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
from tagpool.pools.bagging.label_wise import widen

OnEpoch = Callable[[str, Epoch], object]


@dataclass(frozen=True, eq=False)
class Job:
    """One expert to be fitted, and the name of its bag."""

    name: str
    expert: Expert
    train: Corpus
    dev: Any = None
    sample_weight: Any = None
    labels: Sequence[str] | None = None
    """Those it is to have where it was trained on merged ones."""


def variant(expert: Expert, **changes: Any) -> Expert:
    """An expert like this one, not fitted, with other parameters.

    >>> from tagpool import CRF
    >>> variant(CRF("ner", l2=0.5), templates="word[0]")
    CRF(templates='word[0]', l2=0.5)
    """
    parameters: Mapping[str, Any] = expert.get_params(deep=False)
    made = type(expert)(**{**parameters, **changes})
    made._dev_scheme = expert._dev_scheme
    return made


def fit_all(jobs: Sequence[Job], threads: int, on_epoch: OnEpoch | None = None) -> None:
    """Fits every expert; which runs when changes nothing. The first error (of the first job that has one) ends all of them."""
    stopped = threading.Event()
    turn = threading.Lock()

    def watched(job: Job, epoch: Epoch) -> object:
        if stopped.is_set():
            return False
        if on_epoch is None:
            return None
        with turn:  # whoever listens need not think of threads
            return on_epoch(job.name, epoch)

    def run(job: Job) -> None:
        if stopped.is_set():
            return
        try:
            job.expert.fit(job.train, dev=job.dev, sample_weight=job.sample_weight, on_epoch=lambda epoch: watched(job, epoch))
            if job.labels is not None:
                widen(job.expert, job.labels)
        except InputError as error:
            raise InputError(f"bag {job.name!r}: {error}") from None

    with ThreadPoolExecutor(max_workers=max(1, min(threads, len(jobs)))) as workers:
        futures = [workers.submit(run, job) for job in jobs]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:  # after an error, or Ctrl-C, nobody trains on for nothing
            stopped.set()
    for future in futures:
        future.result()
