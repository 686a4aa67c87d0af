"""Progress bars on a terminal. Importing this imports Rich, which takes a while."""

from __future__ import annotations

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from tagpool.cli.console import notes
from tagpool.visible import one_line


class _Description(ProgressColumn):
    """The text before a bar."""

    def render(self, task: Task) -> Text:
        """Return the description of a task as plain text."""
        return notes.rich.render_str(one_line(task.description))


def create_bars(*columns: ProgressColumn, transient: bool = False) -> Progress:
    """Return a display of bars with a text, the time so far, and further columns."""
    times = TimeElapsedColumn()
    return Progress(_Description(), BarColumn(bar_width=30), times, *columns, console=notes.rich, transient=transient)


def create_bars_with_time_left() -> Progress:
    """Return a display that also has the remaining time, and disappears at the end."""
    return create_bars(TextColumn("left"), TimeRemainingColumn(), transient=True)
