"""Reader of the labelled files of a training."""

from __future__ import annotations

from collections.abc import Sequence

from tagpool.config import DataOptions
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError


def read_labelled(path: str, options: DataOptions) -> Corpus:
    """Read the sentences of a file; an error if they have no labels."""
    corpus = read_corpus(path, columns=options.columns, label=options.label, format=options.format, encoding=options.encoding)
    return corpus.require_labels()


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """One corpus of several with the same columns."""
    first = corpora[0]
    if len(corpora) == 1:
        return first
    starts: list[int] = []
    count = 0
    for corpus in corpora:
        if corpus.columns != first.columns or corpus.label_column != first.label_column:
            raise InputError(
                f"the columns are {', '.join(corpus.columns)}, those of {first.source} are {', '.join(first.columns)}; "
                "name the columns of all files with --columns",
                source=corpus.source,
            )
        starts += [count + start for start in corpus.document_starts or [0]]
        count += len(corpus)
    columns = {name: [values for corpus in corpora for values in corpus.column(name)] for name in first.columns}
    documents = starts if any(corpus.document_starts for corpus in corpora) else []
    return Corpus.from_columns(columns, documents=documents, label_column=first.label_column, source=first.source)
