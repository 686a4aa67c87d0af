"""Names of the built-in corpus: the lists of ``names.txt``, each split into seen and unseen entries."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Word = tuple[str, str]  # a word and its Penn tag
Entry = tuple[Word, ...]  # the words of a name in order
_UNSEEN_OF_FIVE = 2


@dataclass(frozen=True)
class NameList:
    """A named list; a closed list is not split, its ``unseen`` is empty."""

    name: str
    seen: tuple[Entry, ...]
    unseen: tuple[Entry, ...]
    closed: bool


def read_resource(path: str) -> str:
    """Read a text file of this package."""
    return files("tagpool.corpus.builtin").joinpath(path).read_text(encoding="utf-8")


def parse_phrase(text: str, pos: str) -> Entry:
    """Split a phrase such as ``"Treaty of/IN"`` into words with tags; the default tag is ``pos``.

    >>> parse_phrase("Kingdom of/IN Salt", "NNP")
    (('Kingdom', 'NNP'), ('of', 'IN'), ('Salt', 'NNP'))
    """
    words = []
    for token in text.split():
        word, _, tag = token.partition("/")
        words.append((word, tag or ("CC" if word == "&" else pos)))
    return tuple(words)


def is_unseen_word(word: str) -> bool:
    """Return whether a word of a name is excluded from training, by a hash of its letters.

    Everyday words that are also names (May, Reading, Hunter) are always seen.
    """
    word = word.lower()
    return zlib.crc32(word.encode("utf-8")) % 5 < _UNSEEN_OF_FIVE and word not in common_words()


def is_unseen(entry: Entry) -> bool:
    """Return whether a name contains an unseen word."""
    return any(is_unseen_word(word) for word, _ in entry if word[0].isupper())


@cache
def common_words() -> frozenset[str]:
    """Return the lower-cased words of names that are never excluded from training."""
    return frozenset(
        word.lower() for name, _, entries in _sections() if name == "common" for entry in entries for word, _ in entry
    )


@cache
def lists() -> dict[str, NameList]:
    """Return all lists by name, including numbers."""
    name_lists = {}
    for name, closed, entries in (*_sections(), *_number_sections()):
        unseen = () if closed else tuple(entry for entry in entries if is_unseen(entry))
        seen = entries if closed else tuple(entry for entry in entries if not is_unseen(entry))
        name_lists[name] = NameList(name, seen, unseen, closed)
    return name_lists


def _sections() -> list[tuple[str, bool, tuple[Entry, ...]]]:
    sections = []
    text = re.sub(r"(?m)^#.*$", "", read_resource("names.txt"))
    for match in re.finditer(r"\[(\w+) (\S+?)( closed)?\]([^\[]*)", text):
        name, pos, closed, body = match.groups()
        entries = tuple(parse_phrase(part, pos) for part in body.split(",") if part.strip())
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
