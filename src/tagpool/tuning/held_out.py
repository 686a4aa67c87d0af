"""The dev set of a search: given, or a held-out tenth of the training sentences."""

from __future__ import annotations

import warnings

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.evaluation.dev_sets import describe_weak_dev, has_no_spans
from tagpool.wording import counted

SHARE = 0.1


def hold_out(train: Corpus) -> tuple[Corpus, Corpus]:
    """Split off a tenth of the sentences; documents stay together. The split does not depend on the seed of the search.

    >>> from tagpool import builtin_corpus
    >>> [len(part) for part in hold_out(builtin_corpus(50))]
    [45, 5]
    """
    if len(train) < 2:
        size = counted(len(train), "sentence")
        raise InputError(f"a tenth of {size} is no dev set; add more sentences, or a dev set", source=train.source)
    return train.split(SHARE, by_document=len(train.document_starts) > 1)


def check_dev(train: Corpus, dev: Corpus) -> None:
    """Raise an error for a dev set whose scores are all equal, and warn about one that decides little."""
    if has_no_spans(dev):
        message = "the dev set has no spans, so that every score is 0; use sentences with other labels than O"
        raise InputError(message, source=dev.source)
    for text in describe_weak_dev(train, dev):
        warnings.warn(text, stacklevel=3)
