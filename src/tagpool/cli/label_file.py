"""Labelling of a file or a stream. A start-up file: it imports no typer, which takes longer than a small file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tagpool.cli.inputs import single_file
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.files import STANDARD_STREAM, open_output, source_name
from tagpool.corpus.formats import Format
from tagpool.errors import InputError, TagpoolError
from tagpool.lazy import TYPE_CHECKING
from tagpool.tagging.files import create_tagger
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.models import fastest, load_model
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.cli.tagging.options import FolderOptions


def label_file(
    model: Path,
    file: Path,
    output: Path,
    *,
    nbest: int = 0,
    probabilities: bool = False,
    scheme: str | None = None,
    columns: str | None = None,
    kind: Format | None = None,
    encoding: str = "utf-8",
    threads: int = 1,
    keep_going: bool = False,
    resources: Mapping[str, Any] | None = None,
    truecase: bool = False,
) -> None:
    """Label a file; the parameters are the options of ``tagpool tag``."""
    refuse_inputs("--output", output, (model, file))
    tagger = fastest(load_model(model, templates=True, resources=resources), threads)
    labeller = Labeller(tagger, nbest=nbest, probabilities=probabilities, scheme=scheme, truecase=truecase)
    pieces = create_tagger(labeller, file, kind, columns=columns, encoding=encoding, keep_going=keep_going)
    pieces.on_error = _report
    try:
        with open_output(output) as write:
            for piece in pieces:
                write(piece)
    except KeyboardInterrupt:
        if str(output) == STANDARD_STREAM:
            raise KeyboardInterrupt("the labels so far are written") from None
        raise
    except InputError as error:
        if error.line is None or keep_going:
            raise
        remark = " (the old file is kept)" if output.exists() else ""
        state = "" if str(output) == STANDARD_STREAM else f"; {output} is not written, since it would be incomplete{remark}"
        message = f"{error.message}{state}; skip such records with --keep-going"
        raise InputError(message, source=error.source, line=error.line) from None
    if pieces.skipped:
        raise TagpoolError(f"{source_name(file)}: skipped {counted(pieces.skipped, 'bad record')}")


def label_files(model: Path, files: list[Path], output: Path, folder: FolderOptions | None = None, **options: Any) -> None:
    """Label a file, or the files of folders and patterns; the other options are those of :func:`label_file`."""
    if len(files) == 1 and (file := single_file(files[0], output)) is not None:
        if folder is not None and (name := folder.first_option()) is not None:
            raise InputError(f"{name} is for folders, patterns and several files; drop it", source=source_name(file))
        label_file(model, file, output, **options)
        return
    from tagpool.cli.tagging.folder import label_folder
    from tagpool.cli.tagging.options import FolderOptions

    label_folder(model, files, output, folder or FolderOptions(), **options)


def _report(error: InputError) -> None:
    from tagpool.cli.console import report_error

    report_error(str(error))
