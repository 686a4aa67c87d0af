"""The generated stub: every binding has few arguments, all of them named and typed, and a docstring."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tagpool
from tagpool import _native

STUB = Path(tagpool.__file__).with_name("_native.pyi")
MOST_ARGUMENTS = 7


def functions() -> list[tuple[str, ast.FunctionDef]]:
    tree = ast.parse(STUB.read_text())
    scopes = [("", tree.body), *((node.name + ".", node.body) for node in tree.body if isinstance(node, ast.ClassDef))]
    return [(scope + node.name, node) for scope, body in scopes for node in body if isinstance(node, ast.FunctionDef)]


def arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if arg.arg != "self"]


def test_the_stub_has_the_names_of_the_module() -> None:
    body = ast.parse(STUB.read_text()).body
    stub = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stub |= {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    assert stub == {name for name in dir(_native) if not name.startswith("__")}


def test_no_binding_has_more_than_seven_arguments() -> None:
    assert len(functions()) > 200
    assert [name for name, node in functions() if len(arguments(node)) > MOST_ARGUMENTS] == []


def test_every_argument_has_a_name_and_a_type() -> None:
    unnamed = [name for name, node in functions() for arg in arguments(node) if arg.arg.startswith("arg") or not arg.annotation]
    assert unnamed == []


def test_every_binding_has_a_docstring() -> None:
    special = {"__init__", "__len__", "__call__"}
    missing = [name for name, node in functions() if not ast.get_docstring(node) and node.name not in special]
    assert missing == []


# Uses each kind of binding; objects stay alive as globals until the interpreter ends, as in an interactive session.
EVERYTHING = """
import tagpool
from tagpool import _native
from tagpool.compat import pycrfsuite

corpus = tagpool.builtin_corpus(30)
crf = tagpool.CRF("word[-1..1]", trainer=tagpool.SGD(epochs=1)).fit(corpus)
exact = tagpool.MaxEnt("word[0]", trainer=tagpool.LBFGS(iterations=2)).fit(corpus)
inducing = tagpool.InducingTagger("word[0]\\nlabel[-1]", epochs=1).fit(corpus)
pool = tagpool.OpinionPool([crf, exact]).fit(corpus)
votes = tagpool.VotePool().fit({"a": crf.predict(corpus), "b": exact.predict(corpus)}, corpus.labels)
clusters = _native.SentenceText(_native.WordFunction([_native.Step("lower")]))
clusters.add_sentence(["a", "b"])
_native.brown_merges(clusters.bigrams(1), 1, print)
trainer = pycrfsuite.Trainer(verbose=False)
trainer.append([["a"], ["b"]], ["X", "Y"])
array = tagpool.Encoder("word[0]").fit_transform(corpus).native.ids()
lattice = crf.lattices([["Ann", "Lee"]])[0]
try:
    _native.Step("no such function")
except ValueError as error:
    problem = error
"""


@pytest.mark.skipif(sys.flags.optimize > 0, reason="needs the interpreter's normal exit")
def test_nothing_is_leaked_at_exit() -> None:
    """nanobind reports leaked instances, types and functions when the interpreter ends."""
    run = subprocess.run([sys.executable, "-c", EVERYTHING], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "leaked" not in run.stderr, run.stderr
