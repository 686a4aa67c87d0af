"""Functions of the template language, in one table that the parser and the compiler read.

Functions of a word are defined in native/features/functions; this table has their syntax from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tagpool import _native


class Numbers(Enum):
    """Numbers that a function takes as arguments."""

    NONE = "none"
    LENGTHS = "lengths"  # lengths or ranges of lengths, from 1 on; each is a separate function
    RANGE = "range"  # one length or range of lengths, from 1 on, taken together
    WINDOW = "window"  # one offset or range of offsets, which may be negative


@dataclass(frozen=True)
class Function:
    """One function of the language.

    ``single``: at most one value per token, so that other functions may be applied to it. ``context``: depends on more than one
    word. ``field_only``: applies to a column, not to another function. ``around_any``: applies also to functions with several
    values. ``example`` is shown in messages.
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
    context: bool = False


ELSEWHERE = "elsewhere"

_WORD_FUNCTIONS = _native.word_functions()

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        *(
            Function(
                entry.name,
                entry.example,
                entry.summary,
                Numbers(entry.arguments),
                flags=tuple(variant.flag for variant in _WORD_FUNCTIONS if variant.base == entry.name),
                single=entry.single,
            )
            for entry in _WORD_FUNCTIONS
            if entry.example
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
# Names in the native core of functions with a flag.
NATIVE_NAMES = {(entry.base, entry.flag): entry.name for entry in _WORD_FUNCTIONS if entry.flag}
