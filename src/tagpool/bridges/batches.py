"""BatchLabeller: labels the batches of an engine for tables. Every process loads the model once."""

from __future__ import annotations

import functools
import os
from os import PathLike
from pathlib import Path
from typing import Any

from tagpool.corpus.arrow import LABELS, TOKENS
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.errors import InputError, check_type
from tagpool.tagging.labeller import Labeller, Reading
from tagpool.tagging.models import fastest, load_model
from tagpool.tagging.parquet import TableTagger


class BatchLabeller:
    """Labels batches of sentences with a model file. Copies for other processes have the settings only.

    Args:
        model: Model file of a tagger or a pool; every machine must have it at this path.
        column: Column with the tokens, a list of strings per sentence. Other columns that the model reads have their own names.
        labels: Name of the column of labels that is added.
        confidences: Name of a column with the probability of each label (default: no such column).
        threads: Threads of each process.
    """

    def __init__(
        self,
        model: str | PathLike[str],
        column: str = TOKENS,
        *,
        labels: str = LABELS,
        confidences: str | None = None,
        threads: int = 1,
    ) -> None:
        check_type(model, (str, PathLike), "the path of a model file; save the model, and name the file")
        for name, value in (("column", column), ("labels", labels), ("confidences", confidences)):
            if not ((isinstance(value, str) and value) or (name == "confidences" and value is None)):
                raise InputError(f"{name} = {value!r}: expected the name of a column")
        if len({column, labels, confidences}) < 3:
            raise InputError(f"expected different columns, got {column}, {labels} and {confidences}")
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads = {threads!r}: expected a whole number from 1")
        self.model = str(Path(model).absolute())
        self.column = column
        self.labels = labels
        self.confidences = confidences
        self.threads = threads

    @property
    def labeller(self) -> Labeller:
        """The labeller of this process."""
        state = os.stat(self.model).st_mtime_ns if Path(self.model).exists() else 0  # noqa: PTH116 - also of a folder
        return _load(self.model, state, self.confidences is not None, self.threads)

    def label_table(self, table: Any) -> Any:
        """Return a table or a record batch of pyarrow with labels."""
        labeller = self.labeller
        if not len(table):
            return self._empty(table)
        columns = {self.column: WORD, **{name: name for name in self._others(labeller)}}
        tagger = TableTagger(labeller, columns, labels=self.labels, probabilities=self.confidences or "")
        return tagger.label(table)

    def _empty(self, table: Any) -> Any:
        from pyarrow import array, float64, list_, string

        added = {self.labels: list_(string()), **({self.confidences: list_(float64())} if self.confidences else {})}
        for name, kind in added.items():
            table = TableTagger.with_column(table, name, array([], kind))
        return table

    def label_columns(self, batch: Any) -> dict[str, list[Any]]:
        """Return the added columns for a batch whose columns have sequences of strings."""
        labeller = self.labeller
        names = {self.column: WORD, **{name: name for name in self._others(labeller)}}
        for name in names:
            if name not in batch:
                raise InputError(
                    f"no column {name!r}; the columns are {', '.join(map(str, batch))}; name the tokens with column=..."
                )
        columns = {new: [_as_words(row, name) for row in batch[name]] for name, new in names.items()}
        readings = labeller.readings(Corpus.from_columns(columns).native) if columns[WORD] else []
        best: list[Reading] = [ranked[0] for ranked in readings]
        added: dict[str, list[Any]] = {self.labels: [one.labels for one in best]}
        if self.confidences is not None:
            added[self.confidences] = [one.probabilities or [] for one in best]
        return added

    @staticmethod
    def _others(labeller: Labeller) -> list[str]:
        return [name for name in labeller.columns if name != WORD]


def _as_words(row: Any, name: str) -> list[str]:
    if row is None or isinstance(row, str) or not hasattr(row, "__iter__"):
        raise InputError(f"column {name!r}: expected a list of strings for each sentence, got {row!r:.80}")
    return row.tolist() if hasattr(row, "tolist") else list(row)  # arrays of NumPy


@functools.lru_cache(maxsize=4)
def _load(model: str, modified: int, probabilities: bool, threads: int) -> Labeller:
    """Load a model; a file that changed is loaded again."""
    return Labeller(fastest(load_model(Path(model), templates=True), threads), probabilities=probabilities)
