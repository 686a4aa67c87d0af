"""Typos: one slip of the keyboard in a word."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.letters import Alphabet, is_letter, units_of
from tagpool.perturbations.perturbation import Change, NotApplicable, Perturbation, Text

_KEYBOARDS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
    ("ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
)


def _neighbours(keyboards: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Return the neighbours of each key: on the same row, and the two keys that touch it above and below."""
    near: dict[str, str] = {}
    for rows in keyboards:
        for row, keys in enumerate(rows):
            for at, key in enumerate(keys):
                near[key] = keys[max(at - 1, 0) : at] + keys[at + 1 : at + 2]
                if row > 0:
                    near[key] += rows[row - 1][at : at + 2]
                if row + 1 < len(rows):
                    near[key] += rows[row + 1][max(at - 1, 0) : at + 1]
    return near


NEIGHBOURS = _neighbours(_KEYBOARDS)
"""The keys next to each key, on the usual keyboard of its script."""


class Misspeller:
    """Makes one typo in a word, with letters that occur in a corpus.

    Letters with a known keyboard are replaced by a key next to theirs, others by a letter of their script. The first letter of a
    word of three letters or more stays: writers seldom get it wrong (Yannakoudakis and Fawthrop 1983).
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet

    def misspell(self, word: str, random: Random) -> str:
        """Return the word with a typo; the word itself if it has fewer than two letters."""
        units = units_of(word)
        places = [at for at, unit in enumerate(units) if is_letter(unit)]
        if len(places) < 2:
            return word
        if len(places) > 2:
            places = places[1:]
        slips: list[Callable[[list[str], int, Random], None]] = [self._replace, _drop, _double, _swap]
        for slip in random.sample(slips, len(slips)):
            for at in random.sample(places, len(places)):
                changed = list(units)
                slip(changed, at, random)
                if (new := "".join(changed)) != word:
                    return new
        return word

    def _replace(self, units: list[str], at: int, random: Random) -> None:
        letter = units[at].lower()
        near = [key for key in NEIGHBOURS.get(letter, "") if key in self.alphabet.letters]
        new = random.choice(near) if near else self.alphabet.other(units[at], random)
        if new is not None:
            units[at] = new.upper() if units[at] != letter else new


def _drop(units: list[str], at: int, random: Random) -> None:
    del units[at]


def _double(units: list[str], at: int, random: Random) -> None:
    units[at] *= 2


def _swap(units: list[str], at: int, random: Random) -> None:
    """Swap a letter with the next one."""
    if at + 1 < len(units) and is_letter(units[at + 1]):
        units[at], units[at + 1] = units[at + 1], units[at]


def _prepare(corpus: Corpus) -> Change:
    words = corpus.words
    misspeller = Misspeller(Alphabet(words))
    if not any(sum(map(is_letter, units_of(word))) > 1 for word in {word for row in words for word in row}):
        raise NotApplicable("no word has two letters or more", source=corpus.source)

    def change(text: Text) -> list[str]:
        return [misspeller.misspell(word, text.random) if text.happens() else word for word in text.words]

    return change


TYPOS = Perturbation("typos", "a slip of the keyboard in a word", _prepare, usual_share=0.1)
