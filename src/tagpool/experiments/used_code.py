"""The files of the package that a module uses, by its imports: what its results can depend on."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_NAME = PACKAGE.name
_READ_AS_DATA = {".so", ".pyd", ".txt"}


def used_files(module: str) -> list[Path]:
    """Return the files that a module of the package uses: all it imports, directly or not, native modules and texts.

    Imports inside functions count, and so do module names in strings, for imports by name. The result may be too large, never
    too small: an unclear name stands for the whole package.

    >>> PACKAGE / "experiments" / "study.py" in used_files("experiments.undertraining")
    True
    """
    waiting = [f"{_NAME}.{module}"]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        waiting += _imported(name)
        waiting += [name.rpartition(".")[0]] if "." in name else []
    data = {path for path in PACKAGE.rglob("*") if path.suffix in _READ_AS_DATA}
    return sorted(data | {_modules()[name] for name in reached})


@functools.cache
def _modules() -> dict[str, Path]:
    """Return the files of all modules of the package by name."""
    names = {}
    for path in PACKAGE.rglob("*.py"):
        parts = (_NAME, *path.relative_to(PACKAGE).with_suffix("").parts)
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


@functools.cache
def _imported(module: str) -> frozenset[str]:
    """Return the modules of the package that a module names. The lists of lazy names in ``__init__`` are not followed."""
    nodes = list(ast.walk(ast.parse(_modules()[module].read_bytes())))
    return frozenset(name for node in nodes for name in _named(node))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in _modules())
    elif isinstance(node, ast.ImportFrom) and node.module in _modules():
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            if inner in _modules():
                yield inner
            elif node.module != _NAME:
                yield node.module
            elif not alias.name.startswith("_"):  # a public name, which may come from any module
                yield from _modules()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _modules() and node.value != _NAME:
        yield node.value
