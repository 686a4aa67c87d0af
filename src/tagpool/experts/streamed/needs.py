"""Estimates of the memory of a training that reads its sentences from a file."""

from __future__ import annotations

from tagpool import _native

_FEATURE = 60  # bytes of observations and of the layout, during the search for places
_KNOWN = 70  # bytes of a feature in the dictionary: hash, count and name
_OCCURRENCE = 15  # bytes of a block: numbers, items and shards
_WEIGHT = 14  # bytes: the weight, its average, and its share of the model
_VECTORS = 20  # of doubles by weight, of L-BFGS


def places_memory(features: int) -> int:
    """Return the bytes that the search for the places of weights takes.

    >>> places_memory(1000)
    60000
    """
    return features * _FEATURE


def training_memory(weights: int, tokens: int, occurrences: int, *, full_batch: bool) -> int:
    """Return the bytes that training and the model take: ``occurrences`` of features in ``tokens``.

    >>> training_memory(1_000_000, 1000, 50_000, full_batch=False)
    14750000
    """
    block = min(tokens, _native.BLOCK_TOKENS) * occurrences // max(tokens, 1) * _OCCURRENCE
    return block + weights * (8 * _VECTORS if full_batch else _WEIGHT)


def predicted_memory(features: int, labels: int, tokens: int, occurrences: int, *, full_batch: bool) -> int:
    """Return the bytes that a training takes if this number of features must still be added to those that are known.

    >>> predicted_memory(1000, 9, 1000, 50_000, full_batch=False)
    1104000
    """
    stride = -(-labels // 8) * 8
    return features * (_FEATURE + _KNOWN) + training_memory(features * stride, tokens, occurrences, full_batch=full_batch)
