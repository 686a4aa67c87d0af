"""Regular expressions in Wapiti patterns: characters, dots and classes, each optionally followed by ``?`` or ``*``.

Matching is that of Wapiti, since models were trained on its matches. It is byte by byte (``*`` after a letter of several bytes
repeats the last byte); ``*`` is lazy; and after ``?`` backtracks, the match length includes the failed attempt.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 200  # matching takes time proportional to the steps times the text
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
        """Return the first match, with a zero at the end if its length exceeds the text; None without a match."""
        return _search(self, text)

    def match_all(self, text: bytes) -> list[tuple[bool, int]]:
        """Return for every position whether the text matches from there on, and the match length as Wapiti counts it.

        Dynamic programming from the last step to the first: the time is proportional to the steps times the text.
        """
        end = len(text)
        results = [(at == end or not self.to_end, 0) for at in range(end + 1)]
        for step in reversed(self.steps):
            after, results = results, []  # results from the last position to the first
            for at in range(end, -1, -1):
                fits = at < end and text[at] in step.fits
                matched, length = after[at]
                if step.sign == "*":
                    if not matched:
                        matched, length = results[-1] if fits else (False, 0)
                        length += 1
                elif step.sign == "?":
                    if fits:
                        matched_with, length_with = after[at + 1]
                        matched, length = (True, length_with + 1) if matched_with else (matched, length + length_with)
                else:
                    matched, length = after[at + 1] if fits else (False, 0)
                    length += 1
                results.append((matched, length))
            results.reverse()
        return results


@lru_cache(maxsize=1 << 16)
def _search(expression: Expression, text: bytes) -> bytes | None:
    results = expression.match_all(text)
    for begin, (matched, length) in enumerate(results[:1] if expression.from_start else results):
        if matched:
            # A length may exceed any memory. Observations end at the first zero, so one of them is enough.
            return text[begin : begin + length] + b"\0" * (begin + length > len(text))
    return None
