"""FileWorker: labels files one after the other. Every process or machine has one, which loads the model once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from tagpool.corpus.files import open_output
from tagpool.errors import InputError, TagpoolError
from tagpool.tagging.files import create_tagger
from tagpool.tagging.folders.jobs import Job
from tagpool.tagging.folders.settings import Settings
from tagpool.tagging.labeller import Labeller

_MESSAGES = 20  # about bad records of a file


class Failure(str, Enum):
    """Kinds of failures: of an input, which others need not share, or of writing and of the program."""

    INPUT = "input"
    OTHER = "other"


class FileResult(NamedTuple):
    """The result for one file: counts and messages about records that were skipped, or why it was not labelled."""

    job: Job
    sentences: int = 0
    tokens: int = 0
    skipped: int = 0
    messages: tuple[str, ...] = ()
    failure: Failure | None = None
    error: str = ""


class FileWorker:
    """Labels batches of files; the output of each is complete or absent."""

    def __init__(self, settings: Settings, labeller: Labeller | None = None) -> None:
        self._settings = settings
        self._labeller = labeller or settings.create_labeller()

    def label_files(self, jobs: Sequence[Job]) -> list[FileResult]:
        """Label files; without ``keep_going``, no more after one that fails."""
        results: list[FileResult] = []
        for job in jobs:
            results.append(self._label_file(job))
            if results[-1].failure is not None and not self._settings.keep_going:
                break
        return results

    def _label_file(self, job: Job) -> FileResult:
        try:
            return self._write(job)
        except InputError as error:
            return FileResult(job, failure=Failure.INPUT, error=str(error))
        except TagpoolError as error:
            return FileResult(job, failure=Failure.OTHER, error=str(error))
        except MemoryError:
            return FileResult(job, failure=Failure.OTHER, error=f"{job.source}: not enough memory")
        except OSError as error:  # of the folder of the output
            return FileResult(job, failure=Failure.OTHER, error=f"{error.filename or job.target}: {error.strerror or error}")

    def _write(self, job: Job) -> FileResult:
        settings = self._settings
        messages: list[str] = []
        job.check_unchanged()
        Path(job.target).parent.mkdir(parents=True, exist_ok=True)
        pieces = create_tagger(
            self._labeller,
            Path(job.source),
            settings.kind,
            columns=settings.columns,
            encoding=settings.encoding,
            keep_going=settings.keep_going,
        )
        pieces.on_error = lambda error: messages.append(str(error)) if len(messages) < _MESSAGES else None
        with open_output(job.target) as write:
            for piece in pieces:
                write(piece)
            job.check_unchanged()
        return FileResult(job, pieces.sentences, pieces.tokens, pieces.skipped, tuple(messages))
