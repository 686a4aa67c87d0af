"""Sentence and Corpus: labelled text as named columns.

A corpus is columnar: each column is a table of distinct strings and one number per token, in native memory. Python strings are
created only when they are read. Corpora are immutable: a method that changes columns returns a new corpus, which shares the
other columns.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError, check_type
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from tagpool.corpus.arrow import ArrowTable, Columns
else:
    random = LazyModule("random")

WORD = "word"
LABEL = "label"


@dataclass(frozen=True)
class Sentence:
    """One sentence: the tokens of each column.

    >>> sentence = Sentence({"word": ["Ann", "left"], "label": ["B-PER", "O"]}, "label")
    >>> len(sentence), sentence.words, sentence.labels
    (2, ['Ann', 'left'], ['B-PER', 'O'])
    """

    columns: Mapping[str, list[str]]
    label_column: str | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, column: str) -> list[str]:
        return self.columns[column]

    @property
    def words(self) -> list[str]:
        """The tokens: the column ``word``, or the first column if there is no such name."""
        return self.columns[WORD] if WORD in self.columns else next(iter(self.columns.values()))

    @property
    def labels(self) -> list[str] | None:
        """The labels, or None for text without them."""
        return None if self.label_column is None else self.columns[self.label_column]


class Corpus(Sequence[Sentence]):
    """Sentences in named columns, and possibly documents.

    >>> corpus = Corpus.from_lists(word=[["Ann", "left"], ["Rain"]], label=[["B-PER", "O"], ["O"]])
    >>> len(corpus), corpus.token_count, corpus.columns
    (2, 3, ('word', 'label'))
    >>> corpus[0].labels
    ['B-PER', 'O']
    """

    def __init__(self, native: _native.Columns, *, label_column: str | None = LABEL, source: str | None = None) -> None:
        check_type(native, _native.Columns, "columns; make a corpus with read_corpus(path) or Corpus.from_lists(word=...)")
        self.native = native
        self.columns: tuple[str, ...] = tuple(native.names)
        self.label_column = label_column if label_column in self.columns else None
        self.source = source

    @classmethod
    def from_lists(cls, **columns: Iterable[Iterable[str]]) -> Corpus:
        """Return a corpus from lists: each keyword is a column, a list of sentences, each a list of strings.

        Sentences may be empty. Iterators are read once.
        """
        return cls.from_columns(columns)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Iterable[Iterable[str]]],
        *,
        documents: Iterable[int] = (),
        asides: Iterable[tuple[int, int, str]] = (),
        label_column: str | None = LABEL,
        source: str | None = None,
    ) -> Corpus:
        """Return a corpus from lists, with documents and a source.

        ``documents`` are the numbers of the sentences that begin a document. ``asides`` are lines that are no tokens, such as
        comments: (sentence, position, line). ``source`` is the name of the corpus in messages.
        """
        check_type(columns, Mapping, "a dict of columns; write it as {'word': [['A', 'sentence']]}")
        if not columns:
            raise InputError("a corpus needs at least one column, such as word=[['A', 'sentence']]")
        _check_names(columns)
        lists = {name: as_rows(sentences) for name, sentences in columns.items()}
        lengths = {name: len(sentences) for name, sentences in lists.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"the columns have different numbers of sentences: {lengths}")
        rows = list(zip(*lists.values(), strict=True))
        documents, asides = list(documents), list(asides)
        if any(first < 0 for first in documents) or any(sentence < 0 or at < 0 for sentence, at, _ in asides):
            raise InputError("documents and asides: expected sentence numbers from 0 on, got a negative one", source=source)
        with NameFaults(source, purpose="build the corpus"):
            native = _native.Columns.from_lists(list(lists), rows, documents, asides)
        return cls(native, label_column=label_column, source=source)

    @classmethod
    def from_arrow(
        cls, table: Any, *, columns: Columns | None = None, label_column: str | None = LABEL, source: str | None = None
    ) -> Corpus:
        """Return a corpus of a table: any object with ``__arrow_c_stream__`` (pandas, polars, pyarrow, DuckDB, a Corpus).

        Columns are lists of strings: ``tokens`` (or ``word``), ``labels`` (or ``label``), others under their name. Or a row is a
        token, and a column ``sentence`` has its sentence. ``document`` begins a document where it changes. ``columns`` names
        the columns to read, with new names: ``{"text": "word", "ner": "label"}`` or ``"text=word,ner=label"``.

        >>> corpus = Corpus.from_lists(word=[["Ann", "left"], ["Rain"]], label=[["B-PER", "O"], ["O"]])
        >>> Corpus.from_arrow(corpus) == corpus
        True
        """
        from tagpool.corpus.arrow import read_table

        return cls(read_table(table, columns, source), label_column=label_column, source=source)

    # Reading -------------------------------------------------------------------------------------------------------------

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with an Arrow stream, as :meth:`to_arrow` does."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self, *, dictionary: bool = True) -> ArrowTable:
        """Return a table that other libraries read without copies, such as ``polars.DataFrame(corpus.to_arrow())``.

        It has the columns of :meth:`from_arrow`. The strings of a column are a ``dictionary`` (the type is
        ``list<dictionary<int32, large_utf8>>``), or are copied (``list<utf8>``).
        """
        from tagpool.corpus.arrow import ArrowTable

        return ArrowTable(self.native, self.label_column, dictionary=dictionary, source=self.source)

    def __len__(self) -> int:
        return self.native.sentence_count

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Sentence | Corpus:
        if isinstance(index, slice):
            return self.select(range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"sentence {index} of {len(self)}")
        index %= len(self)
        return Sentence({name: self.native.sentence_column(index, name) for name in self.columns}, self.label_column)

    def __iter__(self) -> Iterator[Sentence]:
        lists = [self.native.column_lists(name) for name in self.columns]
        for tokens in zip(*lists, strict=True):
            yield Sentence(dict(zip(self.columns, tokens, strict=True)), self.label_column)

    def __repr__(self) -> str:
        return (
            f"<Corpus: {counted(len(self), 'sentence')}, {counted(self.token_count, 'token')}, columns {', '.join(self.columns)}>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        if (self.columns, self.label_column, self.document_starts) != (other.columns, other.label_column, other.document_starts):
            return False
        return all(self.column(name) == other.column(name) for name in self.columns)

    __hash__ = None  # type: ignore[assignment]

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return self.native.token_count

    def column(self, name: str) -> list[list[str]]:
        """Return one column as a list of strings for each sentence."""
        self._require(name)
        return self.native.column_lists(name)

    @property
    def words(self) -> list[list[str]]:
        """The tokens of every sentence."""
        return self.column(WORD if WORD in self.columns else self.columns[0])

    @property
    def labels(self) -> list[list[str]]:
        """The labels of every sentence."""
        self.require_labels()
        return self.column(self.label_column or LABEL)

    def require_labels(self) -> Corpus:
        """Return this corpus; raise an error if it has no labels."""
        if self.label_column is None:
            advice = "name one with label=... (--label)" if len(self.columns) > 1 else "add a column of labels, which is missing"
            raise InputError(f"no label column; the columns are {', '.join(self.columns)}; {advice}", source=self.source)
        return self

    def ids(self, name: str) -> NDArray[np.uint32]:
        """Return one number per token: its index in :meth:`strings` of the same column."""
        self._require(name)
        return self.native.ids(name)

    def strings(self, name: str) -> list[str]:
        """Return the distinct strings of a column; those of the whole corpus if this one was selected from it."""
        self._require(name)
        return self.native.strings(name)

    def offsets(self) -> NDArray[np.uint32]:
        """Return the offsets of sentences: sentence i is the tokens offsets[i] to offsets[i + 1]."""
        return self.native.offsets()

    @property
    def document_starts(self) -> list[int]:
        """The number of each document's first sentence; empty when documents are not marked."""
        return self.native.documents

    def document_of(self, sentence: int) -> tuple[Corpus, int]:
        """Return the document of a sentence and its number there; the sentence alone if documents are not marked.

        >>> corpus = Corpus.from_columns({"word": [["a"], ["b"], ["c"]]}, documents=[0, 1])
        >>> corpus.document_of(2)[0].words, corpus.document_of(2)[1]
        ([['b'], ['c']], 1)
        """
        starts = self.document_starts
        if not starts:
            return self.select([sentence]), 0
        index = bisect_right(starts, sentence)
        first, last = starts[max(index - 1, 0)], starts[index] if index < len(starts) else len(self)
        return self.select([sentence] if not first <= sentence < last else range(first, last)), sentence - first

    def _require(self, name: str) -> None:
        if name not in self.columns:
            raise InputError(f"no column {name!r}; the columns are {', '.join(self.columns)}", source=self.source)

    # Deriving ------------------------------------------------------------------------------------------------------------

    def select(self, sentences: Iterable[int]) -> Corpus:
        """Return a corpus of these sentences, in this order."""
        check_type(sentences, Iterable, "the numbers of sentences")
        try:
            chosen = [operator.index(sentence) for sentence in sentences]
        except TypeError as error:
            raise InputError(f"expected the numbers of sentences: {error}") from None
        if chosen and not 0 <= min(chosen) <= max(chosen) < len(self):
            wrong = next(number for number in chosen if not 0 <= number < len(self))
            raise InputError(f"sentence {wrong} does not exist: expected 0 to {len(self) - 1}", source=self.source)
        return self._derive(self.native.select(chosen), self.label_column)

    def drop_empty(self) -> Corpus:
        """Return a corpus of the sentences that have tokens.

        >>> Corpus.from_lists(word=[["Ann"], []]).drop_empty().words
        [['Ann']]
        """
        empty = set(self.native.empty_sentences())
        return self.select(number for number in range(len(self)) if number not in empty) if empty else self

    def split(
        self, share: float = 0.1, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
    ) -> tuple[Corpus, Corpus]:
        """Split off about ``share`` of the sentences (or documents); return the rest first. Both parts keep the order.

        Without ``shuffle`` the end of the corpus is split off. The same seed gives the same split on every machine.

        >>> corpus = Corpus.from_lists(word=[[str(i)] for i in range(10)])
        >>> train, dev = corpus.split(0.2)
        >>> len(train), len(dev)
        (8, 2)
        """
        if not isinstance(share, (int, float)) or not 0 < share < 1:
            raise InputError(f"share={share!r}: expected a number between 0 and 1")
        units = self._units(by_document)
        if len(units) < 2:
            raise InputError(f"cannot split {len(units)} {'document' if by_document else 'sentence'}: expected at least 2")
        count = min(max(round(share * len(units)), 1), len(units) - 1)
        train, held_out = _separate(units, _order(len(units), seed, shuffle)[len(units) - count :])
        return self.select(train), self.select(held_out)

    def folds(
        self, folds: int = 5, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
    ) -> Iterator[tuple[Corpus, Corpus]]:
        """Yield (train, test) ``folds`` times; the test parts are disjoint, and their union is the corpus.

        >>> corpus = Corpus.from_lists(word=[[str(i)] for i in range(5)])
        >>> sorted(sentence.words[0] for _, test in corpus.folds(2) for sentence in test)
        ['0', '1', '2', '3', '4']
        """
        for train, test in self.fold_numbers(folds, seed=seed, by_document=by_document, shuffle=shuffle):
            yield self.select(train), self.select(test)

    def fold_numbers(
        self, folds: int = 5, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the sentence numbers of :meth:`folds`.

        >>> list(Corpus.from_lists(word=[["a"], ["b"], ["c"]]).fold_numbers(3, shuffle=False))
        [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
        """
        units = self._units(by_document)
        if not isinstance(folds, int) or not 2 <= folds <= len(units):
            unit = "documents" if by_document else "sentences"
            raise InputError(f"folds={folds!r}: expected 2 to {len(units)}, the number of {unit}")
        order = _order(len(units), seed, shuffle)
        for fold in range(folds):
            yield _separate(units, order[fold * len(units) // folds : (fold + 1) * len(units) // folds])

    def documents(self) -> list[Corpus]:
        """Return one corpus for each document."""
        return [self.select(unit) for unit in self._units(by_document=True)]

    def _units(self, by_document: bool) -> Sequence[Sequence[int]]:
        """Return the runs of sentences that a split keeps together: single sentences or documents."""
        if not by_document:
            return [[i] for i in range(len(self))]
        starts = self.document_starts
        if not starts:
            marks = "-DOCSTART- lines (CoNLL), # newdoc (CoNLL-U) or a key document (JSONL)"
            raise InputError(f"the corpus has no documents; mark them with {marks}", source=self.source)
        return [range(first, last) for first, last in zip(starts, [*starts[1:], len(self)], strict=True)]

    def with_column(self, name: str, values: Iterable[Iterable[str]]) -> Corpus:
        """Return the corpus with a column added or replaced."""
        _check_names([name])
        with NameFaults(self.source):
            native = self.native.with_column(name, as_rows(values))
        return self._derive(native, self.label_column)

    def with_columns(self, columns: Mapping[str, str] | Iterable[str]) -> Corpus:
        """Return the corpus with only these columns, in this order; a mapping renames them (old name: new name)."""
        check_type(columns, Iterable, "the names of columns")
        columns = columns if isinstance(columns, Mapping) else list(columns)
        for name in columns:
            check_type(name, str, "the names of columns")
        names = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
        for name in names:
            self._require(name)
        if not names or len(set(names.values())) != len(names):
            raise InputError(f"expected one name or more, all different, got {', '.join(names.values()) or 'none'}")
        _check_names(names.values())
        native = self.native.with_names(list(names), list(names.values()))
        return self._derive(native, names.get(self.label_column) if self.label_column else None)

    def with_labels(self, labels: Iterable[Iterable[str]]) -> Corpus:
        """Return the corpus with other labels."""
        name = self.label_column or LABEL
        return Corpus(self.with_column(name, labels).native, label_column=name, source=self.source)

    def _derive(self, native: _native.Columns, label: str | None) -> Corpus:
        """Return a corpus with other columns: a new column ``label`` becomes the label column, an existing one does not."""
        label = None if self.label_column is None and LABEL in self.columns else label or LABEL
        return Corpus(native, label_column=label, source=self.source)

    def __reduce__(self) -> tuple[object, ...]:
        rebuild = partial(
            Corpus.from_columns,
            {name: self.column(name) for name in self.columns},
            documents=self.document_starts,
            asides=self.native.asides,
            label_column=self.label_column,
            source=self.source,
        )
        return rebuild, ()


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not isinstance(name, str) or not name or not name.isprintable():
            raise InputError(f"column name {name!r}: expected a word such as word or pos")


def _order(count: int, seed: int, shuffle: bool) -> list[int]:
    order = list(range(count))
    if shuffle:
        random.Random(seed).shuffle(order)
    return order


def _separate(units: Sequence[Sequence[int]], chosen: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the sentences of the other units and those of the chosen ones, both in the order of the corpus."""
    held_out = set(chosen)
    rest = [sentence for number, unit in enumerate(units) if number not in held_out for sentence in unit]
    return rest, [sentence for number in sorted(held_out) for sentence in units[number]]
