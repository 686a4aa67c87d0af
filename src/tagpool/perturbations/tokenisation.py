"""Tokens: missing and stray spaces, missing and doubled punctuation, and other rules of tokenisation.

Tokens become one only where their labels allow it: tokens of one span, or tokens outside all spans. A punctuation mark outside
may also be joined to a word of a span, as in text that was split at spaces only (``Smith,``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.letters import is_mark, is_punctuation, is_word, units_of
from tagpool.perturbations.perturbation import Change, NewToken, NotApplicable, Perturbation, Text

_APOSTROPHES = "'’ʼ"
_CLITIC = re.compile(rf"n[{_APOSTROPHES}]t|[{_APOSTROPHES}]\w{{1,2}}", re.IGNORECASE)
_ENDS_IN_CLITIC = re.compile(rf"(?<=\w)(?:n[{_APOSTROPHES}]t|[{_APOSTROPHES}]\w{{1,2}})$", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?\.?")


def _prepare_spaces(corpus: Corpus) -> Change:
    return _move_spaces


def _move_spaces(text: Text) -> list[NewToken]:
    """Join words with the next one, or split them."""
    row: list[NewToken] = []
    joined = False  # to the word before
    for at, word in enumerate(text.words):
        if joined:
            row[-1] = NewToken(row[-1].word + word, row[-1].origin)
            joined = False
            continue
        row.append(NewToken(word, at))
        units = units_of(word)
        is_last = at + 1 == len(text.words)
        can_join = not is_last and text.parts[at] == text.parts[at + 1] and is_word(word) and is_word(text.words[at + 1])
        can_split = is_word(word) and len(units) > 1
        if not (can_join or can_split) or not text.happens():
            continue
        joined = can_join and (not can_split or text.random.random() < 0.5)
        if not joined:
            cut = text.random.randrange(1, len(units))
            row[-1:] = [NewToken("".join(part), at) for part in (units[:cut], units[cut:])]
    return row


def _prepare_punctuation(corpus: Corpus) -> Change:
    if not any(is_punctuation(word) for row in corpus.words for word in row):
        raise NotApplicable("no token is a punctuation mark", source=corpus.source)
    return _change_punctuation


def _change_punctuation(text: Text) -> list[NewToken]:
    """Leave out marks, or write them twice. The last token of a span or of a sentence is not left out."""
    left = len(text.words)
    left_in_span = [end - start for start, end, _ in text.spans]
    row: list[NewToken] = []
    for at, word in enumerate(text.words):
        row.append(NewToken(word, at))
        if not is_punctuation(word) or not text.happens():
            continue
        span = text.span_of[at]
        can_drop = left > 1 and (span < 0 or left_in_span[span] > 1)
        if can_drop and text.random.random() < 0.5:
            row.pop()
            left -= 1
            if span >= 0:
                left_in_span[span] -= 1
        else:
            row.append(NewToken(word, at))
    return row


@lru_cache(maxsize=1 << 16)
def pieces(word: str) -> tuple[str, ...]:
    """Split a token at hyphens, apostrophes and other marks. Clitics, numbers and initials stay together.

    >>> pieces("well-known"), pieces("John's"), pieces("don't"), pieces("3.5")
    (('well', '-', 'known'), ('John', "'s"), ('do', "n't"), ('3.5',))
    >>> pieces("U.S."), pieces("(a)"), pieces("...")
    (('U.S', '.'), ('(', 'a', ')'), ('...',))
    """
    if not is_word(word) or _CLITIC.fullmatch(word):
        return (word,)
    if clitic := _ENDS_IN_CLITIC.search(word):
        return (*pieces(word[: clitic.start()]), clitic.group())
    if _INITIALS.fullmatch(word):  # only the last full stop is split off
        return (word[:-1], ".") if word.endswith(".") else (word,)
    parts: list[str] = []
    after_mark = True
    for at, character in enumerate(word):
        is_cut = unicodedata.category(character)[0] in "PS" and not _inside_number(word, at)
        if (is_cut or after_mark) and not (parts and is_mark(character)):
            parts.append(character)
        else:
            parts[-1] += character
        after_mark = is_cut
    return tuple(parts)


def _inside_number(word: str, at: int) -> bool:
    return word[at] in ".,:" and word[at - 1 : at].isdigit() and word[at + 1 : at + 2].isdigit()


def _prepare_tokens(corpus: Corpus) -> Change:
    return _tokenise_otherwise


def _tokenise_otherwise(text: Text) -> list[NewToken]:
    """Split tokens at inner marks, and join marks and clitics to the word that they belong to."""
    row: list[NewToken] = []
    opening = ""  # a mark that the next word takes
    for at, word in enumerate(text.words):
        parts = pieces(word)
        opens = at + 1 < len(text.words) and _opens(word) and _may_take(text, at + 1, at)
        closes = not opening and bool(row) and _closes(word) and is_word(row[-1].word) and _may_take(text, row[-1].origin, at)
        if opening:
            row.append(NewToken(opening + word, at))
            opening = ""
        elif not (opens or closes or len(parts) > 1) or not text.happens():
            row.append(NewToken(word, at))
        elif opens:
            opening = word
        elif closes:
            row[-1] = NewToken(row[-1].word + word, row[-1].origin)
        else:
            row += [NewToken(part, at) for part in parts]
    return row


def _may_take(text: Text, host: int, mark: int) -> bool:
    """Return whether a word may take a mark: one with its part of the labels, or one outside all spans."""
    return is_word(text.words[host]) and (text.parts[host] == text.parts[mark] or text.parts[mark] < 0)


@lru_cache(maxsize=1 << 16)
def _opens(word: str) -> bool:
    return all(unicodedata.category(character) in ("Ps", "Pi") for character in word)


@lru_cache(maxsize=1 << 16)
def _closes(word: str) -> bool:
    """Return whether a token belongs to the one before: closing marks, commas and stops, or a clitic."""
    closing = ("Pe", "Pf", "Po")
    return bool(_CLITIC.fullmatch(word)) or all(
        unicodedata.category(character) in closing and character not in "\"'" for character in word
    )


SPACES = Perturbation("spaces", "a missing or a stray space at a word", _prepare_spaces, usual_share=0.1)
PUNCTUATION = Perturbation(
    "punctuation", "punctuation marks missing or doubled", _prepare_punctuation, unit="punctuation mark", usual_share=0.5
)
TOKENS = Perturbation("tokens", "tokens split at inner marks, and marks joined to words", _prepare_tokens)
