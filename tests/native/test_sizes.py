"""Limits on the size of source files, functions and parameter lists, in Python and C++."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE = 400
MAX_FUNCTION = 60
MAX_PARAMETERS = 8
MAX_OPTIONS = 14  # of a command, which has one parameter per option
GENERATED = {"unicode_tables.inc", "_native.pyi"}
# Interfaces of other libraries, which compat keeps.
FOREIGN_INTERFACES = "src/tagpool/compat/"
FACTORIES = "src/tagpool/bridges/spacy/factories.py"  # of spaCy: a parameter for each key of their configuration

TEMPLATE = re.compile(r"template\s*<[^{;]*?>(?=\s*[\w\[:])")
SCOPE = re.compile(r"\b(class|struct|union|enum|namespace|extern)\b")
MEMBER_INITIALIZER = re.compile(r"\)\s*:[^:](?!.*\b(const|override|noexcept)\s*$).*\w\s*$", re.DOTALL)

Function = tuple[str, int, int, int]  # name, first line, number of lines, number of parameters


def python_functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            parameters = len([name for name in names if name not in {"self", "cls"}])
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1, parameters


def without_comments(text: str) -> str:
    """C++ without comments and the content of literals, with the same line breaks."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)


def count_parameters(head: str) -> int:
    """The number of parameters in the head of a function definition."""
    depth = count = 0
    empty = True
    for c in re.sub(r"operator\s*\(\)|->|<<|>>=|<=|>=", "", head).partition("(")[2]:
        if c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
            if depth < 0:
                return 0 if empty else count + 1
        elif c == "," and depth == 0:
            count += 1
        empty = empty and c.isspace()
    return count


def cpp_functions(text: str) -> Iterator[Function]:
    """Definitions at namespace or class scope; a lambda belongs to its function."""
    text = without_comments(text)
    scopes: list[Function | None] = []  # one for each open brace: a function, or None for a namespace or class
    start = 0  # of the current declaration
    inside = 0  # braces inside a function or initializer
    for position, c in enumerate(text):
        if c == "{":
            head = text[start:position]
            before = TEMPLATE.sub("", head).partition("(")[0]
            if inside:
                inside += 1
            elif SCOPE.search(before):
                scopes.append(None)
                start = position + 1
            elif "(" not in head or MEMBER_INITIALIZER.search(head):
                scopes.append(None)
                inside = 1
            else:
                line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                scopes.append((before.split()[-1], line, 0, count_parameters(head)))
                inside = 1
        elif c == "}":
            if inside > 1:
                inside -= 1
                continue
            scope = scopes.pop() if scopes else None
            if inside == 0:
                start = position + 1
            elif scope:
                name, line, _, parameters = scope
                yield name, line, text.count("\n", 0, position) + 2 - line, parameters
                start = position + 1
            inside = 0
        elif c == ";" and not inside:
            start = position + 1


def sources() -> list[Path]:
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("native/**/*.?pp"), *ROOT.glob("native/**/*.in[lc]")]
    return sorted(path for path in files if path.name not in GENERATED)


def violations(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    name = path.relative_to(ROOT).as_posix()
    if (lines := text.count("\n")) > MAX_FILE:
        yield f"{name}: {lines} lines"
    maximum = MAX_OPTIONS if name.startswith("src/tagpool/cli/") else MAX_PARAMETERS
    for function, line, length, parameters in python_functions(text) if path.suffix == ".py" else cpp_functions(text):
        if name.startswith(FOREIGN_INTERFACES) and function == "__init__":
            continue
        if length > MAX_FUNCTION:
            yield f"{name}:{line}: {function} has {length} lines"
        if parameters > maximum and name != FACTORIES:
            yield f"{name}:{line}: {function} has {parameters} parameters"


def test_sizes() -> None:
    assert [problem for path in sources() for problem in violations(path)] == []


def test_functions_of_cpp_are_found() -> None:
    text = """
    namespace a {
    const int kTable[] = {1, 2};  // {
    template <class T, int kSize = 3>
    struct S {
        explicit S(std::map<int, T> x, int y) : x_{x}, y_(y) {}
        double operator()(int a, int b, int c) const {
            return [&](int d, int e) { return d; }(a, b);
        }
        T x_{};
    };
    inline void f() {
        if (true) {
        }
    }
    }
    """
    assert [(name, length, parameters) for name, _, length, parameters in cpp_functions(text)] == [
        ("S", 1, 2),
        ("operator", 3, 3),
        ("f", 4, 0),
    ]
