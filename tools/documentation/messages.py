"""Pages of error messages: the texts of all errors that users meet, from the source code.

A text is the first argument of a call of an error class, of a local function that returns an error (``fail``), or of
``InputFault`` in the native core. Values are shown as ``{name}``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE, NATIVE = ROOT / "src" / "tagpool", ROOT / "native"

# Pages, with their title and the folders or modules that belong to them.
AREAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "corpora": ("Corpora, files and tag schemes", ("corpus", "native/text", "native/arrow", "visible", "wording")),
    "features": ("Templates, features and resources", ("features", "native/features", "native/clusters")),
    "training": (
        "Training and tagging",
        (
            "experts",
            "optim",
            "chain",
            "native/chain",
            "native/dataset",
            "native/trainers",
            "native/online",
            "native/kernels",
            "native/bindings",
            "errors",
        ),
    ),
    "model-files": ("Model files", ("native/model", "native/base")),
    "pools": ("Pools and experts", ("pools", "native/pools")),
    "scores": ("Scores and reports", ("evaluation", "report", "views")),
    "audits": ("Audits and changes of text", ("auditing", "perturbations")),
    "commands": (
        "Commands, configuration and tuning",
        ("cli", "config", "config_keys", "parameters", "tuning", "lazy", "experiments"),
    ),
    "streams": ("Streams, folders and other systems", ("tagging", "bridges")),
    "server": ("Server", ("serve",)),
    "compatibility": ("CRFsuite, Wapiti and CRF++", ("compat", "native/crfsuite")),
}
_LOCAL = {"fail", "invalid"}  # functions that return an error with the message they are given
_WRAPPERS = {"repr", "str", "sorted", "set", "list", "map", "excerpt", "one_line", "display", "toml_value", "abs", "min", "max"}
_ALTERNATIVES = 6
_LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')


@dataclass(frozen=True)
class Message:
    """A message: its text, class of errors, module, and the exit code of a command that ends with it."""

    text: str
    error: str
    module: str
    exit_code: int


def area_of(module: str) -> str:
    """Return the page of a module such as ``corpus/files.py``."""
    for area, (_, folders) in AREAS.items():
        if any(module.startswith(f"{folder}/") or module == f"{folder}.py" for folder in folders):
            return area
    raise LookupError(f"{module} belongs to no page of error messages; add its folder to AREAS in {__file__}")


def messages() -> list[Message]:
    """All messages, sorted by module and place, each once per page."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    classes = _classes_below("TagpoolError", trees.values())
    bad_input = _classes_below("InputError", trees.values())
    listed = [
        Message(text, error, path.relative_to(PACKAGE).as_posix(), 2 if error in bad_input else 1)
        for path, tree in trees.items()
        for error, text in _python_messages(tree, classes)
    ]
    for path in sorted(NATIVE.rglob("*")):
        if path.suffix in {".cpp", ".hpp", ".inl"}:
            name = path.relative_to(ROOT).as_posix()
            listed += [Message(text, "InputError", name, 2) for text in native_messages(path.read_text(encoding="utf-8"))]
    once = {(area_of(message.module), message.text): message for message in reversed(listed)}
    return list(reversed(once.values()))


