"""Labelling of folders: messages, progress and summary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tagpool.cli.console import notes, print_json, report_error
from tagpool.cli.outputs import refuse_inputs
from tagpool.cli.progress import follow_steps
from tagpool.cli.tagging.options import FolderOptions
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.errors import InputError, TagpoolError
from tagpool.tagging.folders.jobs import find_jobs
from tagpool.tagging.folders.local import label_locally
from tagpool.tagging.folders.manifest import Manifest
from tagpool.tagging.folders.run import Engine, FolderRun, Summary
from tagpool.tagging.folders.settings import Settings
from tagpool.tagging.labeller import Labeller
from tagpool.wording import counted


def label_folder(
    model: Path,
    files: list[Path],
    output: Path,
    folder: FolderOptions,
    *,
    keep_going: bool = False,
    resources: Mapping[str, Any] | None = None,
    **options: Any,
) -> None:
    """Label the files of folders and patterns; the options are those of ``tagpool tag``."""
    if str(output) == STANDARD_STREAM:
        raise InputError("several files: name a folder for the labelled files with --output FOLDER", source=str(files[0]))
    paths = {name: str(path) for name, path in (resources or {}).items()}
    settings = Settings(str(model), keep_going=keep_going, resources=paths, **options)
    jobs = find_jobs(files, output)
    for job in jobs:
        refuse_inputs("--output", Path(job.target), (model,))
    labeller = settings.create_labeller()  # errors of the model and the options come before anything is written
    engine, workers = _engine(settings, labeller, folder)
    with Manifest(output, settings.facts(), restart=folder.restart) as manifest:
        run = FolderRun(manifest, jobs, workers=workers, keep_going=keep_going)
        run.on_message = report_error
        try:
            with follow_steps(f"labelling {counted(run.remaining, 'file')}") as run.on_progress:
                summary = run.label(engine)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{run.progress}; run the same command again to continue") from None
    _report(summary, output, folder.json)


def _engine(settings: Settings, labeller: Labeller, folder: FolderOptions) -> tuple[Engine, int]:
    """Return the workers, and their number."""
    ray = folder.create()
    if ray is None:
        workers = folder.workers or 1
        return partial(label_locally, settings, labeller, workers), workers
    from tagpool.bridges.ray.folders import label_on_ray

    return partial(label_on_ray, settings, ray), ray.workers


def _report(summary: Summary, output: Path, json: bool) -> None:
    if json:
        print_json(summary.to_dict())
    else:
        earlier = f", {summary.unchanged:,} unchanged since an earlier run" if summary.unchanged else ""
        labelled = f"{counted(summary.labelled, 'file')} labelled in {summary.seconds:.1f} s{earlier}"
        sizes = f"{counted(summary.sentences, 'sentence')}, {counted(summary.tokens, 'token')}"
        notes.print_line(f"{labelled}: {sizes}, written to {output}" if summary.labelled else f"{labelled}: {output}")
    problems = []
    if summary.failures:
        problems.append(f"skipped {counted(len(summary.failures), 'file')} of {summary.files:,}")
    if summary.skipped:
        problems.append(f"skipped {counted(summary.skipped, 'bad record')}")
    if problems:
        raise TagpoolError(f"{output}: {', '.join(problems)}")
