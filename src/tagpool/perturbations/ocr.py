"""OCR: letters and digits that look like others, as optical character recognition confuses them."""

from __future__ import annotations

import unicodedata
from random import Random

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.letters import is_mark
from tagpool.perturbations.perturbation import Change, NotApplicable, Perturbation, Text

# Groups of characters or pairs that look alike in print; each may be read as any other of its group.
_ALIKE = (
    "1 l I i |",
    "0 O o",
    "5 S s",
    "8 B",
    "2 Z z",
    "6 b",
    "9 g q",
    "c e",
    "h b",
    "n u",
    "v y",
    "f t",
    "C G",
    "D O",
    "E F",
    "U V",
    "m rn",
    "d cl",
    "w vv",
    "W VV",
    "H li",
    "k lc",
    "и н",
    "п л",
    "ш щ",
    "ц и",
    "б 6",
    "з 3",
    "З 3",
    "о 0",
    "О 0",
    "ь ъ",
    "е с",
    "г т",
    "ο σ",
    "ν υ",
    "ι ί",
)


def _confusions() -> dict[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for group in _ALIKE:
        members = group.split()
        for one in members:
            table.setdefault(one, set()).update(other for other in members if other != one)
    return {one: tuple(sorted(others)) for one, others in table.items()}


CONFUSIONS = _confusions()
"""The readings of each character or pair of characters."""


def misread(word: str, random: Random) -> str:
    """Return the word with one character read wrongly; the word itself if none has a likely confusion.

    A letter with an accent may lose it.
    """
    places = [
        (at, size)
        for size in (1, 2)
        for at in range(len(word) - size + 1)
        if (word[at : at + size] in CONFUSIONS or (size == 1 and _without_accent(word[at]) != word[at]))
        and not (at + size < len(word) and is_mark(word[at + size]))
    ]
    if not places:
        return word
    at, size = random.choice(places)
    part = word[at : at + size]
    readings = CONFUSIONS.get(part) or (_without_accent(part),)
    return word[:at] + random.choice(readings) + word[at + size :]


def _without_accent(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    return parts[0] if len(parts) == 2 and unicodedata.name(parts[0], "").startswith(("LATIN", "GREEK")) else character


def _prepare(corpus: Corpus) -> Change:
    words = {word for row in corpus.words for word in row}
    if all(misread(word, Random(0)) == word for word in words):
        raise NotApplicable("there are no known OCR confusions for the characters of the text", source=corpus.source)

    def change(text: Text) -> list[str]:
        return [misread(word, text.random) if text.happens() else word for word in text.words]

    return change


OCR = Perturbation("ocr", "a character of a word read as one that looks alike", _prepare, usual_share=0.1)
