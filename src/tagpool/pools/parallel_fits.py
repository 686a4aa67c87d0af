"""Training of several learners in parallel threads (native training releases the interpreter lock)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, TemplateError
from tagpool.experts.fit_task import FitResult, FitTask, adopt, run_fit
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.experts.tasks import Tasks, current_tasks
from tagpool.experts.training_data import UNKNOWN, as_weights
from tagpool.optim.checkpoint import Checkpoint
from tagpool.optim.watch import Epoch
from tagpool.pools.bagging.label_wise import expand_labels

OnEpoch = Callable[[str, Epoch], object]
Learner = TypeVar("Learner", bound=SequenceTagger)
Work = TypeVar("Work")


@dataclass(frozen=True, eq=False)
class TrainingCorpora:
    """Training sentences with their weights, and dev sentences."""

    train: Corpus
    dev: Corpus | None = None
    sample_weight: Any = None

    @classmethod
    def of(cls, sentences: Any, labels: Any, dev: Any, sample_weight: Any, advice: str) -> TrainingCorpora:
        """Convert the arguments of ``fit``; raise an InputError with ``advice`` for given features."""
        if not isinstance(sentences, Corpus) and are_given_features(sentences):
            raise InputError(f"given features have no {advice}")
        train = as_corpus(sentences, labels, unknown=UNKNOWN)
        weights = None if sample_weight is None else as_weights(sample_weight)
        if weights is not None and weights.shape != (len(train),):
            raise InputError(f"sample_weight: expected one weight per sentence, {len(train)}, got {weights.shape}")
        return cls(train, None if dev is None else as_corpus(*dev if isinstance(dev, tuple) else (dev,)), weights)

    def select(self, sentences: Sequence[int]) -> TrainingCorpora:
        """Return these training sentences, with the same dev sentences."""
        weights = None if self.sample_weight is None else self.sample_weight[sentences]
        return replace(self, train=self.train.select(sentences), sample_weight=weights)


@dataclass(frozen=True, eq=False)
class Job:
    """One learner to fit, with the name of its bag."""

    name: str
    expert: Expert
    corpora: TrainingCorpora
    labels: Sequence[str] | None = None
    """All labels, for a learner that is trained with some of them merged."""
    forbidden: bytes | None = None
    """Edges between all labels that tagging must not use."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of ``fit``."""
        corpora = self.corpora
        return {"sentences": corpora.train, "dev": corpora.dev, "sample_weight": corpora.sample_weight}

    def finish(self, fitted: Expert) -> None:
        """Restore the labels that were merged."""
        if self.labels is not None and self.forbidden is not None:
            expand_labels(fitted, self.labels, self.forbidden)


def variant(learner: Learner, **changes: Any) -> Learner:
    """Return an unfitted copy with other parameters.

    >>> from tagpool import CRF
    >>> variant(CRF("ner", l2=0.5), templates="word[0]")
    CRF(templates='word[0]', l2=0.5)
    """
    return type(learner)(**{**learner.get_params(deep=False), **changes})


def same_scheme(expert: Expert) -> Expert:
    """Return an unfitted member of a pool that uses the labels as they are: the scores of members are added label by label.

    >>> from tagpool import CRF
    >>> same_scheme(CRF("ner"))
    CRF(templates='ner', inner_scheme='same')
    """
    if expert.inner_scheme == "bilou":
        raise InputError("inner_scheme='bilou': the members of a pool that trains them have the labels given; use 'same'")
    return variant(expert, inner_scheme="same") if "inner_scheme" in expert.parameters() else expert


def run_in_threads(run: Callable[[Work], None], jobs: Sequence[Work], threads: int, stopped: threading.Event) -> None:
    """Run all jobs. After an error or Ctrl-C ``stopped`` is set, and the error of the first job is raised.

    If the system starts fewer threads, they run all jobs; without any, the calling thread does.
    """
    failures: dict[int, BaseException] = {}
    pending = iter(enumerate(jobs))  # shared by the threads

    def work() -> None:
        for number, job in pending:
            if stopped.is_set():
                return
            try:
                run(job)
            except BaseException as error:
                failures[number] = error
                stopped.set()

    with ThreadPoolExecutor(max_workers=max(1, min(threads, len(jobs)))) as executor:
        futures = []
        try:
            for _ in range(min(threads, len(jobs))):
                futures.append(executor.submit(work))
        except RuntimeError:  # a limit on threads
            _native.warn_about_threads(max(1, len(futures)))
        try:
            if futures:
                wait(futures)
            else:
                work()
        finally:
            stopped.set()
    if failures:
        raise failures[min(failures)]


def fit_all(jobs: Sequence[Job], threads: int, on_epoch: OnEpoch | None = None, checkpoint: Checkpoint | None = None) -> None:
    """Fit all jobs; the result does not depend on ``threads``. An error stops all jobs; the error of the first job is raised.

    Each job has a part of the checkpoint, by its number.
    """
    stopped = threading.Event()
    lock = threading.Lock()

    def report(job: Job, epoch: Epoch) -> object:
        if stopped.is_set():
            return False
        if on_epoch is None:
            return None
        with lock:  # one call of on_epoch at a time
            return on_epoch(job.name, epoch)

    def run(numbered: tuple[int, Job]) -> None:
        number, job = numbered
        part = None if checkpoint is None else checkpoint.part(str(number))
        with _naming(job.name):
            job.expert.fit(**job.arguments, on_epoch=lambda epoch: report(job, epoch), checkpoint=part)
            job.finish(job.expert)

    tasks = current_tasks()
    if tasks is not None:
        _fit_in_tasks(jobs, tasks, on_epoch, checkpoint)
    else:
        run_in_threads(run, list(enumerate(jobs)), threads, stopped)


def _fit_in_tasks(jobs: Sequence[Job], tasks: Tasks, on_epoch: OnEpoch | None, checkpoint: Checkpoint | None) -> None:
    """Fit all jobs in other processes. Epochs are reported after the end of each job."""
    parts = [None if checkpoint is None else checkpoint.part(str(number)) for number in range(len(jobs))]
    fits = [FitTask.of(job.expert, part, job.finish, **job.arguments) for job, part in zip(jobs, parts, strict=True)]
    for number, result in tasks.results(_fit_named, list(zip([job.name for job in jobs], fits, strict=True))):
        adopt(jobs[number].expert, result.learner)
        part = parts[number]
        if part is not None:
            part.write_files(result.files)
        if on_epoch is not None:
            result.report(partial(on_epoch, jobs[number].name))


def _fit_named(named: tuple[str, FitTask]) -> FitResult:
    name, task = named
    with _naming(name):
        return run_fit(task)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Add the name of a bag to errors."""
    try:
        yield
    except InputError as error:
        if isinstance(error, TemplateError):  # its text has several lines
            raise
        raise InputError(f"bag {name!r}: {error}") from None
