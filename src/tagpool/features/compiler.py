"""Compiler from templates to the native program: resolves columns, resources and offsets, and merges equal atoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from tagpool import _native
from tagpool.errors import InputError, TemplateError
from tagpool.features.functions import CONTEXT, ELSEWHERE, HISTORY_FIELD, NATIVE_NAMES
from tagpool.features.template import DEFAULT_FIELD, Call, Expression, Field, Template, TemplateSet, Term, unnest

if TYPE_CHECKING:
    from tagpool.features.embeddings import Embeddings

_LEXICONS = ("cluster", "ambiguity")  # functions that look up a word
MOST_CONJUNCTIONS = 65_535  # the native core numbers them in 16 bits
_NUMBERED_COLUMN = re.compile(r"column(\d+)$")


@dataclass(frozen=True)
class SparseTemplate:
    """Conjunction with fixed offsets."""

    key: str
    bags: tuple[str, ...]
    backs: tuple[int, ...] = ()  # distances of the previous labels in it


@dataclass(frozen=True)
class DenseTemplate:
    """An embedding at one offset."""

    key: str
    bags: tuple[str, ...]
    offset: int
    column: str
    function: _native.WordFunction
    embeddings: Embeddings


@dataclass(frozen=True)
class Program:
    """Program of the native encoder, with the template of each of its features."""

    atoms: list[_native.Atom]
    templates: list[tuple[str, list[tuple[int, int]]]]
    sparse: tuple[SparseTemplate, ...]
    dense: tuple[DenseTemplate, ...]
    boundary: bool

    def native(self, minimum_count: int) -> _native.Encoder:
        """Return a native encoder for this program."""
        return _native.Encoder(self.atoms, self.templates, self.boundary, minimum_count)


def restored_program(templates: TemplateSet, keys: Sequence[str]) -> Program:
    """Return the templates of a program in a model file, by their keys, with their bags."""
    bags: dict[str, list[tuple[str, ...]]] = {}
    backs: dict[str, tuple[int, ...]] = {}
    for template in templates:
        for key, terms in template.expand():
            bags.setdefault(key, []).append(template.bags)
            backs.setdefault(key, _backs(terms))
    sparse = tuple(SparseTemplate(key, _join_bags(bags.get(key, [()])), backs.get(key, ())) for key in keys)
    return Program([], [], sparse, (), templates.boundary)


def find_column(name: str, columns: Sequence[str]) -> str | None:
    """Return the corpus column of a field: by name, or by number for fields of CRF++ templates.

    >>> find_column("pos", ["word", "pos"]), find_column("column0", ["word", "pos"]), find_column("tag", ["word"])
    ('pos', 'word', None)
    """
    if name in columns:
        return name
    match = _NUMBERED_COLUMN.match(name)
    return columns[int(match[1])] if match and int(match[1]) < len(columns) else None


class Compiler:
    """Compiler of the templates of a set for a corpus with these columns."""

    def __init__(
        self, templates: TemplateSet, columns: Sequence[str], resources: Mapping[str, Any], label_column: str | None
    ) -> None:
        self.templates = templates
        self.columns = columns
        self.resources = resources
        self.label_column = label_column
        self.atoms: list[_native.Atom] = []
        self.atom_numbers: dict[str, int] = {}

    def program(self, history: bool, dimensions: bool) -> Program:
        """Compile the templates without labels, or (``history``) the static parts of those with previous labels.

        With ``dimensions`` an embedding is a feature for each of its dimensions, else it is dense.
        """
        terms_of: dict[tuple[str, tuple[tuple[Expression, int], ...]], list[Template]] = {}
        dense: dict[str, DenseTemplate] = {}
        for template in self.templates:
            if template.is_history != history:
                continue
            for term in template.terms:
                if not term.is_history:
                    self._check(term, template)
            if template.is_dense and not dimensions:
                for one in self._dense(template):
                    known = dense.get(one.key)
                    dense[one.key] = replace(one, bags=_join_bags([known.bags, one.bags])) if known else one
                continue
            if template.conjunction_count + len(terms_of) > MOST_CONJUNCTIONS:
                message = f"the templates expand to more than {MOST_CONJUNCTIONS:,} conjunctions; use fewer offsets or lengths"
                raise template.error(message, source=self.templates.source)
            for key, terms in template.expand():
                # A feature of two lines is one feature, in the bags of both.
                terms_of.setdefault((key, terms), []).append(template)
        sparse = []
        native: list[tuple[str, list[tuple[int, int]]]] = []
        for (key, terms), owners in terms_of.items():
            sparse.append(SparseTemplate(key, _join_bags([owner.bags for owner in owners]), _backs(terms)))
            static = [(e, offset) for e, offset in terms if e != Field(HISTORY_FIELD)] or [(Call("bias"), 0)]
            native.append((key, [(self._atom(e), offset) for e, offset in static]))
        return Program(self.atoms, native, tuple(sparse), tuple(dense.values()), self.templates.boundary)

    # Checks -------------------------------------------------------------------------------------------------------------

    def _check(self, term: Term, template: Template) -> None:
        fail = partial(template.error, source=self.templates.source, term=term)
        calls, field = unnest(term.expression)
        for call in calls:
            self._check_resource(call, fail)
            if call.function == ELSEWHERE and DEFAULT_FIELD not in self.columns:
                raise fail(f"{ELSEWHERE} needs a column {DEFAULT_FIELD!r}; the columns are {', '.join(self.columns)}")
        column = self._column(field.name) if field else ""
        if field and column is None:
            raise fail(f"unknown field {field.name!r}; the columns are {', '.join(self.columns)}")
        if field and column == self.label_column:
            raise fail(f"{field.name!r} is the column of the labels, which are not known when tagging")

    def _check_resource(self, call: Call, fail: Callable[[str], TemplateError]) -> None:
        if call.resource is None:
            return
        if call.resource not in self.resources:
            raise fail(
                f"the {call.function} {call.resource!r} is missing; pass resources={{{call.resource!r}: ...}} "
                f"(tagpool train: --set features.use.{call.resource}=PATH; tagpool features: --use {call.resource}=PATH), "
                f"add a line 'use {call.resource} from PATH', or drop its templates "
                f"(tagpool train: --set features.without={call.resource}; tagpool features: --without {call.resource})"
            )
        kind = getattr(self.resources[call.resource], "kind", type(self.resources[call.resource]).__name__)
        if kind != call.function:
            raise fail(f"{call.resource!r}: expected a resource for {call.function}, got one for {kind}")

    def _column(self, name: str) -> str | None:
        return find_column(name, self.columns)

    # Atoms --------------------------------------------------------------------------------------------------------------

    def _atom(self, expression: Expression) -> int:
        key = str(expression)
        if key not in self.atom_numbers:
            self.atom_numbers[key] = len(self.atoms)
            self.atoms.append(self._make_atom(expression))
        return self.atom_numbers[key]

    def _make_atom(self, expression: Expression) -> _native.Atom:
        if isinstance(expression, Call) and expression.function == ELSEWHERE and expression.expression is not None:
            inner = self._make_atom(expression.expression)
            return _native.Atom.elsewhere(DEFAULT_FIELD, inner, expression.window, expression.flag or "each")
        if isinstance(expression, Field) or expression.function not in CONTEXT:
            column, function = self._word_function(expression)
            return _native.Atom.word(column, function)
        column, function = ("", _native.WordFunction([]))
        key: str | None = ""
        if expression.expression is not None:
            column, function = self._word_function(expression.expression)
            # A function with a lexicon is not cached by its name, since the lexicon may change. The column does not matter.
            key = None if Term(expression.expression, ()).resources else str(_of_default_field(expression.expression))
        resource: Any = self.resources[expression.resource] if expression.resource else None
        lexicon: _native.PhraseLexicon | _native.VectorLexicon | None = None
        if expression.function == "gazetteer":
            lexicon = resource.phrases(key, function)
        elif expression.function == "embedding":
            lexicon = resource.native
        plain = expression.flag == "plain"
        return _native.Atom.context(expression.function, column, function, expression.window, plain, lexicon)

    def _word_function(self, expression: Expression) -> tuple[str, _native.WordFunction]:
        """Return the column of an expression and the functions applied to it, innermost first."""
        calls, field = unnest(expression)
        column = self._column(field.name) if field else None
        if column is None:
            raise InputError(f"{expression} is not a function of a column")
        return column, _native.WordFunction([self._step(call) for call in reversed(calls)])

    def _step(self, call: Call) -> _native.Step:
        function = "lookup" if call.function in _LEXICONS else NATIVE_NAMES.get((call.function, call.flag or ""), call.function)
        lexicon = self.resources[call.resource].native if call.resource else None
        return _native.Step(function, *call.window, lexicon)

    def _dense(self, template: Template) -> list[DenseTemplate]:
        (term,) = template.terms
        blocks = []
        for call in term.expressions():
            if not isinstance(call, Call) or call.resource is None or call.expression is None:
                raise InputError("an embedding needs a resource")
            column, function = self._word_function(call.expression)
            embeddings = self.resources[call.resource]
            for offset in chain.from_iterable(term.offsets):
                blocks.append(DenseTemplate(f"{call}[{offset}]", template.bags, offset, column, function, embeddings))
        return blocks


def _of_default_field(expression: Expression) -> Expression:
    """Return the same functions of the default column."""
    if isinstance(expression, Field) or expression.expression is None:
        return Field(DEFAULT_FIELD)
    return replace(expression, expression=_of_default_field(expression.expression))


def _backs(terms: tuple[tuple[Expression, int], ...]) -> tuple[int, ...]:
    return tuple(-offset for expression, offset in terms if expression == Field(HISTORY_FIELD))


def _join_bags(bags: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Join the bags of a feature that occurs in several lines; a line of the base makes it part of the base."""
    return tuple(dict.fromkeys(bag for names in bags for bag in names)) if all(bags) else ()
