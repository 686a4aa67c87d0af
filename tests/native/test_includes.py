"""Includes of the native code point one way: a folder includes only itself and folders above it, and no modules form a cycle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
FOLDERS = [
    "base",
    "text",
    "arrow",
    "features",
    "clusters",
    "chain",
    "dataset",
    "kernels",
    "trainers",
    "model",
    "online",
    "pools",
    "crfsuite",
    "bindings",
]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_includes(root: Path) -> dict[str, list[str]]:
    """The quoted includes of every file, both relative to the root."""
    paths = [path for path in sorted(root.rglob("*")) if path.suffix in (".hpp", ".cpp", ".inl", ".inc")]
    return {path.relative_to(root).as_posix(): INCLUDE.findall(path.read_text(encoding="utf-8")) for path in paths}


def wrong_directions(includes: dict[str, list[str]]) -> list[str]:
    """Includes of a folder that comes later."""
    rank = {folder: number for number, folder in enumerate(FOLDERS)}
    return [
        f"{file} includes {target}"
        for file, targets in includes.items()
        for target in targets
        if rank[target.split("/")[0]] > rank[file.split("/")[0]]
    ]


def find_cycle(includes: dict[str, list[str]]) -> list[str]:
    """Modules that include each other; a module is a header with its source. Empty: there is no cycle."""
    graph: dict[str, set[str]] = {}
    for file, targets in includes.items():
        module = file.rpartition(".")[0]
        graph.setdefault(module, set()).update(target.rpartition(".")[0] for target in targets)
        graph[module].discard(module)
    finished: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in finished:
            return []
        for target in sorted(graph.get(module, ())):
            if cycle := visit(target, [*path, module]):
                return cycle
        finished.add(module)
        return []

    return next((cycle for module in graph if (cycle := visit(module, []))), [])


@pytest.fixture(scope="module")
def includes() -> dict[str, list[str]]:
    return read_includes(NATIVE)


def test_every_file_is_in_a_folder(includes: dict[str, list[str]]) -> None:
    assert {file.split("/")[0] for file in includes} == set(FOLDERS)


def test_every_included_file_exists(includes: dict[str, list[str]]) -> None:
    assert [target for targets in includes.values() for target in targets if target not in includes] == []


def test_folders_include_only_folders_above_them(includes: dict[str, list[str]]) -> None:
    assert wrong_directions(includes) == []


def test_no_modules_form_a_cycle(includes: dict[str, list[str]]) -> None:
    assert find_cycle(includes) == []


def test_mistakes_are_found() -> None:
    assert wrong_directions({"base/a.hpp": ["text/b.hpp"], "text/b.hpp": []}) == ["base/a.hpp includes text/b.hpp"]
    assert find_cycle({"base/a.hpp": [], "base/a.cpp": ["base/b.hpp"], "base/b.hpp": ["base/a.hpp"]}) == [
        "base/a",
        "base/b",
        "base/a",
    ]
