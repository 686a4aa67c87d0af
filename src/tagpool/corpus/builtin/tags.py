"""Default Penn tags and chunks of the words of a frame."""

from __future__ import annotations

import re

_TAGS = {
    "DT": "the a an this these those each every some any no all both another that",
    "IN": "in of on at from with for by after before during against over under about into through between since until "
    "near across along despite without as than like among amid behind beyond within towards off past below down via "
    "around because if while although though whether",
    "TO": "to",
    "CC": "and or but",
    "PRP": "he she it they we i you him them us me",
    "PRP$": "his its their our my your her",
    "MD": "will would can could may might must should",
    "VBD": "was were had did",
    "VBZ": "is has does",
    "VBP": "are am have do",
    "VB": "be",
    "VBN": "been",
    "RB": "not n't",
    "WP": "who what",
    "WDT": "which",
    "WRB": "when where how why",
    "CD": "one two three four five six seven eight nine ten million billion",
    "POS": "'s",
    "NN": "% percent",
    "NNP": "mr. mrs. ms. dr.",
    ",": ",",
    ".": ". ! ?",
    ":": ": ; - --",
    "(": "( -lrb-",
    ")": ") -rrb-",
    "$": "$",
}

_TAG_OF = {word: tag for tag, words in _TAGS.items() for word in words.split()}

_CHUNK_OF_TAG = {"IN": "PP", "TO": "PP", "RB": "ADVP", "WRB": "ADVP", "WP": "NP", "WDT": "NP", "JJ": "ADJP", "RP": "PRT"}

_SUBORDINATORS = frozenset(["that", "because", "if", "while", "although", "though", "whether"])

_AUXILIARIES = frozenset(["was", "were", "is", "are", "am", "be", "been", "has", "have", "had"])


def default_pos(word: str, chunk: str | None, before: list[str], *, opens_sentence: bool) -> str | None:
    """Return the tag of an untagged word that follows the words ``before`` of its chunk (``None``: no chunk).

    Function words have their usual tag. In a noun phrase other words are nouns, proper ones if they have a capital
    inside the sentence; in a verb group they are past tenses, infinitives after a modal or *to*, and participles after
    *be* and *have*.

    >>> default_pos("visited", "VP", ["has"], opens_sentence=False)
    'VBN'
    >>> default_pos("visit", "VP", ["has", "agreed", "to"], opens_sentence=False)
    'VB'
    """
    low = word.lower()
    if low in _TAG_OF:
        if low == "that" and chunk is None:
            return "IN"
        return "VB" if low == "have" and _last_verb(before) in {"MD", "TO"} else _TAG_OF[low]
    if re.fullmatch(r"\d[\d.,-]*", word):
        return "CD"
    if chunk == "NP":
        return "NNP" if word[0].isupper() and not word.isupper() and not opens_sentence else "NN"
    if chunk == "VP":
        last = _last_verb(before)
        if last in {"MD", "TO"}:
            return "VB"
        if low.endswith("ing"):
            return "VBG"
        return "VBN" if last == "AUX" else "VBD"
    return None


def default_chunk(word: str, pos: str) -> str | None:
    """Return the chunk of a single word; ``None`` for punctuation and conjunctions.

    >>> default_chunk("in", "IN"), default_chunk("that", "IN"), default_chunk(",", ",")
    ('PP', 'SBAR', None)
    """
    if pos == "IN" and word.lower() in _SUBORDINATORS:
        return "SBAR"
    return "NP" if pos == "PRP" else _CHUNK_OF_TAG.get(pos)


def _last_verb(before: list[str]) -> str:
    for word in reversed(before):
        low = word.lower()
        if low in {"did", "do", "does"} or _TAG_OF.get(low) == "MD":
            return "MD"
        if low == "to":
            return "TO"
        if low in _AUXILIARIES:
            return "AUX"
        if _TAG_OF.get(low) != "RB":
            return "VERB"
    return ""
