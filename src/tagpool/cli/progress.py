"""Progress of long work: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tagpool.cli.console import notes
from tagpool.optim.watch import Epoch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextlib.contextmanager
def follow_steps(text: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function to call with the number of finished steps and of all steps (None: unknown)."""
    if not notes.is_terminal:
        notes.print_line(text)
        yield lambda done, total: None
        return
    from tagpool.cli.progress_bars import create_bars_with_time_left

    with create_bars_with_time_left() as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _create_bars() -> Progress:
    from tagpool.cli.progress_bars import create_bars

    return create_bars()


class Follower:
    """Reports the steps and epochs of a training. A terminal has one bar, or one for each member of a pool."""

    def __init__(self) -> None:
        self.epochs = 0
        self._progress = _create_bars() if notes.is_terminal else None
        self._tasks: dict[str | None, TaskID] = {}

    def __enter__(self) -> Follower:
        if self._progress is not None:
            self._progress.start()
            self._tasks[None] = self._progress.add_task("", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def step(self, text: str) -> None:
        """Report a step before the first epoch."""
        if self._progress is None:
            notes.print_line(text)
        else:
            self._progress.update(self._tasks[None], description=text)

    def note(self, text: str) -> None:
        """Print a note, above the bars of a terminal."""
        notes.print_line(f"note: {text}")

    def epoch(self, epoch: Epoch, member: str | None = None) -> None:
        """Report an epoch of a single training, or of a member of a pool."""
        self.epochs += 1
        name = [] if member is None else [f"{member}:"]
        if epoch.note:
            self.note(" ".join([*name, epoch.note]))
        score = [] if epoch.score is None else [f"dev F1 {100 * epoch.score:.2f}{' (best)' if epoch.best else ''}"]
        text = "  ".join([*name, f"epoch {epoch.number}/{epoch.total}", f"loss {epoch.loss:.6g}", *score])
        if self._progress is None:
            notes.print_line(f"{text}  {epoch.seconds:.1f} s, {_time_left(epoch)}")
            return
        if member not in self._tasks:
            self._tasks[member] = self._progress.add_task("", total=None)
        text = f"{text}  {_time_left(epoch)}"
        self._progress.update(self._tasks[member], description=text, total=epoch.total, completed=epoch.number)


def _time_left(epoch: Epoch) -> str:
    if epoch.number >= epoch.total:
        return "done"
    return spell_time_left(epoch.seconds / epoch.number * (epoch.total - epoch.number))


def spell_time_left(seconds: float) -> str:
    """Return a remaining time in words.

    >>> spell_time_left(12.34), spell_time_left(150)
    ('12.3 s left', '2 min 30 s left')
    """
    if seconds < 60:
        return f"{max(seconds, 0.1):.1f} s left"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s left" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min left"
