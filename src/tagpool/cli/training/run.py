"""Run: one training with progress messages, and its result."""

from __future__ import annotations

import signal
import time
import warnings
from pathlib import Path
from typing import Any

from tagpool.cli.progress import Follower
from tagpool.cli.training.interruption import Interruption
from tagpool.cli.training.log import TrainingLog
from tagpool.cli.training.reader import concatenate, read_labelled
from tagpool.cli.training.summary import pool_summary, tagger_summary
from tagpool.config import DataOptions, OutputOptions
from tagpool.corpus.corpus import Corpus
from tagpool.experts.tagger import Tagger

_NOTHING = "no epoch was finished, and nothing was kept"


class Run:
    """Train a learner and write it."""

    def __init__(self, learner: Any, progress: Follower, log: TrainingLog) -> None:
        self.learner = learner
        self.progress = progress
        self.log = log
        self.interrupted = False
        self._dev: Corpus | None = None
        self._start = time.perf_counter()

    def fit(self, data: DataOptions) -> None:
        """Read the files and train; an interruption after the first epoch only ends the training."""
        corpora = [self._read(path, data) for path in data.train or ()]
        self._dev = None if data.dev is None else self._read(data.dev, data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the note of an epoch reports a step that diverged
            if "members" in self.learner.parameters():
                self._fit_weights(concatenate(corpora) if corpora else None)
            else:
                sentences = concatenate(corpora)
                self.progress.step(f"encoding {len(sentences):,} sentences, {sentences.token_count:,} tokens")
                if isinstance(self.learner, Tagger):
                    self._fit_tagger(self.learner, sentences)
                else:
                    self._fit_members(sentences)

    def _read(self, path: str, data: DataOptions) -> Corpus:
        self.progress.step(f"reading {path}")
        return read_labelled(path, data)

    def _report(self, *event: Any) -> None:
        *member, epoch = event
        self.progress.epoch(epoch, *member)
        self.log.add(epoch, *member)

    def _fit_tagger(self, tagger: Tagger, sentences: Corpus) -> None:
        previous = tagger._model
        try:
            tagger.fit(sentences, dev=self._dev, on_epoch=self._report)
        except KeyboardInterrupt:
            if tagger._model is previous or not self.progress.epochs:
                raise KeyboardInterrupt(_NOTHING) from None
            self.interrupted = True

    def _fit_members(self, sentences: Corpus) -> None:
        with Interruption(self.progress) as interruption:

            def report(*event: Any) -> bool:
                self._report(*event)
                return not interruption.requested

            try:
                self.learner.fit(sentences, dev=self._dev, on_epoch=report)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("nothing was kept" if self.progress.epochs else _NOTHING) from None
            self.interrupted = interruption.requested

    def _fit_weights(self, sentences: Corpus | None) -> None:
        self._dev = self._dev or sentences
        if self._dev is not None:
            self.progress.step(f"scoring {len(self._dev):,} sentences, {self._dev.token_count:,} tokens")
        self.learner.fit(self._dev or [])

    def save(self, path: Path, output: OutputOptions, configuration: str) -> None:
        """Write the model; Ctrl-C is ignored meanwhile."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.seconds = time.perf_counter() - self._start
        model = self.learner.merge() if output.merge else self.learner
        model.configuration_ = configuration
        model.save(path, size=output.size, names=output.names, resources=output.resources)

    def kept(self) -> str:
        """The result of an interrupted training, in words."""
        if not isinstance(self.learner, Tagger):
            return "the pool as its members stood"
        summary = self.learner.summary_
        score = "" if summary["dev"] is None else f" with a dev F1 of {100 * summary['dev']:.2f}"
        model = "the model as it stood" if summary["dev"] is None else "the best model so far"
        return f"{model}{score}, after {summary['epochs']} of {self.learner.log_[-1].total} epochs,"

    def summary(self, path: Path, *, merged: bool) -> dict[str, Any]:
        """The summary of the training."""
        if isinstance(self.learner, Tagger):
            summary = tagger_summary(self.learner)
        else:
            summary = {"best_dev_f1": None if self._dev is None else 100 * self.learner.score(self._dev)}
        if len(self.learner.weights_):
            summary |= pool_summary(self.learner) | {"merged": merged}
        return {"model": str(path)} | summary | {"seconds": round(self.seconds, 3), "bytes": path.stat().st_size}
