"""Groups of features, by what their templates read, and templates that lack a group in some sentences.

The templates of a group read a column of their own, a copy of the one they name. Where this copy has :data:`NOTHING` instead of a
word, the sentence lacks the features of the group. The features have the same keys as before, so that their numbers can be used
with the templates as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.features.compiler import find_column
from tagpool.features.functions import HISTORY_FIELD
from tagpool.features.template import Call, Expression, Field, Range, Template, TemplateSet, Term, unnest

NOTHING = "\ue000"
"""A word for private use: no list has it, it has no affixes, and features of it are dropped."""
LISTS = "lists"
_AFFIXES, _SHAPES, _WORDS = "affixes", "shapes", "words"
_FAMILIES = {
    **dict.fromkeys(("prefix", "suffix", "ngrams"), _AFFIXES),
    **dict.fromkeys(("shape", "orthography", "capitals", "casing", "run", "headline", "digits"), _SHAPES),
}
_NUMBER = "number"  # its column has numbers only


def group_of(term: Term) -> str | None:
    """Return the group of a term: lists, affixes, shapes, words, or another column; None if it can be in no group.

    >>> from tagpool.features.parser import parse
    >>> [group_of(template.terms[0]) for template in parse("lower(word)[0]\\nsuffix(word, 2)[0]\\npos[0]\\nbias")]
    ['words', 'affixes', 'pos', None]
    """
    if term.is_history:
        return None
    if term.resources:
        return LISTS
    calls, field = unnest(term.expression)
    if field is None or any(call.function == _NUMBER for call in calls):
        return None
    if field.name != WORD:
        return field.name
    return next((_FAMILIES[call.function] for call in calls if call.function in _FAMILIES), _WORDS)


def groups_of(templates: TemplateSet) -> tuple[str, ...]:
    """Return the groups of the terms of templates, in order.

    >>> from tagpool.features.parser import parse
    >>> groups_of(parse("word[0]\\nshape[0] & suffix(word, 1)[0]"))
    ('words', 'shapes', 'affixes')
    """
    groups = [group_of(term) for template in templates for term in template.terms]
    return tuple(dict.fromkeys(group for group in groups if group is not None))


@dataclass(frozen=True)
class SeparateColumns:
    """Templates whose groups read columns of their own; ``columns`` has the column that each is a copy of, with its group."""

    templates: TemplateSet
    columns: dict[str, tuple[str, str]]

    @classmethod
    def of(cls, templates: TemplateSet, groups: Sequence[str]) -> SeparateColumns:
        """Separate the columns of these groups.

        >>> from tagpool.features.parser import parse
        >>> SeparateColumns.of(parse("word[0]\\nsuffix(word, 1..2)[0]"), ["affixes"]).columns
        {'word of affixes': ('word', 'affixes')}
        """
        columns: dict[str, tuple[str, str]] = {}
        separate: dict[tuple[str, tuple[tuple[Expression, int], ...]], Template] = {}
        for template in templates:
            wanted = [group if (group := group_of(term)) in groups else None for term in template.terms]
            for key, terms in template.expand():
                moved = [
                    Term(_moved(expression, group, columns), (Range(offset, offset),))
                    for (expression, offset), group in zip(terms, wanted, strict=True)
                ]
                # A feature of two lines is one feature.
                separate.setdefault((key, terms), replace(template, terms=tuple(moved), name=key))
        return cls(replace(templates, templates=tuple(separate.values())), columns)

    def with_columns(self, corpus: Corpus, missing: Sequence[str | None]) -> Corpus:
        """Return a corpus with the columns; ``missing`` has for each sentence the group that it lacks."""
        known = corpus.columns
        for name, (source, group) in self.columns.items():
            column = corpus.column(find_column(source, known) or source)
            corpus = corpus.with_column(name, _emptied(column, [one == group for one in missing]))
        return corpus


def _emptied(column: Iterable[list[str]], is_missing: Sequence[bool]) -> list[list[str]]:
    return [[NOTHING] * len(row) if gone else row for row, gone in zip(column, is_missing, strict=True)]


def _moved(expression: Expression, group: str | None, columns: dict[str, tuple[str, str]]) -> Expression:
    """Return an expression that reads the column of its group."""
    if group is None:
        return expression
    if isinstance(expression, Field):
        if expression.name == HISTORY_FIELD:
            return expression
        name = f"{expression.name} of {group}"
        columns[name] = expression.name, group
        return Field(name)
    assert isinstance(expression, Call)
    if expression.expression is None:
        return expression
    return replace(expression, expression=_moved(expression.expression, group, columns))
