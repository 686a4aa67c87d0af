"""Reader: how the files of a training are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import Format, read_corpus


@dataclass(frozen=True)
class Reader:
    """Reads labelled sentences."""

    columns: str | None
    label: str | None
    format: Format | None
    encoding: str

    def corpus(self, path: Path) -> Corpus:
        """The sentences of a file; an error if they have no labels."""
        corpus = read_corpus(path, columns=self.columns, label=self.label, format=self.format, encoding=self.encoding)
        return corpus.require_labels()
