"""The functions of the template language: what each one takes, and how it behaves. One table, read by the parser and the
compiler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Numbers(Enum):
    """What numbers a function takes."""

    NONE = "none"
    LENGTHS = "lengths"  # any number of lengths or ranges of lengths, from 1 on; each is a function of its own
    RANGE = "range"  # one length or range of lengths, from 1 on, taken together
    WINDOW = "window"  # one offset or range of offsets, which may be negative


@dataclass(frozen=True)
class Function:
    """One function of the language.

    ``single``: at most one value a token, so that other functions may be applied to it. ``total``: always a value, so that
    it has a
    boundary value outside the sentence. ``field_only``: applies to a column, not to another function. ``around_any``: applies
    also to functions that have several values, or look around. ``example`` is shown in messages.
    """

    name: str
    example: str
    summary: str
    numbers: Numbers = Numbers.NONE
    optional_numbers: bool = False
    flags: tuple[str, ...] = ()
    resource: bool = False
    expression: bool = True
    field_only: bool = False
    around_any: bool = False
    single: bool = False
    total: bool = False


ELSEWHERE = "elsewhere"
NOT_ELSEWHERE = (ELSEWHERE, "number", "embedding")
"""Functions that :data:`ELSEWHERE` cannot be applied to: itself, and those with values that are no texts."""

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function("lower", "lower(word)[0]", "the word in small letters", single=True, total=True),
        Function("simplify", "simplify(word)[0]", "every run of digits as one 0", single=True, total=True),
        Function(
            "shape",
            "shape(word, short)[0]",
            "A as X, a as x, 7 as d, the rest as it is; short collapses runs",
            flags=("short",),
            single=True,
            total=True,
        ),
        Function("digits", "digits(word)[0]", "every digit as 0, for words that have one", single=True),
        Function("prefix", "prefix(word, 1..4)[0]", "the first letters of a longer word", Numbers.LENGTHS, single=True),
        Function("suffix", "suffix(word, 1..4)[0]", "the last letters of a longer word", Numbers.LENGTHS, single=True),
        Function(
            "ngrams",
            "ngrams(word, 2..4)[0]",
            "all substrings of these lengths; edges marks the word's ends with < and >",
            Numbers.RANGE,
            flags=("edges",),
        ),
        Function(
            "orthography",
            "orthography(word)[0]",
            "spelling properties that hold: the set of feature bagging, or (dfi) of dynamic feature induction",
            flags=("dfi",),
        ),
        Function(
            "capitals",
            "capitals(word, -1..1)[0]",
            "the capital pattern of a window as one value: A all, C first, M inside, l none, d digits, . other, _ outside",
            Numbers.WINDOW,
            field_only=True,
        ),
        Function(
            "disjunction",
            "disjunction(word, -4..-1)[0]",
            "the words of a window, wherever in it they stand",
            Numbers.WINDOW,
        ),
        Function(
            "casing",
            "casing(word)[0]",
            "small, capital, capitals: how a word is written, where that says something (not in headlines or a sentence's first "
            "capital)",
            field_only=True,
        ),
        Function(
            "run",
            "run(word)[0]",
            "first, inner, last: the place in a run of capitalised words, not in headlines",
            field_only=True,
        ),
        Function(
            "headline", "headline(word)[0]", "upper, title, mixed, none: the capitals of the whole sentence", field_only=True
        ),
        Function(
            ELSEWHERE,
            "elsewhere(casing(word), joined)[0]",
            "what a function says at the other occurrences of the word in its document, or so many tokens beside them; most: the "
            "most frequent value, joined: all as one",
            Numbers.WINDOW,
            optional_numbers=True,
            flags=("joined", "most"),
            around_any=True,
        ),
        Function("position", "position[0]", "first, last: the sentence's ends", expression=False),
        Function("bias", "bias[0]", "a feature of every token", expression=False),
        Function("number", "number(score)[0]", "the column's text as the feature's value", field_only=True),
        Function(
            "gazetteer",
            "gazetteer(cities)[-1..1]",
            "lists with a phrase found here, and the place in it (B, I, L, U; not with plain)",
            flags=("plain",),
            resource=True,
        ),
        Function(
            "cluster",
            "cluster(brown, 4, 6, 10, 20)[0]",
            "the word's cluster, or the first bits of it",
            Numbers.LENGTHS,
            optional_numbers=True,
            resource=True,
            single=True,
        ),
        Function("ambiguity", "ambiguity(classes)[0]", "the tags the word may have", resource=True, single=True),
        Function("embedding", "embedding(glove, lower(word))[0]", "the word's vector, as dense values", resource=True),
    )
}

HISTORY_FIELD = "label"
"""The field of the labels already given, for learners that look back: ``label[-1]``."""

FARTHEST_OFFSET = 50
FARTHEST_HISTORY = 8
