"""Tagging of Parquet: a column of labels is added to the columns of the file."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial, reduce
from pathlib import Path
from typing import Any

from tagpool.corpus.arrow import LABELS, Choice, Field, choose_fields, open_table
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import source_name
from tagpool.corpus.parquet import ParquetBytes, batches, import_pyarrow, open_parquet
from tagpool.errors import InputError
from tagpool.tagging.labeller import Labeller, Reading

PROBABILITIES, NBEST = "probabilities", "nbest"


class TableTagger:
    """Labels tables of pyarrow: adds the columns ``labels`` and, if wanted, ``probabilities`` and ``nbest``.

    ``columns`` names the columns of the tokens and others that the model reads, as in :meth:`Corpus.from_arrow`.
    """

    def __init__(
        self,
        labeller: Labeller,
        columns: Any = None,
        *,
        labels: str = LABELS,
        probabilities: str = PROBABILITIES,
        source: str | None = None,
    ) -> None:
        self.labeller = labeller
        self.columns = columns
        self.source = source
        self.sentences = 0
        self.tokens = 0
        self._labels = labels
        self._probabilities = probabilities
        self._pyarrow = import_pyarrow("a table with labels")

    def label(self, table: Any) -> Any:
        """Return a table with labels; a record batch for a record batch."""
        if isinstance(table, self._pyarrow.RecordBatch):
            labelled = self.label(self._pyarrow.Table.from_batches([table])).combine_chunks().to_batches()
            return labelled[0] if labelled else table
        reader = open_table(table, self.source)
        with NameFaults(self.source):
            choice = self.choose([Field(*field) for field in reader.fields])
            columns = reader.read(choice.texts, choice.sentence, choice.document, [WORD])
        self.sentences += columns.sentence_count
        self.tokens += columns.token_count
        readings = self.labeller.readings(columns) if columns.sentence_count else []
        flat = choice.sentence is not None
        if self.labeller.plain:
            labels: Any = self._labels_of(Corpus(columns), readings, flat)
            return self.with_column(table, self._labels, labels)
        return self._with_readings(table, readings, flat)

    def choose(self, fields: list[Field]) -> Choice:
        """Return the fields that the model reads; raise an error for one that is missing."""
        choice = choose_fields(fields, self.columns, self.source, labelled=False)
        self.labeller.require([name for _, name in choice.texts], partial(InputError, source=self.source))
        needed = {WORD, *self.labeller.columns}
        return Choice([text for text in choice.texts if text[1] in needed], choice.sentence, choice.document)

    def _labels_of(self, corpus: Corpus, readings: list[list[Reading]], flat: bool) -> Any:
        pyarrow = self._pyarrow
        labels = [best[0].labels for best in readings]
        if flat:
            return pyarrow.array([label for sentence in labels for label in sentence], pyarrow.string())
        return pyarrow.array(labels, pyarrow.list_(pyarrow.string()))

    def _with_readings(self, table: Any, readings: list[list[Reading]], flat: bool) -> Any:
        pyarrow = self._pyarrow
        best = [ranked[0] for ranked in readings]
        labels: list[Any] = [one.labels for one in best]
        probabilities: list[Any] = [one.probabilities or [] for one in best]
        text, number = pyarrow.string(), pyarrow.float64()
        if flat:
            labels, probabilities = (reduce(operator.iadd, rows, []) for rows in (labels, probabilities))
        else:
            text, number = pyarrow.list_(text), pyarrow.list_(number)
        table = self.with_column(table, self._labels, pyarrow.array(labels, text))
        if self.labeller.probabilities:
            table = self.with_column(table, self._probabilities, pyarrow.array(probabilities, number))
        if self.labeller.nbest:
            table = self.with_column(table, NBEST, self._ranked(readings, flat))
        return table

    def _ranked(self, readings: list[list[Reading]], flat: bool) -> Any:
        pyarrow = self._pyarrow
        if flat:
            raise InputError("--nbest needs one sentence per row; write the tokens as lists", source=self.source)
        reading = {"labels": pyarrow.list_(pyarrow.string()), "score": pyarrow.float64(), "log_probability": pyarrow.float64()}
        rows = [[{"labels": o.labels, "score": o.score, "log_probability": o.log_probability} for o in one] for one in readings]
        return pyarrow.array(rows, pyarrow.list_(pyarrow.struct(list(reading.items()))))

    @staticmethod
    def with_column(table: Any, name: str, values: Any) -> Any:
        """Return a table with a column, which replaces one of the same name."""
        place = table.schema.get_field_index(name)
        if place >= 0:
            return table.set_column(place, name, values)
        return table.append_column(name, values)


class ParquetTagger:
    """Tags a Parquet file: iteration yields the bytes of a file with the columns of :class:`TableTagger` added.

    Models that read documents, and files with one token per row, need all rows at once; other files are read in parts. A bad
    row is an error.
    """

    skipped = 0  # rows are never skipped

    def __init__(self, labeller: Labeller, path: Path, columns: str | None = None, *, rows: int = 1 << 14) -> None:
        self.on_error: Callable[[InputError], object] = lambda error: None
        self._path = path
        self._rows = rows
        self._tagger = TableTagger(labeller, columns, source=source_name(path))

    @property
    def sentences(self) -> int:
        """Number of sentences so far."""
        return self._tagger.sentences

    @property
    def tokens(self) -> int:
        """Number of tokens so far."""
        return self._tagger.tokens

    def __iter__(self) -> Iterator[bytes]:
        output: ParquetBytes | None = None
        with open_parquet(self._path) as file:
            for table in self._tables(file):
                labelled = self._tagger.label(table)
                output = output or ParquetBytes(labelled.schema)
                yield output.append(labelled)
        if output is None:
            raise InputError("expected sentences; the file has no rows", source=self._tagger.source)
        yield output.end()

    def _tables(self, file: Any) -> Iterator[Any]:
        reader = batches(file, rows=self._rows)
        with NameFaults(self._tagger.source):
            fields = [Field(*field) for field in open_table(file.schema_arrow.empty_table(), self._tagger.source).fields]
        choice = self._tagger.choose(fields)
        whole = choice.sentence is not None or (self._tagger.labeller.by_document and choice.document is not None)
        if not whole:
            yield from reader
            return
        table = reader.read_all()
        if len(table):
            yield table
