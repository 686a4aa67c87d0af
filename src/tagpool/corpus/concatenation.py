"""Concatenation of corpora."""

from __future__ import annotations

from collections.abc import Sequence

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """Return one corpus of several with the same columns, with their documents and comments.

    >>> parts = [Corpus.from_lists(word=[["a"]]), Corpus.from_lists(word=[["b", "c"]])]
    >>> concatenate(parts).words
    [['a'], ['b', 'c']]
    """
    first = corpora[0]
    if len(corpora) == 1:
        return first
    starts: list[int] = []
    asides: list[tuple[int, int, str]] = []
    count = 0
    for corpus in corpora:
        if corpus.columns != first.columns or corpus.label_column != first.label_column:
            raise InputError(
                f"the columns are {', '.join(corpus.columns)}, those of {first.source} are {', '.join(first.columns)}; "
                "name the columns of all files with --columns",
                source=corpus.source,
            )
        starts += [count + start for start in corpus.document_starts or [0]]
        asides += [(count + sentence, position, line) for sentence, position, line in corpus.native.asides]
        count += len(corpus)
    columns = {name: [values for corpus in corpora for values in corpus.column(name)] for name in first.columns}
    documents = starts if any(corpus.document_starts for corpus in corpora) else []
    return Corpus.from_columns(columns, documents=documents, asides=asides, label_column=first.label_column, source=first.source)
