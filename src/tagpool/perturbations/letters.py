"""Letters of a word: units of a letter with its marks, scripts, and the letters of a corpus."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from random import Random


@lru_cache(maxsize=1 << 16)
def is_letter(unit: str) -> bool:
    """Return whether a letter with its marks begins with a letter.

    >>> is_letter("é"), is_letter("7")
    (True, False)
    """
    return unicodedata.category(unit[0])[0] == "L"


@lru_cache(maxsize=1 << 16)
def is_mark(character: str) -> bool:
    """Return whether a character is written on or with the one before, such as a vowel sign."""
    return unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"


@lru_cache(maxsize=1 << 16)
def units_of(word: str) -> tuple[str, ...]:
    """Split a word into characters, each with the marks that belong to it.

    >>> units_of("नीचे")
    ('नी', 'चे')
    """
    units: list[str] = []
    for character in word:
        if units and is_mark(character):
            units[-1] += character
        else:
            units.append(character)
    return tuple(units)


@lru_cache(maxsize=1 << 16)
def script_of(unit: str) -> str:
    """Return the script of a letter: the first word of its Unicode name.

    >>> script_of("ж"), script_of("é")
    ('CYRILLIC', 'LATIN')
    """
    return unicodedata.name(unit[0], "").partition(" ")[0]


@lru_cache(maxsize=1 << 16)
def is_punctuation(word: str) -> bool:
    """Return whether a word has punctuation marks only.

    >>> is_punctuation("..."), is_punctuation("U.S."), is_punctuation("")
    (True, False, False)
    """
    return bool(word) and all(unicodedata.category(character)[0] == "P" for character in word)


@lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Return whether a token has a letter or a digit.

    >>> is_word("3rd"), is_word("--")
    (True, False)
    """
    return any(unicodedata.category(character)[0] in "LN" for character in token)


def has_letters(word: str) -> bool:
    """Return whether a word has a letter."""
    return any(map(is_letter, word))


def has_case(text: str) -> bool:
    """Return whether a text has a letter with an upper and a lower case form."""
    return text.lower() != text or text.upper() != text


class Alphabet:
    """The letters that occur in a corpus, by script, as often as they do there."""

    def __init__(self, words: Iterable[Iterable[str]]) -> None:
        counts: dict[str, Counter[str]] = {}
        for unit, count in _count_units(words).items():
            if is_letter(unit):
                counts.setdefault(script_of(unit), Counter())[unit.lower()] += count
        self._letters = {script: sorted(letters) for script, letters in counts.items()}
        self._weights = {script: [counts[script][one] for one in letters] for script, letters in self._letters.items()}
        self.letters = frozenset(letter for letters in self._letters.values() for letter in letters)

    def other(self, unit: str, random: Random) -> str | None:
        """Return another letter of the script of a letter, None if there is no other one."""
        script = script_of(unit)
        letters = self._letters.get(script, [])
        if all(letter == unit.lower() for letter in letters):
            return None
        while True:
            letter = random.choices(letters, self._weights[script])[0]
            if letter != unit.lower():
                return letter


def _count_units(words: Iterable[Iterable[str]]) -> Counter[str]:
    """Count the characters, each with its marks.

    >>> sorted(_count_units([["ab", "a"], ["नी"]]).items())
    [('a', 2), ('b', 1), ('नी', 1)]
    """
    by_word = Counter(word for row in words for word in row)
    characters = Counter("".join(word for word, count in by_word.items() for _ in range(count)))
    if not any(map(is_mark, characters)):  # the usual case, and fast
        return characters
    units: Counter[str] = Counter()
    for word, count in by_word.items():
        for unit in units_of(word):
            units[unit] += count
    return units
