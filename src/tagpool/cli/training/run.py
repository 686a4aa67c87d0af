"""Run: one training with progress messages and a log, and its result."""

from __future__ import annotations

import json
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from tagpool.cli import signals
from tagpool.cli.inputs import expand_files, is_model
from tagpool.cli.outputs import keep_elsewhere
from tagpool.cli.progress import Follower
from tagpool.cli.training.checkpoints import TrainingFolder
from tagpool.cli.training.penalties import PenaltyChoice
from tagpool.cli.training.summary import pool_summary, tagger_summary
from tagpool.config_keys import DataOptions, OutputOptions
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import ENCODING_OPTION
from tagpool.corpus.formats import read_corpus
from tagpool.corpus.labelled_files import LabelledFiles
from tagpool.errors import InputError, OutputError
from tagpool.evaluation.dev_sets import describe_weak_dev, has_no_spans
from tagpool.evaluation.unseen import describe_unseen
from tagpool.experts.linear.expert import Expert
from tagpool.experts.robust.decision import describe_robust
from tagpool.experts.states import States, choose_states
from tagpool.experts.tagger import Tagger
from tagpool.experts.tasks import Engine
from tagpool.features.automatic import AUTO, choose_min_count, choose_templates
from tagpool.features.encoder import distinct_labels, label_ids
from tagpool.optim.checkpoint import Checkpoint
from tagpool.optim.watch import Epoch
from tagpool.wording import counted

_NOTHING = "no epoch was finished, and nothing was kept"


def read_labelled(path: str, data: DataOptions) -> Corpus:
    """Read a file of labelled sentences."""
    try:
        corpus = read_corpus(path, columns=data.columns, label=data.label, format=data.format, encoding=data.encoding)
    except InputError as error:
        if ENCODING_OPTION not in error.message:
            raise
        message = error.message.replace(ENCODING_OPTION, "--set data.encoding=latin-1")  # there is no such option
        raise InputError(message, source=error.source, line=error.line) from None
    return corpus.require_labels()


