"""Brown clustering: a binary tree of clusters, in which words with similar neighbours are close.

Brown et al. (1992), Class-based n-gram models of natural language; with the window of Liang (2005), Semi-supervised learning for
natural language. Deviation: bigrams are counted within sentences only, and word probabilities are marginals of the bigram
counts. So the objective is a mutual information even if rare words are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_utf8, source_name
from tagpool.errors import InputError
from tagpool.wording import counted

Text: TypeAlias = str | Path | Corpus | Iterable[str | Path | Sequence[str]]
_LARGEST_COUNT = 2**32 - 1
_MOST_CLUSTERS = 20_000  # a table of all pairs of clusters then takes 6 GB


def brown_rows(
    text: Text,
    k: int,
    min_count: int,
    function: _native.WordFunction,
    encoding: str,
    on_step: Callable[[int, int], object] | None,
) -> list[tuple[str, str, int]]:
    """Return (bits, word, count) for :meth:`tagpool.Clusters.brown`, sorted by bits, frequent words first."""
    if type(k) is not int or not 1 <= k <= _MOST_CLUSTERS:
        raise InputError(f"k={k!r}: expected a whole number from 1 to {_MOST_CLUSTERS:,}")
    if type(min_count) is not int or not 1 <= min_count <= _LARGEST_COUNT:
        raise InputError(f"min_count={min_count!r}: expected a whole number from 1 to {_LARGEST_COUNT:,}")
    sentences = _native.SentenceText(function)
    source = _add(sentences, text, encoding)
    if not sentences.token_count:
        raise InputError("expected sentences, got none: there are no words", source=source)
    bigrams = sentences.bigrams(min_count)
    if not len(bigrams):
        raise InputError(
            f"no word occurs {counted(min_count, 'time')}: expected more text, or a smaller min_count", source=source
        )
    total = len(bigrams) - 1
    report = None if on_step is None else lambda done: on_step(done, total)
    bits = _bits(len(bigrams), min(k, len(bigrams)), _native.brown_merges(bigrams, k, report))
    rows = sorted(zip(bits, range(len(bits)), sentences.words(bigrams), bigrams.counts(), strict=True))
    return [(path, word, count) for path, _, word, count in rows]


def _add(sentences: _native.SentenceText, text: Text, encoding: str) -> str | None:
    """Add the sentences of a text; return its name for messages."""
    parts = [text] if isinstance(text, (str, Path)) else text.words if isinstance(text, Corpus) else text
    source = text.source if isinstance(text, Corpus) else None
    try:
        for part in parts:
            if isinstance(part, (str, Path)):
                source = source_name(part)
                sentences.add_text(read_utf8(part, encoding=encoding))
            else:
                sentences.add_sentence(part)
    except _native.InputFault as fault:
        raise InputError(str(fault.args[0]), source=source) from None
    except TypeError:
        raise InputError("expected the name of a file, a Corpus, or sentences that are lists of words") from None
    return source


def _bits(words: int, clusters: int, merges: Sequence[tuple[int, int]]) -> list[str]:
    """Return the path from the root to each word's cluster; the last merges are the first branches."""
    paths = [""] * (words + len(merges))
    for number in range(len(merges) - 1, -1, -1):
        first, second = merges[number]
        path = paths[words + number]
        branches = number > len(merges) - clusters
        paths[first], paths[second] = (path + "0", path + "1") if branches else (path, path)
    return [path or "0" for path in paths[:words]]  # a single cluster has an empty path but needs a bit
