"""What the second of two stages sees of the first: columns beside the words, made of a document's labels.

Its own templates do not look at the label that a token itself was given: the token's features say as much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import spans
from tagpool.errors import InputError

STAGE = "stage"
"""The type of each token's label (PER of B-PER), for ``elsewhere`` to look at."""
MENTION = "mention"
"""The type of the longest phrase around a token that was labelled elsewhere in its document, and the place in it: PER/L."""
COLUMNS = (STAGE, MENTION)
TEMPLATES = f"""
elsewhere({STAGE}, most)[-1..1]
elsewhere({STAGE}, most)[0] & shape(word, short)[0]
elsewhere({STAGE}, most)[0] & elsewhere(casing(word), joined)[0]
{MENTION}[-1..1]
{MENTION}[0] & shape(word, short)[0]
"""
"""What a second stage looks at beside the templates of the first."""
_NONE = "-"

Labels = Sequence[Sequence[str]]


def staged(corpus: Corpus, labels: Labels) -> Corpus:
    """The corpus with what the labels of a first stage say.

    >>> words = [["Ann", "Lee", "spoke"], ["Lee", "left"], ["Ann", "Lee"]]
    >>> found = staged(Corpus.from_columns({"word": words}, documents=[0]), [["B-PER", "I-PER", "O"], ["O", "O"], ["O", "O"]])
    >>> found.column("stage")[0], found.column("mention")
    (['PER', 'PER', 'O'], [['-', '-', '-'], ['-', '-'], ['PER/B', 'PER/L']])
    """
    for name in COLUMNS:
        if name in corpus.columns:
            raise InputError(
                f"the corpus has a column {name!r}, which two stages make themselves: rename it", source=corpus.source
            )
    words = [[word.lower() for word in sentence] for sentence in corpus.words]
    starts = corpus.document_starts or range(len(corpus))
    found: list[list[str]] = []
    for first, last in zip(starts, [*starts[1:], len(corpus)], strict=True):
        found += mentions(words[first:last], labels[first:last])
    return corpus.with_column(STAGE, types(labels)).with_column(MENTION, found)


def types(labels: Labels) -> list[list[str]]:
    """The type of each label; labels without one are themselves.

    >>> types([["B-PER", "I-PER", "O"], ["NN"]])
    [['PER', 'PER', 'O'], ['NN']]
    """
    found = [list(sentence) for sentence in labels]
    for sentence, row in zip(labels, found, strict=True):
        for start, end, kind in spans(sentence):
            row[start:end] = [kind] * (end - start)
    return found


class _Met(NamedTuple):
    sentence: int
    start: int
    kind: str


def mentions(words: Labels, labels: Labels) -> list[list[str]]:
    """For each token of a document the longest phrase around it that was labelled elsewhere, as type and place (B, I, L, U).

    Of phrases of one length the leftmost counts; of types given to a phrase the most frequent, of equals the one met first.
    """
    met: dict[tuple[str, ...], list[_Met]] = {}
    for number, (sentence, row) in enumerate(zip(words, labels, strict=True)):
        for start, end, kind in spans(row):
            met.setdefault(tuple(sentence[start:end]), []).append(_Met(number, start, kind))
    lengths: dict[str, list[int]] = {}
    for phrase in met:
        known = lengths.setdefault(phrase[0], [])
        if len(phrase) not in known:
            known.append(len(phrase))
    return [_mentions_in(sentence, number, met, lengths) for number, sentence in enumerate(words)]


def _mentions_in(
    sentence: Sequence[str], number: int, met: dict[tuple[str, ...], list[_Met]], lengths: dict[str, list[int]]
) -> list[str]:
    found, longest = [_NONE] * len(sentence), [0] * len(sentence)
    for start, word in enumerate(sentence):
        for length in lengths.get(word, ()):
            if start + length > len(sentence):
                continue
            others = [each.kind for each in met.get(tuple(sentence[start : start + length]), ()) if each[:2] != (number, start)]
            if not others:
                continue
            (kind, _), *_ = Counter(others).most_common(1)  # of equals the one met first
            places = "U" if length == 1 else "B" + "I" * (length - 2) + "L"
            for at, place in enumerate(places, start):
                if length > longest[at]:
                    found[at], longest[at] = f"{kind}/{place}", length
    return found
