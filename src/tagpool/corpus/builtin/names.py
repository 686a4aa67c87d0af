"""The names of the built-in corpus: the lists of ``names.txt``, each split into seen and unseen entries."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Word = tuple[str, str]
"""A word and its Penn tag."""

Entry = tuple[Word, ...]
"""A name: its words in order."""

_UNSEEN_OF_FIVE = 2


@dataclass(frozen=True)
class NameList:
    """A named list; ``unseen`` is empty when the list is closed, that is not split."""

    name: str
    seen: tuple[Entry, ...]
    unseen: tuple[Entry, ...]
    closed: bool


def resource(path: str) -> str:
    """The text of a file of this package."""
    return files("tagpool.corpus.builtin").joinpath(path).read_text(encoding="utf-8")


def tagged(text: str, pos: str) -> Entry:
    """The words of a phrase such as ``"Treaty of/IN"``; a word without a tag gets ``pos``.

    >>> tagged("Kingdom of/IN Salt", "NNP")
    (('Kingdom', 'NNP'), ('of', 'IN'), ('Salt', 'NNP'))
    """
    words = []
    for token in text.split():
        word, _, tag = token.partition("/")
        words.append((word, tag or ("CC" if word == "&" else pos)))
    return tuple(words)


def is_unseen_word(word: str) -> bool:
    """Whether a word of a name is kept from training: a fixed rule of its letters, the same for every seed and list.

    Everyday words that are also names (May, Reading, Hunter) are always seen.
    """
    word = word.lower()
    return zlib.crc32(word.encode("utf-8")) % 5 < _UNSEEN_OF_FIVE and word not in common_words()


def is_unseen(entry: Entry) -> bool:
    """Whether a name is kept from training, because at least one of its words is."""
    return any(is_unseen_word(word) for word, _ in entry if word[0].isupper())


@cache
def common_words() -> frozenset[str]:
    """The lower-cased words of names that are never kept from training."""
    return frozenset(word.lower() for _, _, entries in _sections("common") for entry in entries for word, _ in entry)


@cache
def lists() -> dict[str, NameList]:
    """All lists by name, the numbers included."""
    found = {}
    for name, closed, entries in (*_sections(), *_number_sections()):
        unseen = () if closed else tuple(entry for entry in entries if is_unseen(entry))
        seen = entries if closed else tuple(entry for entry in entries if not is_unseen(entry))
        found[name] = NameList(name, seen, unseen, closed)
    return found


def _sections(only: str | None = None) -> list[tuple[str, bool, tuple[Entry, ...]]]:
    sections = []
    text = re.sub(r"(?m)^#.*$", "", resource("names.txt"))
    for match in re.finditer(r"\[(\w+) (\S+?)( closed)?\]([^\[]*)", text):
        name, pos, closed, body = match.groups()
        if only is None or name == only:
            entries = tuple(tagged(part, pos) for part in body.split(",") if part.strip())
            sections.append((name, closed is not None, entries))
    return sections


def _number_sections() -> list[tuple[str, bool, tuple[Entry, ...]]]:
    numbers = {
        "num": [str(n) for n in range(18, 100)],
        "big": [f"{n // 10},{n % 10}00" for n in range(11, 400, 3)],
        "year": [str(n) for n in range(1946, 2025)],
        "pct": [f"{n // 10}.{n % 10}" for n in range(11, 99)],
        "model": [str(n) for n in range(100, 1000, 50)],
    }
    return [(name, True, tuple(((word, "CD"),) for word in words)) for name, words in numbers.items()]
