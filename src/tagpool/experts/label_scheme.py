"""The transitions that tagging must not use: those that the tag scheme of the training labels does not allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tagpool import _native
from tagpool.corpus.schemes import Bigram, Detection, detect_from_bigrams
from tagpool.corpus.transitions import Scheme, has_label, legal_transition
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

_FEW_LABELS = 64  # for more, importing NumPy takes less time than a loop
MOST_LABELS = 1024  # of models with forbidden edges; as in native/model/forbidden_edges.cpp


def forbidden_edges(
    labels: Sequence[str],
    gold: Any,
    bounds: Any,
    known: NDArray[np.uint8] | None = None,
) -> bytes:
    """Mark the transitions [L][L], first [L] and last labels [L] that are neither legal in the tag scheme nor in the sentences.

    ``gold`` has the label number of each token, -1 if it is unknown; ``bounds`` the first token of each sentence, and the end.
    The result is empty if every transition is allowed, and for more than 1,024 labels. ``known``, [K + 2][K], has the forbidden
    edges of a model with the first K labels whose training continues. The new sentences may be few, so they forbid no others
    of these.

    >>> gold, bounds = np.array([0, 1, 2], np.int32), np.array([0, 3], np.uint32)
    >>> list(forbidden_edges(["O", "B-PER", "I-PER"], gold, bounds))
    [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    """
    if len(labels) > MOST_LABELS:  # without a matrix of their bigrams
        return b""
    return forbidden_by_counts(labels, _native.count_bigrams(gold, bounds, len(labels)), known)


def forbidden_by_counts(labels: Sequence[str], counts: Sequence[int], known: NDArray[np.uint8] | None = None) -> bytes:
    """Mark the edges that :func:`forbidden_edges` marks, by the counts of label bigrams, an [L + 1][L + 1] matrix.

    Number L is the boundary of a sentence.

    >>> forbidden_by_counts(["O", "I-PER"], [1, 1, 1, 0, 0, 1, 2, 0, 0])
    b''
    """
    if len(labels) > MOST_LABELS:
        return b""
    size = len(labels) + 1
    illegal = _illegal(detect_by_counts(labels, counts).scheme, labels)
    if known is not None:
        _keep_known(illegal, known.tolist())
    rows = [bytes(map(_is_forbidden, row, counts[at * size : at * size + size])) for at, row in enumerate(illegal)]
    edges = b"".join([*(row[:-1] for row in rows), bytes(row[-1] for row in rows[:-1])])
    return edges if any(edges) else b""


def detect_by_counts(labels: Sequence[str], counts: Sequence[int]) -> Detection:
    """Detect the scheme by the counts of label bigrams, an [L + 1][L + 1] matrix; number L is the boundary of a sentence.

    >>> detect_by_counts(["B-PER", "I-PER"], [0, 1, 0, 0, 0, 1, 1, 0, 0]).description
    'BIO2 (1 type, 2 labels)'
    """
    names = (*labels, None)
    bigrams: Iterator[Bigram] = product(names, names)
    return detect_from_bigrams({bigram: count for bigram, count in zip(bigrams, counts, strict=True) if count})


def _illegal(scheme: Scheme, labels: Sequence[str]) -> list[list[bool]]:
    """Return the transitions [L + 1][L + 1] that a scheme does not allow; labels of no scheme may be anywhere."""
    names = (*labels, None)
    has = [has_label(scheme, name) for name in names]
    if len(labels) > _FEW_LABELS:
        from tagpool.corpus.constraints import legal_transitions  # noqa: PLC0415 - it needs NumPy

        legal: list[list[bool]] = legal_transitions(scheme, labels).tolist()
    else:
        legal = [[legal_transition(before, after, scheme) for after in names] for before in names]
    return [[has[a] and has[b] and not allowed for b, allowed in enumerate(row)] for a, row in enumerate(legal)]


def _keep_known(illegal: list[list[bool]], known: list[list[bool]]) -> None:
    count = len(known) - 2
    for row, known_row, is_forbidden_last in zip(illegal, known, known[-1], strict=False):
        row[:count] = known_row
        row[-1] = is_forbidden_last
    illegal[-1][:count] = known[-2]


def _is_forbidden(is_illegal: bool, count: int) -> bool:
    return is_illegal and not count
