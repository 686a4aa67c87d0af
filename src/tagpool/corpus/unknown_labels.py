"""Unknown labels, of tokens that were not labelled: neither a type nor ``O``."""

from __future__ import annotations

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, detect

UNKNOWN = "?"  # label of tokens that may be in an entity


def has_span_labels(corpus: Corpus) -> bool:
    """Return whether the labels are those of spans; unknown ones do not count."""
    return detect([[label for label in row if label != UNKNOWN] for row in corpus.labels]).scheme is not Scheme.PLAIN
