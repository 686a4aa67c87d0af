"""The transitions that tagging must not use: those that the tag scheme of the training labels does not allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.constraints import legal_transitions
from tagpool.corpus.schemes import Bigram, Detection, detect_from_bigrams
from tagpool.corpus.transitions import has_label

MOST_LABELS = 1024  # of models with forbidden edges; as in native/model/forbidden_edges.cpp


def forbidden_edges(
    labels: Sequence[str],
    gold: NDArray[np.int32],
    sentences: NDArray[np.uint32],
    known: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint8]:
    """Mark the transitions [L][L], first [L] and last labels [L] that are neither legal in the tag scheme nor in the sentences.

    ``gold`` has the label number of each token, -1 if it is unknown; ``sentences`` the first token of each sentence, and the end.
    The result is empty if every transition is allowed, and for more than 1,024 labels. ``known``, [K + 2][K], has the forbidden
    edges of a model with the first K labels whose training continues. The new sentences may be few, so they forbid no others
    of these.

    >>> gold, sentences = np.array([0, 1, 2], np.int32), np.array([0, 3], np.uint32)
    >>> forbidden_edges(["O", "B-PER", "I-PER"], gold, sentences).reshape(5, 3).tolist()
    [[0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]
    """
    if len(labels) > MOST_LABELS:
        return np.zeros(0, np.uint8)
    return forbidden_by_counts(labels, count_bigrams(len(labels), gold, sentences), known)


def forbidden_by_counts(
    labels: Sequence[str], counts: NDArray[np.int64], known: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Mark the edges that :func:`forbidden_edges` marks, by the counts of :func:`count_bigrams`.

    >>> forbidden_by_counts(["O", "I-PER"], np.array([[1, 1, 1], [0, 0, 1], [2, 0, 0]])).tolist()
    []
    """
    none = np.zeros(0, np.uint8)
    names = (*labels, None)
    scheme = detect_by_counts(labels, counts).scheme
    has = np.array([has_label(scheme, name) for name in names])  # other labels may be anywhere
    illegal = ~legal_transitions(scheme, labels) & has[:, None] & has
    if known is not None:
        _keep_known(illegal, known)
    illegal &= counts == 0
    edges = np.concatenate([illegal[:-1, :-1].ravel(), illegal[-1, :-1], illegal[:-1, -1]]).astype(np.uint8)
    return edges if edges.any() else none


def detect_scheme(labels: Sequence[str], gold: NDArray[np.int32], sentences: NDArray[np.uint32]) -> Detection:
    """Detect the scheme of labels by number.

    >>> detect_scheme(["B-PER", "I-PER"], np.array([0, 1], np.int32), np.array([0, 2], np.uint32)).description
    'BIO2 (1 type, 2 labels)'
    """
    return detect_by_counts(labels, count_bigrams(len(labels), gold, sentences))


def detect_by_counts(labels: Sequence[str], counts: NDArray[np.int64]) -> Detection:
    """Detect the scheme by the counts of :func:`count_bigrams`."""
    names = (*labels, None)
    bigrams: dict[Bigram, int] = {(names[a], names[b]): int(counts[a, b]) for a, b in np.argwhere(counts)}
    return detect_from_bigrams(bigrams)


def _keep_known(illegal: NDArray[np.bool_], known: NDArray[np.uint8]) -> None:
    count = known.shape[1]
    illegal[:count, :count], illegal[-1, :count], illegal[:count, -1] = known[:count], known[count], known[count + 1]


def count_bigrams(count: int, gold: NDArray[np.int32], sentences: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Count label bigrams, [L + 1][L + 1]; number L is the boundary of a sentence. Bigrams with an unknown label do not count."""
    bounds = sentences.astype(np.int64)
    first = np.zeros(len(gold) + 1, bool)
    first[bounds] = True
    inner = ~first[1:-1]
    before = np.concatenate([gold[:-1][inner], np.full(len(bounds) - 1, count), gold[bounds[1:] - 1]]).astype(np.int64)
    after = np.concatenate([gold[1:][inner], gold[bounds[:-1]], np.full(len(bounds) - 1, count)]).astype(np.int64)
    known = (before >= 0) & (after >= 0)
    size = count + 1
    return np.bincount(before[known] * size + after[known], minlength=size * size).reshape(size, size)
