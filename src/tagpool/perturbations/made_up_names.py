"""Made-up names: new words that look like those of names of a type, from the n-grams of their characters."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.letters import has_letters, is_letter
from tagpool.perturbations.perturbation import NotApplicable
from tagpool.perturbations.rewriting import LabelledRows

_CONTEXT = 2  # characters before the next one: longer contexts repeat the known words
_START, _END = "\x02", "\x03"
_TRIES = 50
_Following = dict[str, tuple[list[str], list[int]]]  # by context: the characters that follow it, and their summed counts
Name = tuple[str, ...]


def count_names(corpus: Corpus) -> dict[str, Counter[Name]]:
    """Return how often each name of each type occurs; raise NotApplicable for a corpus without spans."""
    rows = LabelledRows(corpus)
    rows.require_spans()
    names: dict[str, Counter[Name]] = {}
    for number, words in enumerate(rows.words):
        for start, end, kind in rows.spans_of(number):
            names.setdefault(kind, Counter())[tuple(words[start:end])] += 1
    return names


class NameMaker:
    """Replaces the words of names by new ones that occur neither in the corpus nor in ``known``, in upper or lower case.

    Words that occur more often outside of names (*of*, *the*), initials and numbers stay, unless a name has no other words. A
    word has the same replacement in all names of a type and of a document, so *Bill Clinton* and *Clinton* stay related.
    """

    def __init__(self, corpus: Corpus, known: set[str]) -> None:
        names = count_names(corpus)
        words = Counter(word for row in corpus.words for word in row)
        inside: Counter[str] = Counter()
        for names_of_type in names.values():
            for name, count in names_of_type.items():
                for word in name:
                    inside[word] += count
        if not any(map(has_letters, inside)):
            raise NotApplicable("the names have no letters", source=corpus.source)
        self._kept = {word for word, count in inside.items() if words[word] > 2 * count or _letter_count(word) < 2}
        self._known = {word.lower() for word in known} | {word.lower() for word in words}
        self._models = {kind: _count_ngrams(list(counts), self._kept) for kind, counts in names.items()}

    def rename(self, name: Name, kind: str, place: str) -> Name:
        """Return a new name of the same form; ``place`` is the start of the seed."""
        chosen = [has_letters(word) and word not in self._kept for word in name]
        if not any(chosen):
            chosen = [has_letters(word) for word in name]
        return tuple(
            self._rewrite(word, kind, Random(f"{place} {word.lower()}")) if new else word
            for word, new in zip(name, chosen, strict=True)
        )

    def _rewrite(self, word: str, kind: str, random: Random) -> str:
        new = self._invent(self._models[kind], word, random)
        if word.upper() == word and word.lower() != word:
            return new.upper()
        first = next(at for at, character in enumerate(word) if is_letter(character))
        if word[first] != word[first].lower():
            return new[:1].title() + new[1:]
        return new

    def _invent(self, model: _Following, word: str, random: Random) -> str:
        """Return an unknown word in lower case that is at most twice as long as the old one."""
        longest = max(2 * len(word), 4)
        for _ in range(_TRIES):
            new = _draw_word(model, longest, random)
            if self._is_new(new):
                return new
        letters = sorted({character for characters, _ in model.values() for character in characters} - {_END}) or list("ae")
        new = word.lower()
        while not self._is_new(new):
            new += random.choice(letters)
        return new

    def _is_new(self, word: str) -> bool:
        return has_letters(word) and not {word, word.upper().lower(), word.title().lower()} & self._known


def _letter_count(word: str) -> int:
    return sum(map(is_letter, word))


def _count_ngrams(names: Sequence[Name], left_out: set[str]) -> _Following:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name in names:
        for word in name:
            if word in left_out or not has_letters(word):
                continue
            text = _START * _CONTEXT + word.lower() + _END
            for at in range(_CONTEXT, len(text)):
                counts[text[at - _CONTEXT : at]][text[at]] += 1
    return {context: (list(following), list(accumulate(following.values()))) for context, following in counts.items()}


def _draw_word(model: _Following, longest: int, random: Random) -> str:
    """Return a word drawn from the n-grams; an empty one if it would be too long."""
    text = _START * _CONTEXT
    while len(text) <= _CONTEXT + longest:
        following = model.get(text[-_CONTEXT:])
        if not following:
            return ""
        characters, totals = following
        character = characters[bisect(totals, random.random() * totals[-1], 0, len(totals) - 1)]
        if character == _END:
            return text[_CONTEXT:]
        text += character
    return ""
