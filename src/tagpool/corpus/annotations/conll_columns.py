"""CoNLL columns and CoNLL-U as annotations: one label column, or one annotator per column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer
from tagpool.corpus.annotations.token_lists import ABSTAINS
from tagpool.corpus.conll import DOCUMENT_START
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.files import read_lines, source_name
from tagpool.corpus.formats import Format, format_of, read_corpus, read_labelled
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError

ALL = "*"


def read_columns(
    path: str | Path, column: str | None, *, columns: str | None, gold: str | None, encoding: str
) -> list[Annotation]:
    """Read one column (None: the last, or ``label``), or with ``*`` all but the words and the ``gold`` labels."""
    if column != ALL:
        corpus = read_labelled(path, columns=columns, label=column, encoding=encoding)
        return corpus_annotations(corpus, {DEFAULT_LAYER: corpus.label_column or LABEL}, path, encoding)
    if columns is None and format_of(path) is not Format.CONLLUP:
        advice = "name its columns with --columns, such as --columns word,label,a,b; all but word and label are experts"
        raise InputError(f"@* needs the names of the columns; {advice}", source=source_name(path))
    corpus = read_corpus(path, columns=columns, encoding=encoding)
    names = [name for name in corpus.columns if name not in (WORD, SPACE, gold or LABEL)]
    return corpus_annotations(corpus, {name: name for name in names}, path, encoding)


def corpus_annotations(corpus: Corpus, layers: dict[str, str], path: str | Path, encoding: str) -> list[Annotation]:
    """Return the sentences of a corpus; ``layers`` maps annotators to columns."""
    source, lines = source_name(path), LinesOfTokens(path, encoding)
    lists = {name: corpus.column(column) for name, column in layers.items()}
    starts = corpus.document_starts
    annotations = []
    for number, words in enumerate(corpus.words):
        labels = {name: Layer([None if label == ABSTAINS else label for label in rows[number]]) for name, rows in lists.items()}
        document = f"{source} {bisect_right(starts, number)}" if starts else None
        line_of = partial(lines.of, number)
        annotations.append(Annotation(source, 0, labels, words=words, document=document, line_of=line_of))
    return annotations


class LinesOfTokens:
    """Lines of the tokens of a CoNLL file; it is read again when the first line is needed, for an error."""

    def __init__(self, path: str | Path, encoding: str) -> None:
        self.path, self.encoding = path, encoding

    @cached_property
    def first_lines(self) -> list[int]:
        """The first line of every sentence."""
        return list(_first_lines(read_lines(self.path, encoding=self.encoding)))

    def of(self, sentence: int, token: int) -> int:
        """Return the line of a token, from 1."""
        return (self.first_lines[sentence] if sentence < len(self.first_lines) else 1) + token


def _first_lines(lines: Sequence[str]) -> Iterator[int]:
    inside = False
    for number, line in enumerate(lines, 1):
        is_comment = line.startswith(DOCUMENT_START) or (line.startswith("#") and not inside)
        if not line.strip():
            inside = False
        elif not inside and not is_comment:
            inside = True
            yield number