def _classes_below(name: str, trees: Iterable[ast.Module]) -> set[str]:
    """Names of a class and of those that derive from it, also through others."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    classes = {name}
    while more := {derived for derived, parents in bases.items() if parents & classes} - classes:
        classes |= more
    return classes


def _python_messages(tree: ast.Module, classes: set[str]) -> Iterator[tuple[str, str]]:
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inner = {
        id(child) for scope in scopes for child in ast.walk(scope) if child is not scope and isinstance(child, ast.FunctionDef)
    }
    for scope in [scope for scope in scopes if id(scope) not in inner]:
        values: dict[str, list[ast.expr]] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                values.setdefault(node.targets[0].id, []).append(node.value)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute) and node.args:
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in classes or name in _LOCAL:
                    error = name if name in classes else "InputError"
                    yield from ((error, text) for text in texts(node.args[0], values) if _is_readable(text))


def _is_readable(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", re.sub(r"\{[^}]*\}", "", text))) >= 2


def texts(node: ast.expr, values: dict[str, list[ast.expr]]) -> list[str]:
    """Return the texts that an expression may have; variables have the values that the function assigns."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [_formatted(part, values) for part in node.values]
        return _products(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _products([texts(node.left, values), texts(node.right, values)])
    if isinstance(node, ast.IfExp):
        return (texts(node.body, values) + texts(node.orelse, values))[:_ALTERNATIVES]
    if isinstance(node, ast.Name) and node.id in values:
        others = {name: value for name, value in values.items() if name != node.id}
        return [text for value in values[node.id] for text in texts(value, others)][:_ALTERNATIVES]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted" and len(node.args) >= 2:
        noun = node.args[1]
        return [f"{{number}} {noun.value}s" if isinstance(noun, ast.Constant) else "{number}"]
    return [f"{{{placeholder(node)}}}"]


def _formatted(part: ast.expr, values: dict[str, list[ast.expr]]) -> list[str]:
    if not isinstance(part, ast.FormattedValue):
        return texts(part, {})
    node = part.value
    if isinstance(node, ast.Name):  # a short text that the function chooses, else the name
        chosen = [text for value in values.get(node.id, []) for text in texts(value, {})]
        if chosen and len(chosen) <= _ALTERNATIVES and all("{" not in text for text in chosen):
            return chosen
        return [f"{{{node.id}}}"]
    return texts(node, {})


def _products(parts: list[list[str]]) -> list[str]:
    joined = [""]
    for part in parts:
        joined = [before + text for before in joined for text in part][:_ALTERNATIVES]
    return joined


def placeholder(node: ast.AST) -> str:
    """Return a name for a value in a message."""
    if isinstance(node, ast.Name):
        return node.id.lstrip("_").lower()
    if isinstance(node, ast.Attribute):
        return "type" if node.attr == "__name__" else node.attr.lstrip("_").lower()
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "value")
        if name == "len":
            return "number"
        if node.args and (name in _WRAPPERS or name == "join"):
            return placeholder(node.args[-1])
        return name.lstrip("_")
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return placeholder(node.generators[0].iter)
    for attribute in ("value", "body", "left", "operand"):
        inner = getattr(node, attribute, None)
        if isinstance(inner, ast.AST):
            return placeholder(inner)
    return "value"


def native_messages(code: str) -> list[str]:
    """Return the texts of ``InputFault`` in C++."""
    listed: list[str] = []
    for match in re.finditer(r"throw InputFault\(", code):
        argument = _first_argument(code[match.end() :])
        choice = re.fullmatch(r'[^"?]*\?\s*("(?:\\.|[^"\\])*")\s*:\s*("(?:\\.|[^"\\])*")', argument, re.DOTALL)
        listed += [_native_text(part) for part in (choice.groups() if choice else [argument])]
    return [text for text in listed if _is_readable(text)]


def _first_argument(code: str) -> str:
    depth, in_text = 1, False
    inside = 1 if code.startswith("concat(") else 0
    for at, letter in enumerate(code):
        if letter == '"' and code[at - 1] != "\\":
            in_text = not in_text
        elif not in_text:
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0 or (letter == "," and depth == 1):
                return code[len("concat(") * inside : at - inside]
    return ""


def _native_text(argument: str) -> str:
    text, end = "", 0
    for match in _LITERAL.finditer(argument):
        text += _native_value(argument[end : match.start()]) + match[1].replace('\\"', '"').replace("\\n", " ").replace(
            "\\\\", "\\"
        )
        end = match.end()
    return text + _native_value(argument[end:])


def _native_value(code: str) -> str:
    names = [name for name in re.findall(r"[A-Za-z_]\w*", code) if name not in {"std", "to_string", "string", "size_t", "concat"}]
    if not names:
        return ""
    return "{number}" if "size" in names or "count" in names else f"{{{names[-1]}}}"


def anchor_of(text: str, taken: set[str]) -> str:
    """Return an identifier from the first words of a message, which no other message has."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"\{[^}]*\}", " ", text.lower()))
    base = anchor = "-".join(words[:9]) or "message"
    number = 1
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor
