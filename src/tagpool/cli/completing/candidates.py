"""Answers to a shell: candidates of a value, with their descriptions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from tagpool.cli.inputs import is_model


class Mode(str, Enum):
    """Kind of an answer: its candidates are words or paths, or the shell completes names of files."""

    WORDS = "words"
    PATHS = "paths"
    FILES = "files"


@dataclass
class Answer:
    """The candidates of a value with their descriptions."""

    mode: Mode
    values: dict[str, str] = field(default_factory=dict)


@dataclass
class Typed:
    """The words of a command before the cursor: the values of each parameter by name."""

    values: dict[str, list[str]] = field(default_factory=dict)

    def last(self, name: str) -> str | None:
        """Return the last value of a parameter."""
        values = self.values.get(name)
        return values[-1] if values else None


Completer = Callable[[str, Typed], Answer]
_MOST_FILES = 2000  # of a folder whose beginnings are read


def words(values: Mapping[str, str] | Iterable[str], start: str) -> Answer:
    """Return the values that begin with ``start``; the shell completes files if no value does."""
    named = dict(values) if isinstance(values, Mapping) else dict.fromkeys(values, "")
    matching = {value: text for value, text in named.items() if value.startswith(start)}
    return Answer(Mode.WORDS, matching) if matching else Answer(Mode.FILES)


def after_comma(values: Iterable[str], start: str) -> Answer:
    """Return the candidates for the last of several values with commas between them."""
    before, comma, last = start.rpartition(",")
    used = set(before.split(","))
    return Answer(Mode.WORDS, {f"{before}{comma}{one}": "" for one in values if one.startswith(last) and one not in used})


def complete_models(start: str, _: Typed) -> Answer:
    """Return the model files that begin with ``start``, and folders; ``NAME=`` before a file is part of it."""
    name, equals, path = start.rpartition("=")
    paths = dict.fromkeys(_models(path), "")
    if not any(not value.endswith(os.sep) for value in paths):
        return Answer(Mode.FILES)
    return Answer(Mode.PATHS, {f"{name}{equals}{value}": text for value, text in paths.items()})


def _models(start: str) -> Iterator[str]:
    folder, name = os.path.split(start)
    try:
        entries = sorted(Path(folder or ".").expanduser().iterdir())
    except (OSError, RuntimeError):  # no such folder, or no home
        return
    visible = (entry for entry in entries if entry.name.startswith(name) and (name or not entry.name.startswith(".")))
    for entry in itertools.islice(visible, _MOST_FILES):
        shown = os.path.join(folder, entry.name)  # noqa: PTH118 - the text before the name stays as it was typed
        if entry.is_dir():
            yield f"{shown}{os.sep}"
        elif os.access(entry, os.R_OK) and is_model(str(entry)):
            yield shown
