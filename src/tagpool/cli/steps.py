"""Progress of work in many small steps: a bar on a terminal, one line elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tagpool.cli.console import errors


@contextlib.contextmanager
def followed(text: str) -> Iterator[Callable[[int, int | None], None]]:
    """Gives a function to call with the number of finished steps and of all steps (None: unknown)."""
    if not errors.is_terminal:
        errors.print(text, highlight=False, markup=False)
        yield lambda done, total: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
