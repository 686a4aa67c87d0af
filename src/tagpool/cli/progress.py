"""Progress of training: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from tagpool.cli.console import errors
from tagpool.optim.watch import Epoch


class Follower:
    """Prints the steps and epochs of a training as plain lines."""

    def __init__(self) -> None:
        self.epochs = 0

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return

    def step(self, text: str) -> None:
        """Reports a step before the first epoch."""
        errors.print(text, highlight=False, markup=False)

    def epoch(self, epoch: Epoch, member: str | None = None) -> None:
        """Reports an epoch of a single training, or of a member of a pool."""
        self.epochs += 1
        if epoch.note:
            prefix = "" if member is None else f"{member}: "
            errors.print(f"note: {prefix}{epoch.note}", highlight=False, markup=False)
        self.show(epoch, member)

    def show(self, epoch: Epoch, member: str | None = None) -> None:
        """Shows an epoch."""
        parts = [*_prefix(member), f"epoch {epoch.number}/{epoch.total}", f"loss {epoch.loss:.6g}", *_score(epoch)]
        parts.append(f"{epoch.seconds:.1f} s, {_left(epoch)}")
        errors.print("  ".join(parts), highlight=False, markup=False)


class Bar(Follower):
    """Shows the epochs as bars: one, or one for each member of a pool."""

    def __init__(self) -> None:
        super().__init__()
        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=30), TimeElapsedColumn())
        self._progress = Progress(*columns, console=errors)
        self._task: TaskID
        self._members: dict[str, TaskID] = {}

    def __enter__(self) -> Follower:
        self._progress.start()
        self._task = self._progress.add_task("", total=None)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def step(self, text: str) -> None:
        """Reports a step before the first epoch."""
        self._progress.update(self._task, description=text)

    def show(self, epoch: Epoch, member: str | None = None) -> None:
        """Shows an epoch."""
        task = self._task
        if member is not None:
            if member not in self._members:
                self._members[member] = self._progress.add_task("", total=None)
            task = self._members[member]
        parts = [*_prefix(member), f"epoch {epoch.number}/{epoch.total}", f"loss {epoch.loss:.6g}", *_score(epoch), _left(epoch)]
        self._progress.update(task, description="  ".join(parts), total=epoch.total, completed=epoch.number)


def follower() -> Follower:
    """Bars if messages go to a terminal, else plain lines."""
    return Bar() if errors.is_terminal else Follower()


def _prefix(member: str | None) -> list[str]:
    return [] if member is None else [f"{member}:"]


def _score(epoch: Epoch) -> list[str]:
    return [] if epoch.score is None else [f"dev F1 {100 * epoch.score:.2f}{' (best)' if epoch.best else ''}"]


def _left(epoch: Epoch) -> str:
    seconds = epoch.seconds / epoch.number * (epoch.total - epoch.number)
    return f"{_spelled(seconds)} left" if seconds >= 0.05 else "done"


def _spelled(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
