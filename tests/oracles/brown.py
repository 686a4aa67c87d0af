"""Brown clustering as its definition has it: every mutual information is computed from the whole text, every time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise


def neighbours(sentences: Sequence[Sequence[str]], words: set[str]) -> Counter[tuple[str, str]]:
    """Count bigrams of these words within sentences."""
    pairs = (pair for sentence in sentences for pair in pairwise(sentence))
    return Counter(pair for pair in pairs if words >= set(pair))


def information(pairs: Mapping[tuple[str, str], int], cluster_of: Mapping[str, Hashable]) -> float:
    """The mutual information of neighbouring clusters, in nats, times the number of pairs."""
    joint: Counter[tuple[Hashable, Hashable]] = Counter()
    for (first, second), count in pairs.items():
        joint[cluster_of[first], cluster_of[second]] += count
    total = sum(joint.values())
    left: Counter[Hashable] = Counter()
    right: Counter[Hashable] = Counter()
    for (first, second), count in joint.items():
        left[first] += count
        right[second] += count
    return sum(count * math.log(count * total / (left[a] * right[b])) for (a, b), count in joint.items())


def vocabulary(sentences: Sequence[Sequence[str]], minimum: int) -> list[str]:
    """The words seen so often, the most frequent first, then by the alphabet of bytes."""
    counts = Counter(word for sentence in sentences for word in sentence)
    return sorted((word for word in counts if counts[word] >= minimum), key=lambda word: (-counts[word], word.encode()))


def loss(pairs: Mapping[tuple[str, str], int], cluster_of: Mapping[str, int], first: int, second: int) -> float:
    """Loss of mutual information when two clusters are merged."""
    joined = {word: first if cluster == second else cluster for word, cluster in cluster_of.items()}
    return information(pairs, cluster_of) - information(pairs, joined)
