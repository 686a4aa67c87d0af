"""Functions of the template language, in one table that the parser and the compiler read.

To add a function of a word, add an entry here and its implementation to native/features/words.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Numbers(Enum):
    """Numbers that a function takes as arguments."""

    NONE = "none"
    LENGTHS = "lengths"  # lengths or ranges of lengths, from 1 on; each is a separate function
    RANGE = "range"  # one length or range of lengths, from 1 on, taken together
    WINDOW = "window"  # one offset or range of offsets, which may be negative


@dataclass(frozen=True)
class Function:
    """One function of the language.

    ``single``: at most one value per token, so that other functions may be applied to it. ``total``: always a value, so that it
    has a boundary value outside the sentence. ``context``: depends on more than one word. ``field_only``: applies to a column,
    not to another function. ``around_any``: applies also to functions with several values. ``example`` is shown in messages.
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
    context: bool = False


ELSEWHERE = "elsewhere"

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function("lower", "lower(word)[0]", "the word in lower case", single=True, total=True),
        Function("simplify", "simplify(word)[0]", "every run of digits replaced by one 0", single=True, total=True),
        Function(
            "shape",
            "shape(word, short)[0]",
            "A as X, a as x, 7 as d, other characters unchanged; short collapses runs",
            flags=("short",),
            single=True,
            total=True,
        ),
        Function("digits", "digits(word)[0]", "every digit replaced by 0; no value for words without digits", single=True),
        Function("prefix", "prefix(word, 1..4)[0]", "prefix of a longer word", Numbers.LENGTHS, single=True),
        Function("suffix", "suffix(word, 1..4)[0]", "suffix of a longer word", Numbers.LENGTHS, single=True),
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
            context=True,
        ),
        Function(
            "disjunction",
            "disjunction(word, -4..-1)[0]",
            "the words of a window, whatever their position in it",
            Numbers.WINDOW,
            context=True,
        ),
        Function(
            "casing",
            "casing(word)[0]",
            "small, capital, capitals: the casing of a word; no value in headlines and for the first capital of a sentence",
            field_only=True,
            context=True,
        ),
        Function(
            "run",
            "run(word)[0]",
            "first, inner, last: the position in a run of capitalised words, not in headlines",
            field_only=True,
            context=True,
        ),
        Function(
            "headline",
            "headline(word)[0]",
            "upper, title, mixed, none: the capitals of the whole sentence",
            field_only=True,
            context=True,
        ),
        Function(
            ELSEWHERE,
            "elsewhere(casing(word), joined)[0]",
            "values of a function at the other occurrences of the word in its document, or at an offset from them; most: the "
            "most frequent value, joined: all values as one",
            Numbers.WINDOW,
            optional_numbers=True,
            flags=("joined", "most"),
            around_any=True,
        ),
        Function("position", "position[0]", "first, last: the ends of the sentence", expression=False, context=True),
        Function("bias", "bias[0]", "a feature of every token", expression=False, context=True),
        Function("number", "number(score)[0]", "the column's text as the feature's value", field_only=True, context=True),
        Function(
            "gazetteer",
            "gazetteer(cities)[-1..1]",
            "lists with a matching phrase, and the position in it (B, I, L, U; not with plain)",
            flags=("plain",),
            resource=True,
            context=True,
        ),
        Function(
            "cluster",
            "cluster(brown, 4, 6, 10, 20)[0]",
            "the cluster of the word, or its first bits",
            Numbers.LENGTHS,
            optional_numbers=True,
            resource=True,
            single=True,
        ),
        Function("ambiguity", "ambiguity(classes)[0]", "the possible tags of the word", resource=True, single=True),
        Function(
            "embedding",
            "embedding(glove, lower(word))[0]",
            "the vector of the word, as dense values",
            resource=True,
            context=True,
        ),
    )
}

HISTORY_FIELD = "label"  # field of the previous labels: ``label[-1]``
FARTHEST_OFFSET = 50
FARTHEST_HISTORY = 8

CONTEXT = frozenset(function.name for function in FUNCTIONS.values() if function.context)
# Names of functions with a flag in the native core.
NATIVE_NAMES = {("shape", "short"): "short_shape", ("ngrams", "edges"): "edge_ngrams", ("orthography", "dfi"): "orthography_dfi"}
