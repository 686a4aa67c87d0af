"""Pages of studies: marked if the run was quick, and read again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.files import read_lines
from tagpool.errors import InputError
from tagpool.experiments.study import Row, Study

_QUICK = "--quick"
_MARK = "**Quick run:** part of the data and one seed, which shows that the experiment runs. The figures are not results."
_NUMBER = r"-?\d+\.\d+"
_CELL = re.compile(
    rf"(?P<mean>{_NUMBER})(?P<mark>[^\d\s(]*)(?: \((?P<low>{_NUMBER})-(?P<high>{_NUMBER})\)| ± (?P<spread>{_NUMBER}))?"
)
_PAPER = ", paper"
_NOTE = "- "


@dataclass(frozen=True)
class Page:
    """The command of a page, and the rows of its tables before the notes."""

    command: str
    rows: tuple[Row, ...]

    @property
    def quick(self) -> bool:
        """Whether the page is of a quick run."""
        return is_quick(self.command)


def is_quick(command: str) -> bool:
    """Return whether a command is a quick run."""
    return _QUICK in command.split()


def mark_quick(text: str, command: str) -> str:
    """Return a page with a mark below its command if that is a quick run."""
    line = f"    {command}\n"
    return text.replace(line, f"{line}\n{_MARK}\n", 1) if is_quick(command) else text


def study_page(study: Study, command: str) -> str:
    """Return the page of a study in Markdown."""
    return mark_quick(study.markdown(command), command)


def read_page(path: Path) -> Page:
    """Read the page of a study; samples have no number there.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.md"
    >>> study = Study("x", "Title", [Row("one CRF", "test F1", 88.61, 87.68, 89.43, paper=85.45)])
    >>> _ = path.write_text(study_page(study, "tagpool reproduce x"))
    >>> list(read_page(path).rows) == study.rows
    True
    """
    lines = read_lines(path)
    command = next((line.strip() for line in lines if line.startswith("    tagpool reproduce ")), "")
    figures = itertools.takewhile(lambda line: not line.startswith(_NOTE), lines)
    tables = [list(group) for is_table, group in itertools.groupby(figures, _is_table) if is_table]
    try:
        if not tables:
            raise ValueError("there is no table")
        return Page(command, tuple(row for table in tables for row in _rows([_cells(line) for line in table])))
    except ValueError as error:
        raise InputError(f"not a page that tagpool reproduce wrote: {error}; remove it, or write it again", source=path) from None


def _rows(table: Sequence[Sequence[str]]) -> Iterator[Row]:
    metrics = table[0][1:]
    for name, *values in table[2:]:
        cells = dict(zip(metrics, values, strict=True))
        for metric, value in cells.items():
            if value and not metric.endswith(_PAPER):
                yield _row(name, metric, value, cells.get(f"{metric}{_PAPER}", ""))


def _row(name: str, metric: str, value: str, printed: str) -> Row:
    match = _CELL.fullmatch(value)
    if match is None:
        raise ValueError(f"{name}, {metric}: {value!r} is no figure")
    low, high, spread = (None if match[part] is None else float(match[part]) for part in ("low", "high", "spread"))
    paper, paper_spread = (float(part) if part else None for part in (*printed.split(" ± "), "")[:2])
    return Row(name, metric, float(match["mean"]), low, high, paper, match["mark"], spread, paper_spread=paper_spread)


def _is_table(line: str) -> bool:
    return line.startswith("| ")


def _cells(line: str) -> list[str]:
    return line.removeprefix("| ").removesuffix(" |").split(" | ")
