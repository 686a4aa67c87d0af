"""Brown clusters of the words of raw text: words that stand between the same neighbours come together, in a tree of clusters.

Brown et al. (1992), Class-based n-gram models of natural language; with the window of Liang (2005), Semi-supervised learning for
natural language. Deviation: neighbours are counted within sentences only, and the chance of a word is that of its being
somebody's neighbour, so that what is maximised is a mutual information also where rare words are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_utf8, source_name, write_text
from tagpool.errors import InputError
from tagpool.features.resources import Clusters

Text: TypeAlias = str | Path | Corpus | Iterable[str | Path | Sequence[str]]
_MOST_CLUSTERS = 20_000  # the table of two clusters each then takes 6 GB


@dataclass(frozen=True)
class BrownClusters:
    """Words with the bits of their clusters and how often they occurred, those of one cluster together, the frequent ones first.

    Words whose bits begin in the same way are alike, the more so the more bits are the same.
    """

    words: tuple[str, ...]
    bits: tuple[str, ...]
    counts: tuple[int, ...]
    token_count: int

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return len(set(self.bits))

    @property
    def clusters(self) -> Clusters:
        """The resource that templates use: ``resources={"brown": found.clusters}``."""
        return Clusters(dict(zip(self.words, self.bits, strict=True)))

    def write(self, path: str | Path) -> None:
        """Writes ``bits TAB word TAB count`` lines, as ``Clusters.read`` reads them; ``.gz`` is compressed."""
        rows = zip(self.bits, self.words, self.counts, strict=True)
        write_text(path, "".join(f"{bits}\t{word}\t{count}\n" for bits, word, count in rows))


def brown_clusters(
    text: Text,
    *,
    k: int = 1000,
    min_count: int = 1,
    simplify: bool = False,
    lower: bool = False,
    encoding: str = "utf-8",
    on_step: Callable[[int, int], object] | None = None,
) -> BrownClusters:
    """Makes ``k`` clusters of the words of a text.

    ``text`` is a file of tokenised text, one sentence a line with blanks between words (or several files; ``.gz`` or not, ``-``
    for standard input), or sentences: a :class:`Corpus`, or lists of words. Words that occur fewer than ``min_count`` times get
    no cluster. With ``simplify`` runs of digits are one 0, with ``lower`` words are in small letters, as templates can ask for
    them: ``cluster(brown, simplify(word))``. ``on_step`` is called with the steps done and their number. The same text, in
    whatever order, gives the same clusters.

    >>> found = brown_clusters([f"{the} cat sees {the} dog sees {the} cat".split() for the in ("a", "the")], k=3)
    >>> sorted(zip(found.words, found.bits))
    [('a', '11'), ('cat', '0'), ('dog', '0'), ('sees', '10'), ('the', '11')]
    """
    for name, value, least, most in (("k", k, 1, _MOST_CLUSTERS), ("min_count", min_count, 1, None)):
        if type(value) is not int or value < least or (most is not None and value > most):
            upper = "on" if most is None else f"to {most:,}"
            raise InputError(f"{name}={value!r}: expected a whole number from {least} {upper}")
    steps = [_native.Step(name) for name, wanted in (("simplify", simplify), ("lower", lower)) if wanted]
    sentences = _native.SentenceText(_native.WordFunction(steps))
    source = _add(sentences, text, encoding)
    if not sentences.token_count:
        raise InputError("expected sentences, got none: there are no words", source=source)
    bigrams = sentences.bigrams(min_count)
    if not len(bigrams):
        raise InputError(f"no word occurs {min_count:,} times: expected more text, or a smaller min_count", source=source)
    total = len(bigrams) - 1
    report = None if on_step is None else lambda done: on_step(done, total)
    bits = _bits(len(bigrams), min(k, len(bigrams)), _native.brown_merges(bigrams, k, report))
    rows = sorted(zip(bits, range(len(bits)), sentences.words(bigrams), bigrams.counts(), strict=True))
    words, paths, counts = zip(*((word, path, count) for path, _, word, count in rows), strict=True)
    return BrownClusters(words, paths, counts, sentences.token_count)


def _add(to: _native.SentenceText, text: Text, encoding: str) -> str | None:
    """Adds the sentences of a text; returns what it is called in messages."""
    given = [text] if isinstance(text, (str, Path)) else text.words if isinstance(text, Corpus) else text
    source = text.source if isinstance(text, Corpus) else None
    try:
        for each in given:
            if isinstance(each, (str, Path)):
                source = source_name(each)
                to.add_text(read_utf8(each, encoding=encoding))
            else:
                to.add_sentence(each)
    except _native.InputFault as fault:
        raise InputError(str(fault.args[0]), source=source) from None
    except TypeError:
        raise InputError("expected the name of a file, a Corpus, or sentences that are lists of words") from None
    return source


def _bits(words: int, clusters: int, merges: Sequence[tuple[int, int]]) -> list[str]:
    """The way from the root to each word's cluster: the last pairs to be joined are the first branches."""
    paths = [""] * (words + len(merges))
    for number in range(len(merges) - 1, -1, -1):
        first, second = merges[number]
        own = paths[words + number]
        branches = number > len(merges) - clusters
        paths[first], paths[second] = (own + "0", own + "1") if branches else (own, own)
    return [path or "0" for path in paths[:words]]  # a single cluster has no branches, and still needs bits
