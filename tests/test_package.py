"""The package as a whole: its examples run, its public names exist, and importing it stays cheap."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import tagpool

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tagpool.__path__, "tagpool.")
    if not module.name.endswith(("__main__", "_native"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_documentation_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_names_exist_and_are_typed() -> None:
    for name in tagpool.__all__:
        assert getattr(tagpool, name) is not None
    stub = ast.parse(Path(tagpool.__file__).with_name("__init__.pyi").read_text())
    typed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed | {"__version__"} == set(tagpool.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tagpool.nonsense


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())


def test_importing_is_lazy() -> None:
    loaded = modules_after("import tagpool")
    assert not {"numpy", "scipy", "typer", "rich", "tagpool._native"} & loaded


def test_reading_and_encoding_need_no_other_library() -> None:
    code = "import tagpool\ncorpus = tagpool.Corpus.from_lists(word=[['Ann', 'left']])\ntagpool.Encoder('ner').fit(corpus)"
    assert not {"numpy", "scipy", "sklearn", "matplotlib", "typer", "rich"} & modules_after(code)
