"""New texts of ``tagpool audit --drift``: one for each file, each day, or each value of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool import _native
from tagpool.auditing.labellers import Labeller
from tagpool.cli.inputs import expand_files
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.files import STANDARD_STREAM, read_bytes, read_lines, source_name
from tagpool.corpus.formats import Format, format_of, read_corpus
from tagpool.corpus.jsonl import parse_records
from tagpool.errors import InputError
from tagpool.tagging.conll import guess_columns

DAY = "day"
"""The value of --by that groups files by the date in their names."""
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ]\d\d:?\d\d")


@dataclass
class TextReader:
    """Reads text for a tagger; labels are not needed, and ignored."""

    labeller: Labeller
    columns: str | None = None
    format: Format | None = None
    encoding: str = "utf-8"

    def read(self, path: str) -> Corpus:
        """Read a file. Without --columns, the columns of a CoNLL file are those of the model, or the first is the word."""
        columns: Sequence[str] | str | None = self.columns
        if columns is None and (self.format or format_of(path)) is Format.CONLL:
            columns = self._columns(path)
        return read_corpus(path, columns=columns, format=self.format, encoding=self.encoding)

    def _columns(self, path: str) -> Sequence[str]:
        count = max(1, _native.count_columns(read_bytes(path, encoding=self.encoding), False))
        model = self.labeller.model
        if model is not None:
            return guess_columns(count, model.columns, model.single_taggers()[0].summary_, source_name(path))
        return [WORD] if count == 1 else [WORD, *(f"column{number}" for number in range(2, count)), LABEL]


def read_texts(names: Sequence[str], read: Callable[[str], Corpus], by: str | None, encoding: str = "utf-8") -> dict[str, Corpus]:
    """Return the texts of files by name: one per file, per day (``by`` is "day"), or per value of a column or a key of JSONL."""
    files = expand_files(names)
    if len(set(files)) < len(files):
        twice = next(file for number, file in enumerate(files) if file in files[:number])
        raise InputError("the file is given twice; give it once", source=twice)
    corpora = {file: read(file) for file in files}
    if by is None:
        return {source_name(file): corpus for file, corpus in corpora.items()}
    parts: dict[str, list[Corpus]] = {}
    for file, corpus in corpora.items():
        if by == DAY and by not in corpus.columns:
            parts.setdefault(day_of(file), []).append(corpus)
            continue
        places: dict[str, list[int]] = {}
        for number, value in enumerate(_values(file, corpus, by, encoding)):
            if value is not None:
                places.setdefault(value, []).append(number)
        for value, sentences in places.items():
            parts.setdefault(value, []).append(corpus.select(sentences))
    return {name: concatenate(parts[name]) for name in sorted(parts)}


def day_of(file: str) -> str:
    """Return the date in the name of a file.

    >>> day_of("logs/2024-03-01/part_20240302.jsonl.gz"), day_of("2024-03-01/a.txt")
    ('2024-03-02', '2024-03-01')
    """
    matches = list(_DATE.finditer(file))
    if not matches:
        raise InputError("--by day: the name has no date such as 2024-03-01; rename the file, or use --by KEY", source=file)
    year, _, month, day = matches[-1].groups()
    return f"{year}-{month}-{day}"


def _values(file: str, corpus: Corpus, by: str, encoding: str) -> list[str | None]:
    """Return the value of each sentence: that of its first token, or of the key of its JSON object; None without tokens."""
    if by in corpus.columns:
        return [_value(row[0]) if row else None for row in corpus.column(by)]
    is_jsonl = file != STANDARD_STREAM and format_of(file) is Format.JSONL
    if not is_jsonl:
        raise InputError(f"--by {by}: no such column; the columns are {', '.join(corpus.columns)}", source=corpus.source)
    values: list[str | None] = []
    for record, fail in parse_records(enumerate(read_lines(file, encoding=encoding), 1), source_name(file)):
        value: Any = record.get(by)
        if not isinstance(value, (str, int)) or value == "":
            keys = ", ".join(map(repr, record))
            raise fail(f"--by {by}: expected a text or a whole number under this key; the keys are {keys}")
        values.append(_value(str(value)))
    return values


def _value(text: str) -> str:
    """Return a value; of a date with a time, the date."""
    match = _TIME.match(text)
    return match[1] if match else text
