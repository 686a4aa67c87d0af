"""Characters that whole sentences lose: diacritics and digits."""

from __future__ import annotations

import unicodedata

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.perturbations.letters import is_mark, script_of
from tagpool.perturbations.perturbation import Change, NotApplicable, Perturbation, Text

# Scripts that are also written without marks. In others, such as Devanagari, marks are vowels that writers never leave out.
_OPTIONAL_MARKS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW"})
_NO_DECOMPOSITION = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
_NO_DECOMPOSITION |= {key.upper(): value.capitalize() for key, value in _NO_DECOMPOSITION.items() if len(key.upper()) == 1}
_KEPT = {"й", "Й"}  # a key of its own on every Cyrillic keyboard


def strip_diacritics(word: str) -> str:
    """Return a word without the diacritics that writers leave out.

    >>> strip_diacritics("Ærø"), strip_diacritics("Muñoz"), strip_diacritics("ёлка"), strip_diacritics("हिन्दी")
    ('Aero', 'Munoz', 'елка', 'हिन्दी')
    """
    letters: list[str] = []
    for character in unicodedata.normalize("NFC", word):
        optional = script_of(letters[-1] if letters and is_mark(character) else character) in _OPTIONAL_MARKS
        if character in _KEPT or not optional:
            letters.append(character)
        elif character in _NO_DECOMPOSITION:
            letters.append(_NO_DECOMPOSITION[character])
        else:
            letters += [part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn"]
    return "".join(letters) or word


def mask_digits(word: str, mask: str) -> str:
    """Return a word with every digit replaced.

    >>> mask_digits("3,5-km", "0")
    '0,0-km'
    """
    return "".join(mask if unicodedata.category(character) == "Nd" else character for character in word)


def _prepare_diacritics(corpus: Corpus) -> Change:
    new_words = {word: strip_diacritics(word) for word in {word for row in corpus.words for word in row}}
    if all(new == word for word, new in new_words.items()):
        raise NotApplicable("the text has no diacritics", source=corpus.source)
    return _in_sentences(new_words)


def _prepare_digits(corpus: Corpus, mask: str = "0") -> Change:
    if not isinstance(mask, str) or len(mask) != 1 or not mask.isprintable() or mask.isspace():
        raise InputError(f"mask={mask!r}: expected one character, such as '0' or '#'")
    vocabulary = {word for row in corpus.words for word in row}
    new_words = {word: mask_digits(word, mask) for word in vocabulary}
    if all(new == word for word, new in new_words.items()):
        masked = any(mask in word for word in vocabulary)
        raise NotApplicable(f"all digits are {mask} in the text" if masked else "the text has no digits", source=corpus.source)
    return _in_sentences(new_words)


def _in_sentences(new_words: dict[str, str]) -> Change:
    def change(text: Text) -> list[str]:
        return [new_words[word] for word in text.words] if text.happens() else list(text.words)

    return change


DIACRITICS = Perturbation("diacritics", "text without diacritics", _prepare_diacritics, unit="sentence")
DIGITS = Perturbation("digits", "every digit masked (as 0)", _prepare_digits, unit="sentence")
