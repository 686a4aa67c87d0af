"""Parser of the template language. Its grammar, one template per line:

    line        = [ template | header | directive ] [ "#" comment ]
    header      = "[" bag { "," bag } "]"                  templates below belong to these bags; [base] to every bag
    directive   = "use" NAME "from" PATH                   file of a resource, relative to the template file
                | "boundary" ( "on" | "off" )
    template    = [ NAME ":" ] term { "&" term }
    term        = expression [ "[" offsets "]" ]           without offsets: [0]
    offsets     = range { "," range }
    range       = INTEGER [ ".." INTEGER ]
    expression  = NAME [ "(" argument { "," argument } ")" ]
    argument    = range | expression | FLAG | RESOURCE

Errors mark the position with a caret.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple, NoReturn

from tagpool.errors import TemplateError
from tagpool.features.functions import ELSEWHERE, FARTHEST_HISTORY, FARTHEST_OFFSET, FUNCTIONS, HISTORY_FIELD, Function, Numbers
from tagpool.features.template import BASE, DEFAULT_FIELD, Call, Expression, Field, Range, Template, TemplateSet, Term

_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)|(?P<integer>[+-]?\d+)|(?P<sign>\.\.|[\[\](),&:]))", re.ASCII)
_USE = re.compile(
    r"\s*use\s+(?P<name>[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)\s+from\s+(?:\"(?P<quoted>[^\"]+)\"|(?P<bare>[^\s\"#]+))\s*(?:#.*)?$",
    re.ASCII,
)
_USE_BEGUN = re.compile(r"\s*use\s+[A-Za-z_]")
_BOUNDARY = re.compile(r"\s*boundary\s+(?P<value>\w+)\s*(?:#.*)?$")
_HEADER = re.compile(r"\s*\[\s*(?P<bags>[^\]]*)\]\s*(?:#.*)?$")
_BAG = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_LONGEST = 512  # longest affix or n-gram
_BLANKS = " \t\n\r\f\v"  # \s in ASCII
_DEEPEST = 20  # functions inside functions
_NOT_ELSEWHERE = (ELSEWHERE, "number", "embedding")  # ``elsewhere`` does not apply to itself, and to values that are not text


def parse(text: str, *, source: str | None = None) -> TemplateSet:
    """Parse templates.

    >>> [str(template) for template in parse("word[-1..1]\\nshape[0] & pos[0]  # a conjunction")]
    ['word[-1..1]', 'shape(word)[0] & pos[0]']
    """
    templates: list[Template] = []
    uses: dict[str, str] = {}
    boundary = True
    bags: tuple[str, ...] = ()
    for number, line in enumerate(re.split(r"\r?\n", text.removeprefix("\ufeff")), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            if match := _USE.match(line):
                uses[match["name"]] = match["quoted"] or match["bare"]
            elif match := _USE_BEGUN.match(line):
                message = "expected use NAME from PATH, the path in double quotes if it has blanks"
                raise TemplateError(message, text=line, column=match.end() - 1)
            elif match := _BOUNDARY.match(line):
                if match["value"] not in ("on", "off"):
                    raise TemplateError("expected on or off", text=line, column=match.start("value"))
                boundary = match["value"] == "on"
            elif match := _HEADER.match(line):
                bags = _bags(match["bags"], line, match.start("bags"))
            else:
                templates.append(replace(_Parser(line).template(), bags=bags, line=number))
        except TemplateError as error:
            raise TemplateError(error.message, text=error.text, column=error.column, source=source, line=number) from None
    if not templates:
        raise TemplateError("expected at least one template, such as word[-1..1]", source=source)
    result = TemplateSet(tuple(templates), tuple(uses.items()), boundary, source)
    _check(result)
    return result


def _bags(text: str, line: str, column: int) -> tuple[str, ...]:
    names = []
    parts = text.split(",")
    for part in parts:
        name = part.strip()
        at = column + len(part) - len(part.lstrip())
        if not _BAG.fullmatch(name):
            raise TemplateError("expected the name of a bag, such as [ngrams]", text=line, column=at)
        if name == BASE and len(parts) > 1:
            raise TemplateError(f"[{BASE}] belongs to every bag; write it alone", text=line, column=at)
        names.append(name)
        column += len(part) + 1
    return () if names == [BASE] else tuple(dict.fromkeys(names))


def _check(templates: TemplateSet) -> None:
    """Check conditions that involve several lines."""
    kinds: dict[str, str] = {}
    bags_of: dict[str, tuple[str, ...]] = {}
    for template in templates:
        for term in template.terms:
            for name, kind in term.resources:
                if kinds.setdefault(name, kind) != kind:
                    message = f"the resource {name!r} is used as a {kinds[name]} above and as a {kind} here; use two names"
                    raise template.error(message, source=templates.source, term=term)
        if template.name and bags_of.setdefault(template.name, template.bags) != template.bags:
            raise template.error(
                "templates of the same name share features, so they must be in the same bags", source=templates.source
            )
    for name, path in templates.uses:
        if name not in kinds:
            raise TemplateError(f"no template uses the resource {name!r} (use {name} from {path})", source=templates.source)


class _Token(NamedTuple):
    kind: str  # name, integer, the sign, or end
    text: str
    column: int


class _Parser:
    """Recursive descent over one line."""

    def __init__(self, line: str) -> None:
        self.line = line
        code = line.split("#", 1)[0].rstrip()
        self.tokens: list[_Token] = []
        at = 0
        while at < len(code):
            match = _TOKEN.match(code, at)
            if not match:
                at += len(code[at:]) - len(code[at:].lstrip(_BLANKS))
                raise TemplateError(f"unexpected {code[at]!r}", text=line, column=at)
            kind = match.lastgroup or ""
            text = match[kind]
            self.tokens.append(_Token(text if kind == "sign" else kind, text, match.start(kind)))
            at = match.end()
        self.tokens.append(_Token("end", "the end of the line", len(code)))
        self.at = 0
        self.depth = 0

    # Tokens ------------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, message: str, token: _Token | None = None) -> NoReturn:
        raise TemplateError(message, text=self.line, column=(token or self.token).column)

    def accept(self, kind: str) -> _Token | None:
        if self.token.kind != kind:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, kind: str, what: str) -> _Token:
        got = self.token.text if self.token.kind == "end" else repr(self.token.text)
        return self.accept(kind) or self.fail(f"expected {what}, got {got}")

    # Rules --------------------------------------------------------------------------------------------------------------

    def template(self) -> Template:
        name = None
        if self.token.kind == "name" and self.tokens[self.at + 1].kind == ":":
            name = self.token.text
            self.at += 2
        terms = [self.term()]
        while self.accept("&"):
            terms.append(self.term())
        self.expect("end", "& and another term, or the end of the line")
        template = Template(tuple(terms), name, text=self.line)
        if template.is_dense and len(terms) > 1:
            column = next(term.column for term in terms if term.is_dense)
            raise TemplateError("an embedding is dense; write it without a conjunction", text=self.line, column=column)
        if template.is_dense and name:
            self.fail("an embedding has no name; remove it", self.tokens[0])
        return template

    def term(self) -> Term:
        start = self.token
        expression = self.expression()
        offsets = [Range(0, 0)]
        if self.accept("["):
            offsets = [self.offset(start, expression)]
            while self.accept(","):
                offsets.append(self.offset(start, expression))
            self.expect("]", "]")
        elif expression == Field(HISTORY_FIELD):
            self.fail(f"expected negative offsets, such as {HISTORY_FIELD}[-1]", start)
        seen: set[int] = set()
        for offset in (number for window in offsets for number in window):
            if offset in seen:
                self.fail(f"the offset {offset} occurs twice", start)
            seen.add(offset)
        return Term(expression, tuple(offsets), start.column)

    def offset(self, start: _Token, expression: Expression) -> Range:
        token = self.token
        window = self.range("an offset, such as 0 or -2..2")
        farthest = FARTHEST_HISTORY if expression == Field(HISTORY_FIELD) else FARTHEST_OFFSET
        if expression == Field(HISTORY_FIELD) and window.high >= 0:
            self.fail(f"label[{window.high}] is unknown when tagging; use a negative offset, as in label[-1]", token)
        if max(-window.low, window.high) > farthest:
            self.fail(f"offset out of range: expected {-farthest} to {farthest}, got {window}", token)
        if expression == Call("bias") and window != Range(0, 0):
            self.fail("bias is the same at every offset; write bias", start)
        return window

    def range(self, what: str) -> Range:
        token = self.expect("integer", what)
        low = high = self.integer(token)
        if self.accept(".."):
            high = self.integer(self.expect("integer", "the last number of the range"))
        if low > high:
            self.fail(f"the range {low}..{high} is empty: write {high}..{low}", token)
        return Range(low, high)

    def integer(self, token: _Token) -> int:
        if len(token.text) > 6:
            self.fail("the number is too large", token)
        return int(token.text)

    def expression(self) -> Expression:
        token = self.expect("name", "a field or a function, such as word or shape")
        function = FUNCTIONS.get(token.text)
        if function is None:
            if self.token.kind == "(":
                self.fail(f"unknown function {token.text!r}; the functions are {', '.join(FUNCTIONS)}", token)
            return Field(token.text)
        return self.call(function, token)

    def call(self, function: Function, token: _Token) -> Call:
        resource = flag = None
        expression: Expression | None = None
        numbers: list[Range] = []
        if self.accept("("):
            if function.resource:
                resource = self.expect("name", f"the name of a resource, as in {function.example}").text
            first = not function.resource
            while first or self.accept(","):
                first = False
                if self.token.kind == "integer":
                    numbers.append(self.number(function))
                elif self.token.kind == "name" and self.token.text in function.flags and flag is None:
                    flag = self.expect("name", "a flag").text
                elif function.expression and expression is None and not numbers and flag is None:
                    expression = self.inner(function)
                else:
                    self.fail(f"unexpected argument: write it as {function.example}")
            self.expect(")", "a comma or )")
        if function.resource and resource is None:
            self.fail(f"{function.name} needs a resource, as in {function.example}", token)
        if function.expression and expression is None:
            expression = Field(DEFAULT_FIELD)
        one_range = function.numbers in (Numbers.RANGE, Numbers.WINDOW)
        if one_range and len(numbers) != 1 and (numbers or not function.optional_numbers):
            self.fail(f"{function.name} needs one range of numbers, as in {function.example}", token)
        if function.numbers is Numbers.LENGTHS and not numbers and not function.optional_numbers:
            self.fail(f"{function.name} needs lengths, as in {function.example}", token)
        return Call(function.name, expression, resource, tuple(numbers), flag)

    def inner(self, function: Function) -> Expression:
        token = self.token
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"functions are nested more than {_DEEPEST} deep")
        inner = self.expression()
        self.depth -= 1
        if inner == Field(HISTORY_FIELD):
            self.fail(f"{HISTORY_FIELD} is not an argument of functions; write {HISTORY_FIELD}[-1]", token)
        if isinstance(inner, Call):
            if function.field_only:
                self.fail(f"{function.name} applies to a column, not to a function", token)
            if function.around_any and inner.function in _NOT_ELSEWHERE:
                self.fail(f"{function.name} does not apply to {inner.function}", token)
            if not function.around_any and not FUNCTIONS[inner.function].single:
                self.fail(f"{function.name} does not apply to {inner.function}, which has several values or none", token)
        return inner

    def number(self, function: Function) -> Range:
        token = self.token
        numbers = self.range("a number")
        if function.numbers is Numbers.NONE:
            self.fail(f"{function.name} takes no numbers: write it as {function.example}", token)
        low, high = (-FARTHEST_OFFSET, FARTHEST_OFFSET) if function.numbers is Numbers.WINDOW else (1, _LONGEST)
        if numbers.low < low or numbers.high > high:
            self.fail(f"out of range: expected numbers from {low} to {high}, got {numbers}", token)
        return numbers
