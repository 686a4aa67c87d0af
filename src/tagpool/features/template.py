"""Templates as values: expressions, terms, conjunctions, and sets of them in named bags.

``str()`` of any of them is the language again, in one canonical spelling: ``parse(str(t)) == t``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from tagpool.errors import TemplateError
from tagpool.features.functions import FUNCTIONS, HISTORY_FIELD, Numbers

BASE = "base"
"""The bag of templates that belong to every bag."""

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
    """A function with what it is applied to."""

    function: str
    expression: Expression | None = None
    resource: str | None = None
    numbers: tuple[Range, ...] = ()
    flag: str | None = None

    def __str__(self) -> str:
        parts = [self.resource] if self.resource else []
        # A lexicon looks at the word unless told otherwise; elsewhere the column is written out.
        if self.expression is not None and not (self.resource and self.expression == Field(DEFAULT_FIELD)):
            parts.append(str(self.expression))
        parts += [str(number) for number in self.numbers]
        if self.flag:
            parts.append(self.flag)
        return f"{self.function}({', '.join(parts)})" if parts else self.function


Expression = Field | Call


@dataclass(frozen=True)
class Term:
    """An expression at one or more offsets from the current token. ``column`` is where it stood in its line, for messages."""

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
        """Every mention of a lexicon, with the function that uses it; the outermost first."""
        mentions = []
        expression: Expression | None = self.expression
        while isinstance(expression, Call):
            if expression.resource:
                mentions.append((expression.resource, expression.function))
            expression = expression.expression
        return tuple(mentions)

    @property
    def is_dense(self) -> bool:
        """Whether this is an embedding."""
        return isinstance(self.expression, Call) and self.expression.function == "embedding"

    def expand(self) -> Iterator[tuple[Expression, int]]:
        """Every single function and offset it stands for."""
        for expression in expand_expression(self.expression):
            for offsets in self.offsets:
                for offset in offsets:
                    yield expression, offset


def expand_expression(expression: Expression) -> Iterator[Expression]:
    """``prefix(word, 1..3)`` is three functions; so is ``cluster(brown, 4, 6, 10)``."""
    if isinstance(expression, Field):
        yield expression
        return
    inner: list[Expression | None] = list(expand_expression(expression.expression)) if expression.expression else [None]
    lengths: list[tuple[Range, ...]] = [expression.numbers]
    if FUNCTIONS[expression.function].numbers is Numbers.LENGTHS and expression.numbers:
        lengths = [(Range(n, n),) for numbers in expression.numbers for n in numbers]
    for each, numbers in product(inner, lengths):
        yield replace(expression, expression=each, numbers=numbers)


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
        """Whether it looks at labels already given."""
        return any(term.is_history for term in self.terms)

    @property
    def is_dense(self) -> bool:
        """Whether it is an embedding."""
        return any(term.is_dense for term in self.terms)

    @property
    def resources(self) -> tuple[str, ...]:
        """The lexicons it needs."""
        return tuple(dict.fromkeys(name for term in self.terms for name, _ in term.resources))

    @property
    def conjunction_count(self) -> int:
        """How many single conjunctions it stands for."""
        return prod(sum(1 for _ in term.expand()) for term in self.terms)

    def expand(self) -> Iterator[tuple[str, tuple[tuple[Expression, int], ...]]]:
        """The single conjunctions it stands for, each with the key its features are named by."""
        for terms in product(*(tuple(term.expand()) for term in self.terms)):
            key = self.name or "&".join(f"{expression}[{offset}]" for expression, offset in terms)
            yield key, terms

    def error(self, message: str, *, source: str | None = None, term: Term | None = None) -> TemplateError:
        """An error that points at this template."""
        text = self.text if self.text is not None else str(self)
        column = term.column if term is not None and self.text is not None else 0
        return TemplateError(message, text=text, column=column, source=source, line=self.line)


@dataclass(frozen=True)
class TemplateSet:
    """Templates in bags, with the resources they name.

    ``uses`` maps resource names to the files given for them; ``boundary`` says whether offsets outside the sentence have values
    (``_B-1``, ``_B+1``, ...).
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
        """The names of the bags, without the base they share."""
        return tuple(dict.fromkeys(bag for template in self.templates for bag in template.bags))

    @property
    def resources(self) -> dict[str, str]:
        """The resources needed, and the function that needs each."""
        needed: dict[str, str] = {}
        for template in self.templates:
            for term in template.terms:
                for name, function in term.resources:
                    needed.setdefault(name, function)
        return needed

    def restrict(self, *bags: str) -> TemplateSet:
        """The shared base with these bags; ``base`` alone is the base without any.

        >>> from tagpool.features.parser import parse
        >>> str(parse("word[0]\\n[a]\\npos[0]\\n[b]\\nlower(word)[0]").restrict("b"))
        'word[0]\\n[b]\\nlower(word)[0]\\n'
        """
        self.check_bags(bags)
        return self.keep(tuple(t for t in self.templates if not t.bags or set(t.bags) & set(bags)))

    def check_bags(self, bags: tuple[str, ...]) -> None:
        """Raises an error that lists the bags there are if one of these is not among them."""
        for bag in bags:
            if bag != BASE and bag not in self.bags:
                known = ", ".join((BASE, *self.bags))
                raise TemplateError(f"there is no bag {bag!r}; the bags are {known}", source=self.source)

    def without(self, *resources: str) -> TemplateSet:
        """The templates that need none of these resources."""
        for name in resources:
            if name not in self.resources:
                known = ", ".join(self.resources) or "none"
                raise TemplateError(f"no template uses a resource {name!r}; those used are {known}", source=self.source)
        return self.keep(tuple(t for t in self.templates if not set(t.resources) & set(resources)))

    def keep(self, templates: tuple[Template, ...]) -> TemplateSet:
        """The same with these templates only."""
        if not templates:
            raise TemplateError("no template is left", source=self.source)
        needed = {name for template in templates for name in template.resources}
        return replace(self, templates=templates, uses=tuple(pair for pair in self.uses if pair[0] in needed))
