"""Columns of what first labels say about the same words in the other documents of a collection.

A collection is a set of sentences that one tagger labelled without having seen any of them: dev, test, or the part of the
training sentences that a fold leaves out. Names recur in the news of a few days (Krishnan and Manning 2006). The
document itself is left out: columns of two stages describe it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import spans
from tagpool.pools.two_stage.columns import label_types

OTHERS, KNOWN = "others", "known"
COLUMNS = (OTHERS, KNOWN)
TEMPLATES = f"""
{OTHERS}[-1..1]
{OTHERS}[0] & shape(word, short)[0]
{OTHERS}[0] & elsewhere(stage, most)[0]
{KNOWN}[-1..1]
{KNOWN}[0] & shape(word, short)[0]
"""
"""Templates of these columns, in addition to those of two stages."""
_NONE = "-"
_SEVERAL, _MANY = 2, 4  # occurrences
_MOSTLY, _NEARLY_ALL = 0.6, 0.9  # shares of the most frequent type

Labels: TypeAlias = Sequence[Sequence[str]]
Phrase: TypeAlias = tuple[str, ...]
Counts: TypeAlias = dict[Phrase, Counter[str]]


def add_other_documents(corpus: Corpus, labels: Labels, collections: Iterable[Sequence[int]]) -> Corpus:
    """Return the corpus with the columns; ``collections`` are sentence numbers, together all sentences.

    >>> words = [["Ann", "Lee", "spoke"], ["Lee", "left"]]
    >>> labels = [["B-PER", "E-PER", "O"], ["O", "O"]]
    >>> added = add_other_documents(Corpus.from_columns({"word": words}, documents=[0, 1]), labels, [[0, 1]])
    >>> added.column("others"), added.column("known")
    ([['-', 'O/1a', '-'], ['PER/1a', '-']], [['-', '-', '-'], ['-', '-']])
    """
    rows: dict[str, list[list[str]]] = {name: [[] for _ in range(len(corpus))] for name in COLUMNS}
    for numbers in collections:
        part = corpus.select(numbers)
        for number, others, known in zip(numbers, *_columns(part, [labels[number] for number in numbers]), strict=True):
            rows[OTHERS][number], rows[KNOWN][number] = others, known
    for name, column in rows.items():
        corpus = corpus.with_column(name, column)
    return corpus


def _columns(corpus: Corpus, labels: Labels) -> tuple[list[list[str]], list[list[str]]]:
    written = corpus.words
    lowered = [[word.lower() for word in sentence] for sentence in written]
    starts = corpus.document_starts or range(len(corpus))
    documents = [range(first, last) for first, last in zip(starts, [*starts[1:], len(corpus)], strict=True)]
    types = label_types(labels)
    # Words in small letters are nearly always outside of names and say nothing about the others.
    words = [_counted(((lowered[i][at],), types[i][at]) for i, at in _capitalised(written, part)) for part in documents]
    phrases = [_counted((tuple(lowered[i][a:b]), kind) for i in part for a, b, kind in spans(labels[i])) for part in documents]
    all_words, all_phrases = _summed(words), _summed(phrases)
    lengths: dict[str, set[int]] = {}
    for phrase in all_phrases:
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    others, known = [], []
    for part, own_words, own_phrases in zip(documents, words, phrases, strict=True):
        for sentence in lowered[part.start : part.stop]:
            others.append([described(_without(all_words, own_words, (word,))) for word in sentence])
            known.append(_longest(sentence, lengths, all_phrases, own_phrases))
    return others, known


def _capitalised(words: Labels, sentences: range) -> Iterator[tuple[int, int]]:
    for number in sentences:
        yield from ((number, at) for at, word in enumerate(words[number]) if word != word.lower())


def _counted(items: Iterable[tuple[Phrase, str]]) -> Counts:
    counts: Counts = {}
    for phrase, kind in items:
        counts.setdefault(phrase, Counter())[kind] += 1
    return counts


def _summed(parts: Iterable[Counts]) -> Counts:
    total: Counts = {}
    for part in parts:
        for phrase, counts in part.items():
            total.setdefault(phrase, Counter()).update(counts)
    return total


def _without(total: Counts, own: Counts, phrase: Phrase) -> Counter[str]:
    counts = total.get(phrase, Counter())
    return counts - own[phrase] if phrase in own else counts


def described(counts: Counter[str]) -> str:
    """Return the most frequent type with bins of its number of occurrences and of its share.

    >>> described(Counter(PER=5, ORG=1)), described(Counter(LOC=1)), described(Counter())
    ('PER/4m', 'LOC/1a', '-')
    """
    number = counts.total()
    if not number:
        return _NONE
    kind = _most(counts)
    share = counts[kind] / number
    much = 1 if number < _SEVERAL else _SEVERAL if number < _MANY else _MANY
    return f"{kind}/{much}{'a' if share >= _NEARLY_ALL else 'm' if share >= _MOSTLY else 's'}"


def _most(counts: Counter[str]) -> str:
    return max(sorted(counts), key=counts.__getitem__)  # of equals the first in the alphabet


def _longest(sentence: Sequence[str], lengths: dict[str, set[int]], total: Counts, own: Counts) -> list[str]:
    """Return for each token the longest phrase around it that is labelled in other documents, as type and place."""
    column, longest = [_NONE] * len(sentence), [0] * len(sentence)
    for start, word in enumerate(sentence):
        for length in sorted(lengths.get(word, ())):
            counts = _without(total, own, tuple(sentence[start : start + length]))
            if start + length > len(sentence) or not counts:
                continue
            places = "U" if length == 1 else "B" + "I" * (length - 2) + "L"
            for at, place in enumerate(places, start):
                if length > longest[at]:
                    column[at], longest[at] = f"{_most(counts)}/{place}", length
    return column