class TrainingLog:
    """A file with one line of JSON for every epoch, written during training.

    A full disk does not end the training: :meth:`close` raises the error.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._mode = "w"
        self._failure: OSError | None = None

    def add(self, epoch: Epoch, member: str | None = None) -> None:
        """Write a line, with the name of the pool member that is trained."""
        if self.path is None or self._failure is not None:
            return
        fields = ({} if member is None else {"member": member}) | epoch.to_dict()
        try:
            with self.path.open(self._mode, encoding="utf-8") as file:
                file.write(json.dumps(fields, ensure_ascii=False) + "\n")
        except OSError as error:
            self._failure = error
        self._mode = "a"

    def close(self) -> None:
        """Raise the error of writing, if there was one."""
        if self._failure is not None:
            raise OutputError(f"{self.path}: the log could not be written: {self._failure.strerror}") from None


class Run:
    """Train a learner and write it."""

    def __init__(
        self,
        learner: Any,
        progress: Follower,
        log: TrainingLog,
        folder: TrainingFolder | None = None,
        *,
        tunes: bool = False,
        engine: Engine | None = None,
    ) -> None:
        self.learner = learner
        self.engine = engine
        self.tunes = tunes  # whether the penalty may be chosen
        self.penalties: dict[float, float] = {}  # dev scores by l2
        self.folder = folder
        self.progress = progress
        self.log = log
        self.interrupted = False
        self._dev: Corpus | None = None
        self._start = time.perf_counter()

    @property
    def advice(self) -> str:
        """Advice for the end of a message about an interruption."""
        return "" if self.folder is None else f"; {self.folder.advice}"

    def fit(self, data: DataOptions) -> None:
        """Read the files and train; an interruption after the first epoch only ends the training."""
        if self.folder is not None:
            self.progress.step(f"checkpoints in {self.folder.checkpoint.folder}; after a crash, {self.folder.advice}")
        try:
            self._fit(data)
        except KeyboardInterrupt as interruption:
            raise KeyboardInterrupt(f"{str(interruption) or 'nothing was written'}{self.advice}") from None

    def _fit(self, data: DataOptions) -> None:
        if data.memory is not None:
            self._fit_streamed(data, data.memory)
            return
        corpora = [self._read(path, data) for path in expand_files(data.train)]
        held_out = [self._read(path, data) for path in expand_files(data.dev)]
        self._dev = concatenate(held_out) if held_out else None
        self._note_dev(corpora)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the note of an epoch reports a step that diverged
            if "members" in self.learner.parameters():
                self._fit_weights(concatenate(corpora) if corpora else None)
            else:
                sentences = concatenate(corpora)
                if expectation := getattr(self.learner, "expectation", None):
                    self.progress.note(expectation)
                self.progress.step(f"encoding {counted(len(sentences), 'sentence')}, {counted(sentences.token_count, 'token')}")
                if isinstance(self.learner, Tagger):
                    self._fit_tagger(self.learner, sentences)
                else:
                    self._fit_members(sentences)

    def _fit_streamed(self, data: DataOptions, memory: str) -> None:
        """Train without the sentences in memory; the penalty is not chosen, since that takes many trainings."""
        if not isinstance(self.learner, Expert):
            raise InputError(f"--memory is for the learners crf and maxent, not for {self.learner.kind}; train without it")
        files = LabelledFiles(
            *expand_files(data.train), columns=data.columns, label=data.label, format=data.format, encoding=data.encoding
        )
        held_out = [self._read(path, data) for path in expand_files(data.dev)]
        self._dev = concatenate(held_out) if held_out else None
        self.progress.step(f"encoding {counted(len(files.paths), 'file')} with a budget of {memory}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                self.learner.fit(files, dev=self._dev, on_epoch=self._report, checkpoint=self._checkpoint, memory=memory)
            except KeyboardInterrupt:
                if not self.progress.epochs or not self.learner.is_fitted:
                    raise self._without_result() from None
                self.interrupted = True

    def _without_result(self) -> KeyboardInterrupt:
        return KeyboardInterrupt("nothing was kept" if self.progress.epochs else _NOTHING)

    def _note_dev(self, corpora: list[Corpus]) -> None:
        """Print how many labels of the dev set training does not have, and why its scores may say little."""
        if self._dev is None:
            return
        members = getattr(self.learner, "members", None)
        trained = members or ([self.learner] if self.learner.is_fitted else [])  # before this training
        known = {label for tagger in trained for label in tagger.labels_}
        if not members:
            known.update(label for corpus in corpora for label in distinct_labels(corpus))
        if note := describe_unseen(self._dev.labels, known, "the dev set", "training"):
            self.progress.note(f"{note}; each counts as an error")
        if has_no_spans(self._dev):
            self.progress.note("the dev set has no spans, so that every score is 0; training ends when the loss stops falling")
        elif corpora:
            for text in describe_weak_dev(concatenate(corpora), self._dev):
                self.progress.note(text)

    def _read(self, path: str, data: DataOptions) -> Corpus:
        self.progress.step(f"reading {path}")
        if is_model(path):
            raise InputError("expected labelled sentences, got a model; to continue its training, use --from", source=path)
        return read_labelled(path, data)

    @property
    def _checkpoint(self) -> Checkpoint | None:
        return None if self.folder is None else self.folder.checkpoint

    def _report(self, *event: Any) -> bool:
        *member, epoch = event
        self.progress.epoch(epoch, *member)
        self.log.add(epoch, *member)
        return not self.interrupted

    def _fit_tagger(self, tagger: Tagger, sentences: Corpus) -> None:
        previous = tagger._model
        if tagger.templates == AUTO:
            count = tagger.min_count or choose_min_count(AUTO, sentences)
            choice = choose_templates(sentences).reason + ("" if count == 1 else f", min_count {count}")
            self.progress.step(f"features: {choice}{_describe_states(tagger, sentences)} (--features {AUTO})")
        elif note := _describe_states(tagger, sentences):
            self.progress.step(f"features: as given{note}")
        try:
            tagger.fit(sentences, dev=self._dev, on_epoch=self._report, checkpoint=self._checkpoint, engine=self.engine)
        except KeyboardInterrupt:
            if tagger._model is previous or not self.progress.epochs:
                raise self._without_result() from None
            self.interrupted = True
        if self.tunes and not self.interrupted and isinstance(tagger, Expert):
            self._choose_penalty(tagger, sentences)
        if robust := self.learner.summary_.get("robust"):
            self.progress.step(describe_robust(robust))

    def _choose_penalty(self, tagger: Expert, sentences: Corpus) -> None:
        """Train with other penalties. Without a dev set, or with a large corpus, the default is used."""
        if self._dev is None or not PenaltyChoice.is_cheap(sentences):
            return
        choice = PenaltyChoice(tagger, sentences, self._dev, self.engine)
        if not choice.has_enough_spans:
            return
        try:
            choice.run(lambda _: not self.interrupted, self._checkpoint)
        except KeyboardInterrupt:
            self.interrupted = True
        else:
            self.progress.step(choice.describe())
            self.penalties = choice.scores
        self.learner = choice.chosen

    def _fit_members(self, sentences: Corpus) -> None:
        """Train a pool. The first Ctrl-C ends the training of each member after its epoch, which completes the pool."""

        def request_end(number: int, _: object) -> None:
            signals.record(number)
            if self.interrupted or not self.progress.epochs or self.engine is not None:  # other processes do not see it
                raise KeyboardInterrupt
            self.interrupted = True
            self.progress.step("interrupted: every member ends with its epoch; Ctrl-C again to keep nothing")

        try:
            with signals.handle_with(request_end):
                self.learner.fit(sentences, dev=self._dev, on_epoch=self._report, checkpoint=self._checkpoint, engine=self.engine)
        except KeyboardInterrupt:
            raise self._without_result() from None

    def _fit_weights(self, sentences: Corpus | None) -> None:
        self._dev = self._dev or sentences
        if self._dev is not None:
            self.progress.step(f"scoring {counted(len(self._dev), 'sentence')}, {counted(self._dev.token_count, 'token')}")
        self.learner.fit(self._dev or [])

    def save(self, path: Path, output: OutputOptions, configuration: str) -> None:
        """Write the model; signals are ignored meanwhile."""
        signals.ignore_signals()
        self.seconds = time.perf_counter() - self._start
        model = self.learner.merge() if output.merge else self.learner
        model.configuration_ = configuration
        save = partial(model.save, size=output.size, names=output.names, resources=output.resources)
        try:
            save(path)
        except OutputError as error:
            folders = [] if self.folder is None else [self.folder.checkpoint.folder]
            raise keep_elsewhere(error, path, save, folders, self.advice) from None

    def describe_interrupted(self) -> str:
        """Describe the result of an interrupted training."""
        if not isinstance(self.learner, Tagger):
            return "the pool as its members stood"
        summary = self.learner.summary_
        score = "" if summary["dev"] is None else f" with a dev F1 of {100 * summary['dev']:.2f}"
        model = "the model as it stood" if summary["dev"] is None else "the best model so far"
        if summary.get("robust", {}).get("interrupted"):
            model = f"{model}, without its robust part"
        return f"{model}{score}, after {summary['epochs']:,} of {counted(self.learner.log_[-1].total, 'epoch')},"

    def summary(self, path: Path, *, merged: bool) -> dict[str, Any]:
        """Return the summary of the training; of its file alone if there is not enough memory, since the model is written."""
        try:
            summary = self._describe(merged=merged)
        except MemoryError:
            warnings.warn(f"{path}: the model was written, but there is not enough memory to describe it", stacklevel=2)
            summary = {}
        return {"model": str(path)} | summary | {"seconds": round(self.seconds, 3), "bytes": _size(path)}

    def _describe(self, *, merged: bool) -> dict[str, Any]:
        if isinstance(self.learner, Tagger):
            summary = tagger_summary(self.learner)
            if self.penalties:
                summary["penalties"] = {f"{l2:g}": 100 * score for l2, score in sorted(self.penalties.items())}
        else:
            summary = {"best_dev_f1": None if self._dev is None else 100 * self.learner.score(self._dev)}
        if len(self.learner.weights_):
            summary |= pool_summary(self.learner, self._dev) | {"merged": merged}
        return summary


def _describe_states(tagger: Tagger, sentences: Corpus) -> str:
    """Return a note if the model has BILOU inside; an empty text otherwise."""
    if tagger.is_fitted:
        states = States(tagger._fitted().labels)
    else:
        corpus = sentences.drop_empty()
        labels = [label for label in distinct_labels(corpus) if label != tagger.unknown_label]
        gold = label_ids(corpus, labels)
        assert gold is not None
        states = choose_states(tagger.inner_scheme, labels, gold, corpus.native.bounds())
    return f"; BILOU inside the model (learner.inner_scheme={tagger.inner_scheme})" if states.merged else ""


def _size(path: Path) -> int | None:
    """Return the size of a file; None if the system does not tell. The model is written, so this is no reason to fail."""
    try:
        return path.stat().st_size
    except OSError:
        return None
