"""Regular expressions in Wapiti patterns: characters, dots and classes, each optionally followed by ``?`` or ``*``.

Matching is that of Wapiti, since models were trained on its matches. It is byte by byte (``*`` after a letter of several bytes
repeats the last byte); ``*`` is lazy; and after ``?`` backtracks, the match length includes the failed attempt.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 200  # matching recurses once per step
_ALL = frozenset(range(256))
_CLASSES = {
    "a": string.ascii_letters,
    "d": string.digits,
    "l": string.ascii_lowercase,
    "p": string.punctuation,
    "s": " \t\n\v\f\r",
    "u": string.ascii_uppercase,
    "w": string.ascii_letters + string.digits,
}
# Wapiti's classes are sets of bytes; a capital letter is the complement.
_BYTES = {ord(name): frozenset(letters.encode()) for name, letters in _CLASSES.items()}
_BYTES |= {ord(name.upper()): _ALL - _BYTES[ord(name)] for name in _CLASSES}


@dataclass(frozen=True)
class _Step:
    """A set of bytes, and whether it is optional (``?``) or repeated (``*``)."""

    fits: frozenset[int]
    sign: str


@dataclass(frozen=True)
class Expression:
    """A regular expression of Wapiti.

    >>> Expression.parse("\\\\d*$").search(b"B52"), Expression.parse("^\\\\u\\\\l").search(b"B52")
    (b'52', None)
    """

    steps: tuple[_Step, ...]
    from_start: bool
    to_end: bool

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Parse a regular expression; raise ValueError if it is invalid."""
        letters = text.encode("utf-8", "surrogateescape")
        from_start = letters.startswith(b"^")
        to_end = False
        steps = []
        at = int(from_start)
        while at < len(letters):
            letter = letters[at]
            at += 1
            if letter == ord("$") and at == len(letters):
                to_end = True
                break
            if letter in b"*?":
                raise ValueError(f"a {chr(letter)} must follow a character; write \\{chr(letter)} for the character itself")
            fits = _ALL if letter == ord(".") else frozenset((letter,))
            if letter == ord("\\") and at < len(letters):
                fits = _BYTES.get(letters[at], frozenset(letters[at : at + 1]))
                at += 1
            sign = chr(letters[at]) if letters[at : at + 1] in (b"*", b"?") else ""
            at += len(sign)
            steps.append(_Step(fits, sign))
        if len(steps) > _LONGEST:
            raise ValueError(f"expected a regular expression of at most {_LONGEST} characters, got {len(steps)}")
        return cls(tuple(steps), from_start, to_end)

    def search(self, text: bytes) -> bytes | None:
        """Return the first match, padded with zeros if its length exceeds the text; None without a match."""
        return _search(self, text)

    def match(self, text: bytes, at: int, step: int, length: int) -> tuple[bool, int]:
        """Whether the text matches from position ``at`` and ``step`` on, and the match length as Wapiti counts it."""
        if step == len(self.steps):
            return not self.to_end or at == len(text), length
        now, fits = self.steps[step], self.steps[step].fits
        if now.sign == "*":
            while True:
                matched, counted = self.match(text, at, step + 1, length)
                if matched:
                    return True, counted
                length += 1
                if at >= len(text) or text[at] not in fits:
                    return False, length
                at += 1
        here = at < len(text) and text[at] in fits
        if now.sign == "?":
            if here:
                matched, counted = self.match(text, at + 1, step + 1, length + 1)
                if matched:
                    return True, counted
                length = counted - 1
            return self.match(text, at, step + 1, length)
        return self.match(text, at + 1, step + 1, length + 1) if here else (False, length + 1)


@lru_cache(maxsize=1 << 16)
def _search(expression: Expression, text: bytes) -> bytes | None:
    for begin in range(1 if expression.from_start else len(text) + 1):
        matched, length = expression.match(text, begin, 0, 0)
        if matched:
            return text[begin : begin + length].ljust(length, b"\0")
    return None
