"""Work in many small steps of which nothing is to be told but how far it is: a bar on a terminal, one line elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tagpool.cli.console import errors


@contextlib.contextmanager
def followed(text: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function to be called with the number of steps done and that of all, None if it is not known."""
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
