"""Templates: expressions, terms, conjunctions, and sets of them in named bags.

``str()`` of each returns canonical template text: ``parse(str(t)) == t``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import prod

from tagpool.errors import TemplateError
from tagpool.features.functions import FUNCTIONS, HISTORY_FIELD, Numbers

BASE = "base"  # bag of the templates that belong to every bag
DEFAULT_FIELD = "word"


@dataclass(frozen=True)
class Range:
    """Whole numbers from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))


@dataclass(frozen=True)
class Field:
    """A column by its name; ``label`` is the history of labels."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Call:
    """Function with its arguments."""

    function: str
    expression: Expression | None = None
    resource: str | None = None
    numbers: tuple[Range, ...] = ()
    flag: str | None = None

    @property
    def window(self) -> tuple[int, int]:
        """First and last of its numbers; (0, 0) without numbers."""
        return (self.numbers[0].low, self.numbers[0].high) if self.numbers else (0, 0)

    def __str__(self) -> str:
        parts = [self.resource] if self.resource else []
        # The default column of a lexicon is omitted; other functions show the column.
        if self.expression is not None and not (self.resource and self.expression == Field(DEFAULT_FIELD)):
            parts.append(str(self.expression))
        parts += [str(number) for number in self.numbers]
        if self.flag:
            parts.append(self.flag)
        return f"{self.function}({', '.join(parts)})" if parts else self.function


Expression = Field | Call


def unnest(expression: Expression | None) -> tuple[list[Call], Field | None]:
    """Return the functions of an expression, outermost first, and the column that they are applied to."""
    calls = []
    while isinstance(expression, Call):
        calls.append(expression)
        expression = expression.expression
    return calls, expression


@dataclass(frozen=True)
class Term:
    """An expression at one or more offsets from the current token. ``column`` is its position in the line, for messages."""

    expression: Expression
    offsets: tuple[Range, ...]
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.expression}[{', '.join(map(str, self.offsets))}]"

    @property
    def is_history(self) -> bool:
        """Whether this is ``label[-k]``."""
        return self.expression == Field(HISTORY_FIELD)

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        """Every lexicon with the function that uses it, outermost first."""
        calls, _ = unnest(self.expression)
        return tuple((call.resource, call.function) for call in calls if call.resource)

    @property
    def is_dense(self) -> bool:
        """Whether this is an embedding."""
        return isinstance(self.expression, Call) and self.expression.function == "embedding"

    def expand(self) -> Iterator[tuple[Expression, int]]:
        """Yield every function and offset of the term."""
        return product(self.expressions(), chain.from_iterable(self.offsets))

    @property
    def count(self) -> int:
        """Number of functions and offsets, without a list of them: nested functions may have very many."""
        return _count(self.expression) * sum(offsets.high - offsets.low + 1 for offsets in self.offsets)

    def expressions(self) -> Iterator[Expression]:
        """Yield every function of the term."""
        return _expand(self.expression)


def _count(expression: Expression) -> int:
    """Return the number of functions that :func:`_expand` yields."""
    if isinstance(expression, Field):
        return 1
    inner = _count(expression.expression) if expression.expression else 1
    if FUNCTIONS[expression.function].numbers is Numbers.LENGTHS and expression.numbers:
        return inner * sum(numbers.high - numbers.low + 1 for numbers in expression.numbers)
    return inner


def _expand(expression: Expression) -> Iterator[Expression]:
    """Yield the functions of an expression: three for ``prefix(word, 1..3)`` and ``cluster(brown, 4, 6, 10)``."""
    if isinstance(expression, Field):
        yield expression
        return
    inner: list[Expression | None] = list(_expand(expression.expression)) if expression.expression else [None]
    lengths: list[tuple[Range, ...]] = [expression.numbers]
    if FUNCTIONS[expression.function].numbers is Numbers.LENGTHS and expression.numbers:
        lengths = [(Range(n, n),) for numbers in expression.numbers for n in numbers]
    for argument, numbers in product(inner, lengths):
        yield replace(expression, expression=argument, numbers=numbers)


@dataclass(frozen=True)
class Template:
    """A conjunction of terms. Templates of the same ``name`` share their features; without one the terms are the name.

    ``bags`` is empty for templates of the shared base.
    """

    terms: tuple[Term, ...]
    name: str | None = None
    bags: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)
    text: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        terms = " & ".join(map(str, self.terms))
        return f"{self.name}: {terms}" if self.name else terms

    @property
    def is_history(self) -> bool:
        """Whether it depends on previous labels."""
        return any(term.is_history for term in self.terms)

    @property
    def is_dense(self) -> bool:
        """Whether it is an embedding."""
        return any(term.is_dense for term in self.terms)

    @property
    def resources(self) -> tuple[str, ...]:
        """Lexicons that it needs."""
        return tuple(dict.fromkeys(name for term in self.terms for name, _ in term.resources))

    @property
    def conjunction_count(self) -> int:
        """Number of conjunctions that it expands to."""
        return prod(term.count for term in self.terms)

    def expand(self) -> Iterator[tuple[str, tuple[tuple[Expression, int], ...]]]:
        """Yield the conjunctions that it expands to, each with the key of its features."""
        for terms in product(*(tuple(term.expand()) for term in self.terms)):
            key = self.name or "&".join(f"{expression}[{offset}]" for expression, offset in terms)
            yield key, terms

    def error(self, message: str, *, source: str | None = None, term: Term | None = None) -> TemplateError:
        """Return an error with the position of this template."""
        text = self.text if self.text is not None else str(self)
        column = term.column if term is not None and self.text is not None else 0
        return TemplateError(message, text=text, column=column, source=source, line=self.line)


@dataclass(frozen=True)
class TemplateSet:
    """Templates in bags, with their resources.

    ``uses`` maps resource names to files; ``boundary``: offsets outside the sentence have values (``_B-1``, ``_B+1``, ...).
    """

    templates: tuple[Template, ...]
    uses: tuple[tuple[str, str], ...] = ()
    boundary: bool = True
    source: str | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.templates)

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates)

    def __str__(self) -> str:
        lines = [f'use {name} from "{path}"' for name, path in self.uses]
        if not self.boundary:
            lines.append("boundary off")
        bags: tuple[str, ...] = ()
        for template in self.templates:
            if template.bags != bags:
                bags = template.bags
                lines.append(f"[{', '.join(bags) if bags else BASE}]")
            lines.append(str(template))
        return "\n".join(lines) + "\n"

    @property
    def bags(self) -> tuple[str, ...]:
        """Names of the bags, without the base."""
        return tuple(dict.fromkeys(bag for template in self.templates for bag in template.bags))

    @property
    def resources(self) -> dict[str, str]:
        """Resources, with the function that needs each."""
        needed: dict[str, str] = {}
        for template in self.templates:
            for term in template.terms:
                for name, function in term.resources:
                    needed.setdefault(name, function)
        return needed

    def restrict(self, *bags: str) -> TemplateSet:
        """Return the base with these bags; ``base`` alone is the base without bags.

        >>> from tagpool.features.parser import parse
        >>> str(parse("word[0]\\n[a]\\npos[0]\\n[b]\\nlower(word)[0]").restrict("b"))
        'word[0]\\n[b]\\nlower(word)[0]\\n'
        """
        self.check_bags(bags)
        return self.keep(tuple(t for t in self.templates if not t.bags or set(t.bags) & set(bags)))

    def check_bags(self, bags: tuple[str, ...]) -> None:
        """Raise an error that lists the known bags if one of these is unknown."""
        for bag in bags:
            if bag != BASE and bag not in self.bags:
                known = ", ".join((BASE, *self.bags))
                raise TemplateError(f"there is no bag {bag!r}; the bags are {known}", source=self.source)

    def without(self, *resources: str) -> TemplateSet:
        """Return the templates that do not need these resources."""
        for name in resources:
            if name not in self.resources:
                known = f"the resources are {', '.join(self.resources)}" if self.resources else "the templates use no resources"
                raise TemplateError(f"no template uses a resource {name!r}; {known}", source=self.source)
        return self.keep(tuple(t for t in self.templates if not set(t.resources) & set(resources)))

    def keep(self, templates: tuple[Template, ...]) -> TemplateSet:
        """Return the set with only these templates."""
        if not templates:
            raise TemplateError("no template is left", source=self.source)
        needed = {name for template in templates for name in template.resources}
        return replace(self, templates=templates, uses=tuple((name, path) for name, path in self.uses if name in needed))
