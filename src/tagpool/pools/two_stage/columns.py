"""Columns for the second stage, computed from the labels of the first stage in the document.

The templates do not use the first label of the token itself: its features contain the same information.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import spans
from tagpool.errors import InputError

STAGE = "stage"
"""Column of the type of each label (PER for B-PER), for ``elsewhere``."""
MENTION = "mention"
"""Column of the longest phrase around a token that is labelled elsewhere in the document: type and place, as in PER/L."""
COLUMNS = (STAGE, MENTION)
TEMPLATES = f"""
elsewhere({STAGE}, most)[-1..1]
elsewhere({STAGE}, most)[0] & shape(word, short)[0]
elsewhere({STAGE}, most)[0] & elsewhere(casing(word), joined)[0]
{MENTION}[-1..1]
{MENTION}[0] & shape(word, short)[0]
"""
"""Templates of the second stage in addition to those of the first."""
_NONE = "-"

Labels = Sequence[Sequence[str]]


def add_columns(corpus: Corpus, labels: Labels) -> Corpus:
    """Return the corpus with the columns of first-stage labels.

    >>> words = [["Ann", "Lee", "spoke"], ["Lee", "left"], ["Ann", "Lee"]]
    >>> labels = [["B-PER", "I-PER", "O"], ["O", "O"], ["O", "O"]]
    >>> added = add_columns(Corpus.from_columns({"word": words}, documents=[0]), labels)
    >>> added.column("stage")[0], added.column("mention")
    (['PER', 'PER', 'O'], [['-', '-', '-'], ['-', '-'], ['PER/B', 'PER/L']])
    """
    for name in COLUMNS:
        if name in corpus.columns:
            raise InputError(f"the corpus has a column {name!r}, which two stages add: rename it", source=corpus.source)
    words = [[word.lower() for word in sentence] for sentence in corpus.words]
    starts = corpus.document_starts or range(len(corpus))
    mentions: list[list[str]] = []
    for first, last in zip(starts, [*starts[1:], len(corpus)], strict=True):
        mentions += mention_column(words[first:last], labels[first:last])
    return corpus.with_column(STAGE, label_types(labels)).with_column(MENTION, mentions)


def label_types(labels: Labels) -> list[list[str]]:
    """Return the type of each label; labels without a type are unchanged.

    >>> label_types([["B-PER", "I-PER", "O"], ["NN"]])
    [['PER', 'PER', 'O'], ['NN']]
    """
    types = [list(sentence) for sentence in labels]
    for sentence, row in zip(labels, types, strict=True):
        for start, end, kind in spans(sentence):
            row[start:end] = [kind] * (end - start)
    return types


_Occurrences = dict[tuple[str, ...], list[tuple[int, int, str]]]
"""Sentence, start and type of the mentions of each phrase."""


def mention_column(words: Labels, labels: Labels) -> list[list[str]]:
    """Return for each token the longest phrase around it that is labelled elsewhere, as type and place (B, I, L, U).

    Of phrases of equal length the leftmost counts, of several types of a phrase the most frequent, then the first.
    """
    occurrences: _Occurrences = {}
    for number, (sentence, row) in enumerate(zip(words, labels, strict=True)):
        for start, end, kind in spans(row):
            occurrences.setdefault(tuple(sentence[start:end]), []).append((number, start, kind))
    lengths: dict[str, list[int]] = {}
    for phrase in occurrences:
        known = lengths.setdefault(phrase[0], [])
        if len(phrase) not in known:
            known.append(len(phrase))
    return [_mentions_in(sentence, number, occurrences, lengths) for number, sentence in enumerate(words)]


def _mentions_in(sentence: Sequence[str], number: int, occurrences: _Occurrences, lengths: dict[str, list[int]]) -> list[str]:
    mentions, longest = [_NONE] * len(sentence), [0] * len(sentence)
    for start, word in enumerate(sentence):
        for length in lengths.get(word, ()):
            if start + length > len(sentence):
                continue
            phrase = tuple(sentence[start : start + length])
            others = [kind for *place, kind in occurrences.get(phrase, ()) if place != [number, start]]
            if not others:
                continue
            (kind, _), *_ = Counter(others).most_common(1)  # of equals the first
            places = "U" if length == 1 else "B" + "I" * (length - 2) + "L"
            for at, place in enumerate(places, start):
                if length > longest[at]:
                    mentions[at], longest[at] = f"{kind}/{place}", length
    return mentions
