"""Tables of Arrow: any object with ``__arrow_c_stream__``, such as data frames of pandas and polars and tables of pyarrow.

A row is a sentence, and columns are lists of strings; or a row is a token, and a column has the id of its sentence. The columns
``tokens`` (or ``word``), ``labels`` (or ``label``) and ``document`` have the meaning of the keys of JSONL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.corpus.corpus import LABEL, WORD
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError, check_type

TOKENS, LABELS, DOCUMENT, SENTENCE = "tokens", "labels", "document", "sentence"
_NAMES = {TOKENS: WORD, LABELS: LABEL}  # of a table and of a corpus
_SENTENCES = (SENTENCE, "sentence_id")
_ROWS = 1 << 16  # of a batch

Columns = Mapping[str, str] | Iterable[str] | str
"""Columns of a table that are read: names, ``"name=new name"``, or a mapping of names to new names.

The new names ``word``, ``label``, ``sentence`` (id of the sentence) and ``document`` have a meaning.
"""


class Field(NamedTuple):
    """A column of a table: its kind is ``text``, ``integer`` or ``other``; ``is_list`` is True for one list per row."""

    name: str
    kind: str
    is_list: bool
    type: str


class Choice(NamedTuple):
    """The fields that are read, by number: those of strings with the names of their columns, and the ids."""

    texts: list[tuple[int, str]]
    sentence: int | None
    document: int | None


def read_table(table: Any, columns: Columns | None = None, source: str | None = None) -> _native.Columns:
    """Return the columns of a table."""
    reader = open_table(table, source)
    with NameFaults(source, purpose="read the table"):
        choice = choose_fields([Field(*field) for field in reader.fields], columns, source)
        return reader.read(choice.texts, choice.sentence, choice.document, [WORD, LABEL])


def open_table(table: Any, source: str | None = None) -> _native.TableReader:
    """Return the reader of an object with ``__arrow_c_stream__``."""
    method = getattr(table, "__arrow_c_stream__", None)
    if method is None or isinstance(table, type):
        message = f"expected a table with __arrow_c_stream__ (pandas, polars, pyarrow, DuckDB), got {type(table).__name__}"
        raise InputError(message, source=source)
    try:
        capsule = method()
    except ImportError as error:  # pandas needs pyarrow for this
        raise InputError(f"the table needs another library for Arrow: {error}", source=source) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # of pyarrow, for columns of mixed types
        raise InputError(f"{type(table).__name__} has no form in Arrow: {error}", source=source) from None
    with NameFaults(source, purpose="read the table"):
        return _native.TableReader(capsule)


def choose_fields(
    fields: Sequence[Field], columns: Columns | None, source: str | None = None, *, labelled: bool = True
) -> Choice:
    """Return the fields to read, and their names in the corpus. Raise an error for a table without tokens.

    With ``labelled``, labels that are no strings are an error, too.

    >>> choose_fields([Field("tokens", "text", True, "list<utf8>"), Field("id", "integer", False, "int64")], None).texts
    [(0, 'word')]
    """
    names = _wanted(fields, source) if columns is None else _named(fields, columns, source)
    place = {new: number for number, new in names}
    if WORD not in place:
        raise _without_tokens(fields, "no column of tokens", source)
    words = fields[place[WORD]]
    if words.kind != "text":
        raise InputError(f"column {words.name!r}: expected tokens, got {words.type}", source=source)
    flat = not words.is_list
    if flat and SENTENCE not in place:
        problem = f"column {words.name!r} has one token per row, and no column has the id of the sentence"
        raise _without_tokens(fields, problem, source, sentence=True)
    ids = {new: place[new] for new in (SENTENCE, DOCUMENT) if new in place and (new == DOCUMENT or flat)}
    for new, number in ids.items():
        _check_id(fields[number], new, source)
    texts = [(place[WORD], WORD)]
    for number, new in names:
        field = fields[number]
        fits = field.kind == "text" and field.is_list != flat
        if new in (WORD, *ids):
            continue
        if fits:
            texts.append((number, new))
        elif columns is not None or (labelled and new == LABEL):
            raise _unfit(field, flat, source)
    if labelled and columns is None and all(new != LABEL for _, new in texts):
        _refuse_numbers(fields, flat, source)
    return Choice(texts, ids.get(SENTENCE), ids.get(DOCUMENT))


def _wanted(fields: Sequence[Field], source: str | None) -> list[tuple[int, str]]:
    """Return the numbers of all fields with their new names."""
    names = []
    for number, field in enumerate(fields):
        new = SENTENCE if field.name in _SENTENCES and not field.is_list else _NAMES.get(field.name, field.name)
        if new in (SENTENCE, DOCUMENT) and (field.is_list or field.kind == "other"):
            continue
        names.append((number, new))
    _check_different([new for _, new in names], source)
    return names


def _named(fields: Sequence[Field], columns: Columns, source: str | None) -> list[tuple[int, str]]:
    """Return the numbers of the fields that are named, with their new names."""
    if isinstance(columns, str):
        columns = columns.split(",")
    check_type(columns, Iterable, "the names of columns, such as {'text': 'word'}", InputError)
    pairs = columns.items() if isinstance(columns, Mapping) else [_split(name, source) for name in columns]
    names = []
    for name, new in pairs:
        check_type(new, str, f"the new name of column {name!r}", InputError)
        numbers = [number for number, field in enumerate(fields) if field.name == name]
        if not numbers:
            raise InputError(f"no column {name!r}; the columns are {_list(fields)}", source=source)
        if len(numbers) > 1:
            raise InputError(f"expected one column {name!r}, got {len(numbers)}; rename or remove the others", source=source)
        names.append((numbers[0], new))
    _check_different([new for _, new in names], source)
    return names


def _split(name: str, source: str | None) -> tuple[str, str]:
    check_type(name, str, "the names of columns")
    old, _, new = name.strip().partition("=")
    if not old or (not new and "=" in name):
        raise InputError(f"columns: expected NAME or NAME=NEW, got {name!r}", source=source)
    return old, new or (SENTENCE if old in _SENTENCES else _NAMES.get(old, old))


def _check_different(names: list[str], source: str | None) -> None:
    for name in names:
        if names.count(name) > 1:
            advice = "name the columns to read with columns=... (--columns), such as tokens=word"
            raise InputError(f"expected one column {name!r}, got {names.count(name)}; {advice}", source=source)


def _check_id(field: Field, new: str, source: str | None) -> None:
    if field.is_list or field.kind == "other":
        raise InputError(f"column {field.name!r}: expected integers or strings as ids, got {field.type}", source=source)


def _unfit(field: Field, flat: bool, source: str | None) -> InputError:
    """Return the error about a column that has no strings, one per token."""
    expected = "strings" if flat else "lists of strings"
    advice = "leave it out: name the columns to read with columns=... (--columns)"
    if field.kind == "integer":
        advice = f"replace the numbers by the names of the labels, or {advice}"
    return InputError(f"column {field.name!r}: expected {expected}, got {field.type}; {advice}", source=source)


def _refuse_numbers(fields: Sequence[Field], flat: bool, source: str | None) -> None:
    """Raise an error for lists of integers in a table without labels: they may be its labels."""
    for field in fields:
        if field.kind == "integer" and field.is_list and not flat:
            raise _unfit(field, flat, source)


def _without_tokens(fields: Sequence[Field], problem: str, source: str | None, *, sentence: bool = False) -> InputError:
    texts = [field.name for field in fields if field.kind == "text"]
    example = [f"{texts[0] if texts else 'NAME'}=word", *(["ID=sentence"] if sentence else [])]
    advice = f"name it with columns={','.join(example)!r} (--columns {','.join(example)})"
    if not fields:
        return InputError(f"{problem}; the table has no columns", source=source)
    return InputError(f"{problem}; the columns are {_list(fields)}; {advice}", source=source)


def _list(fields: Sequence[Field]) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in fields)


# Writing -----------------------------------------------------------------------------------------------------------------


class ArrowTable:
    """A corpus as a table: one row per sentence, with lists of strings. Libraries read it through ``__arrow_c_stream__``.

    >>> from tagpool import Corpus
    >>> table = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]).to_arrow()
    >>> table.columns
    ('tokens', 'labels')
    """

    def __init__(
        self, columns: _native.Columns, label: str | None, *, dictionary: bool, source: str | None = None, rows: int = _ROWS
    ) -> None:
        self._native = columns
        self._dictionary = dictionary
        self._source = source
        self._rows = rows
        names: list[str] = list(columns.names)
        words = WORD if WORD in names else names[0]
        self._new_names = {name: TOKENS if name == words else LABELS if name == label else name for name in names}
        self._document = DOCUMENT if columns.documents else ""
        self.columns: tuple[str, ...] = (*self._new_names.values(), *filter(None, [self._document]))
        for name in names:
            if self._new_names[name] == name and self.columns.count(name) > 1:
                raise InputError(f"column {name!r} has a name that tables reserve; rename it", source=source)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with an Arrow stream. A requested schema decides which columns have dictionaries."""
        with NameFaults(self._source):
            requested = {} if requested_schema is None else dict(_native.arrow_fields(requested_schema))
            exported = [(name, new, requested.get(new, self._dictionary)) for name, new in self._new_names.items()]
            return _native.arrow_stream(self._native, exported, self._document, self._rows)
