"""Reader: how the files of a training are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.formats import Format, read_corpus
from tagpool.errors import InputError


@dataclass(frozen=True)
class Reader:
    """Reads labelled sentences."""

    columns: str | None
    label: str | None
    format: Format | None
    encoding: str

    def corpus(self, path: Path) -> Corpus:
        """The sentences of a file; an error if they have no labels."""
        found = read_corpus(path, columns=self.columns, label=self.label, format=self.format, encoding=self.encoding)
        if found.label_column is None:
            raise InputError(
                f"no column {LABEL!r} to learn from; the columns are {', '.join(found.columns)}: "
                "name the column of the labels with --label",
                source=found.source,
            )
        return found
