"""FitTask: one training that runs in another process, with its checkpoint."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tagpool.errors import OutputError
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.optim.checkpoint import Checkpoint
from tagpool.optim.watch import Epoch

_NEVER = 1e18  # seconds: only the result is stored


@dataclass(frozen=True, eq=False)
class FitTask:
    """A training as a value that can be pickled: the learner and the arguments of ``fit``.

    ``files`` are those of its checkpoint, None without one. ``finish`` is a function of a module that changes the fitted learner.
    """

    learner: Any
    arguments: Mapping[str, Any]
    files: dict[str, bytes] | None = None
    finish: Callable[[Any], object] | None = None

    @classmethod
    def of(
        cls, learner: Any, checkpoint: Checkpoint | None, finish: Callable[[Any], object] | None = None, **arguments: Any
    ) -> FitTask:
        """Return the task of a training with this part of a checkpoint."""
        return cls(learner, arguments, None if checkpoint is None else checkpoint.read_files(), finish)


@dataclass(frozen=True, eq=False)
class FitResult:
    """The result of a task: the fitted learner, its epochs with the names of members, and the files of its checkpoint."""

    learner: Any
    epochs: list[tuple[Any, ...]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def report(self, on_epoch: Callable[..., object]) -> None:
        """Report all epochs."""
        for event in self.epochs:
            on_epoch(*event)


def run_fit(task: FitTask) -> FitResult:
    """Train, in this process.

    >>> from tagpool import CRF, builtin_corpus
    >>> result = run_fit(FitTask(CRF("word[0]"), {"sentences": builtin_corpus(50)}))
    >>> result.learner.is_fitted, len(result.epochs) == len(result.learner.log_)
    (True, True)
    """
    epochs: list[tuple[Any, ...]] = []

    def follow(*event: Epoch | str) -> None:
        epochs.append(event)

    if task.files is None:
        task.learner.fit(**task.arguments, on_epoch=follow)
        return _finish(task, FitResult(task.learner, epochs))
    try:
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = Checkpoint(folder, every=_NEVER)
            checkpoint.write_files(task.files)
            task.learner.fit(**task.arguments, on_epoch=follow, checkpoint=checkpoint)
            files = checkpoint.read_files()
            checkpoint.close()
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"{tempfile.gettempdir()}: {error.strerror or error}; free space on this disk") from None
    return _finish(task, FitResult(task.learner, epochs, files))


def _finish(task: FitTask, result: FitResult) -> FitResult:
    if task.finish is not None:
        task.finish(result.learner)
    return result


def adopt(learner: SequenceTagger, fitted: SequenceTagger) -> None:
    """Take the model of a learner that was fitted in another process; parameters stay."""
    parameters = learner.parameters()
    learner.__dict__.update({name: value for name, value in vars(fitted).items() if name not in parameters})
