"""Taggers beside python-crfsuite's: what they give, and which kinds of errors."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite as theirs
import pytest
from compat.models import agree, both, items
from hypothesis import given
from hypothesis import strategies as st
from oracles.crfsuite import written

from tagpool.compat import pycrfsuite as ours
from tagpool.errors import TagpoolError

MODEL = written(["X", "Y Z", "é"], ["a", "b c", "key:ü"], [0.5, -1.0, 2.0] * 3, [0.1, 0.2, -0.3] * 3)


def opened() -> Any:
    tagger = ours.Tagger()
    tagger.open_inmemory(MODEL)
    return tagger


@given(st.lists(items, min_size=1, max_size=4))
def test_features_mean_the_same(sentence: Any) -> None:
    them, us = theirs.ItemSequence(sentence), ours.ItemSequence(sentence)
    assert us.items() == them.items()
    assert len(us) == len(them)
    assert repr(us) == repr(them)
    agree(*both(MODEL), sentence)
    mine = opened()
    assert mine.tag(us) == mine.tag(sentence)


def test_attributes_that_come_again_weigh_the_same() -> None:
    """Met before or not, known or not, twice at one token or in one sentence, of any length."""
    random = np.random.default_rng(3)
    names = [f"{'é' * (n % 3)}{'x' * (n % 29)}{n}" for n in range(4000)]
    weights = random.normal(size=3 * 3000).tolist()
    model = written(["a", "b", "c"], names[:3000], weights, random.normal(size=9).tolist())  # (python-crfsuite does not keep it)
    them, us = both(model)
    for _ in range(30):
        chosen = random.integers(0, len(names), (20, 25))
        agree(them, us, [[names[i] for i in (*item, item[0])] for item in chosen])


def test_what_is_kept_of_attributes_is_forgotten_before_it_is_too_much() -> None:
    them, us = both(MODEL)
    known = ["a", "b c", "key:ü"]
    for n in range(24):  # a megabyte each: more than is kept
        sentence = [[known[n % 3], str(n) * (2**20 // len(str(n)))], known]
        agree(them, us, sentence)


def test_what_features_may_be() -> None:
    """Strings are sequences of characters, and bytes need not be text: as it is there."""
    for sentence in (
        ["ab", "c"],
        [("a", "b c"), {"a"}, frozenset("a")],
        [[b"a", b"\xff"]],
        [["a\0b"]],
        [[""]],
        [{}],
        iter([["a"]]),
    ):
        stored = list(sentence)
        agree(*both(MODEL), stored)
    assert ours.ItemSequence([{"a": {"b": ["c", "d"], "e": {"f": 0.5}}}]).items() == [{"a:b:c": 1.0, "a:b:d": 1.0, "a:e:f": 0.5}]


def test_dump_and_info_are_theirs(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "model"
    path.write_bytes(MODEL)
    them, us = theirs.Tagger(), ours.Tagger()
    them.open(str(path))
    us.open(str(path))
    them.dump(str(tmp_path / "theirs.txt"))
    us.dump(str(tmp_path / "ours.txt"))
    assert (tmp_path / "ours.txt").read_text() == (tmp_path / "theirs.txt").read_text()
    us.dump(str(tmp_path / "named by bytes").encode())
    assert (tmp_path / "named by bytes").exists()
    us.dump()
    assert capsys.readouterr().out == (tmp_path / "ours.txt").read_text()
    expected, result = them.info(), us.info()
    for name in ("header", "labels", "attributes"):
        assert getattr(result, name) == getattr(expected, name)
    assert result.transitions == pytest.approx(expected.transitions, abs=1e-6)
    assert result.state_features == pytest.approx(expected.state_features, abs=1e-6)


def test_a_model_is_opened_by_any_name_and_closed_again(tmp_path: Path) -> None:
    path = tmp_path / "modèle"
    path.write_bytes(MODEL)
    tagger = ours.Tagger()
    for name in (str(path), str(path).encode(), path):
        with tagger.open(name) as same:
            assert same is tagger
            assert tagger.labels() == ["X", "Y Z", "é"]
        with pytest.raises(ValueError, match="no model"):
            tagger.labels()
    tagger.close()


def test_before_anything_is_set() -> None:
    tagger = opened()
    assert (tagger.tag(), tagger.viterbi(), tagger.probability([]), tagger.marginal("X", 0)) == ([], [], 0.0, 0.0)
    assert tagger.tag([]) == []
    tagger.set([["a"], ["b c"]])
    assert tagger.tag() == tagger.viterbi() == opened().tag([["a"], ["b c"]])
    assert tagger.marginals()[1]["X"] == tagger.marginal(b"X", 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda tagger: tagger.tag([["a"]]),
        lambda tagger: tagger.set([["a"]]),
        lambda tagger: tagger.labels(),
        lambda tagger: tagger.probability(["X"]),
        lambda tagger: tagger.marginal("X", 0),
        lambda tagger: tagger.info(),
        lambda tagger: tagger.dump(),
    ],
)
def test_without_a_model(call: Any) -> None:
    for kind in (ValueError, RuntimeError, TagpoolError):
        with pytest.raises(kind, match=r"call open\(path\) first"):
            call(ours.Tagger())


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda tagger: tagger.open("/nowhere/model"), FileNotFoundError, "No such file"),
        (lambda tagger: tagger.open("/"), IsADirectoryError, "Is a directory"),
        (lambda tagger: tagger.open(None), TypeError, "NoneType"),
        (lambda tagger: tagger.open_inmemory("lCRF"), TypeError, "expected a model as bytes, got str"),
        (lambda tagger: tagger.open_inmemory(b"lCRF"), ValueError, "cut off"),
        (lambda tagger: tagger.tag([None]), TypeError, "token 1: expected a list of features or a dict, got NoneType"),
        (lambda tagger: tagger.tag(5), TypeError, "not iterable"),
        (lambda tagger: tagger.tag([["a"], {"b": None}]), TypeError, 'token 2: feature "b": expected a string, a number'),
        (lambda tagger: tagger.tag([{"b": float("nan")}]), ValueError, "expected a finite number, got nan"),
        (lambda tagger: tagger.tag([["\udc80"]]), ValueError, "lone surrogate"),
        (lambda tagger: tagger.probability(["X", "X"]), ValueError, "items and labels differ: 1 item, 2 labels"),
        (lambda tagger: tagger.probability(["Q"]), RuntimeError, "no label 'Q'; it has 'X', 'Y Z', 'é'"),
        (lambda tagger: tagger.marginal("Q", 0), RuntimeError, "no label 'Q'"),
        (lambda tagger: tagger.marginal("X", 1), ValueError, "position 1 is out of range: the sequence has 1 item"),
        (lambda tagger: tagger.marginal("X", -1), ValueError, "out of range"),
        (lambda tagger: tagger.marginal("X", "0"), TypeError, "expected the position as an integer"),
        (lambda tagger: tagger.marginal("X", 2**40), OverflowError, "expected the position as a number of 32 bits"),
        (lambda tagger: tagger.marginal(1, 0), TypeError, "expected a label as text, got 1"),
        (lambda tagger: tagger.probability([None]), TypeError, "expected a label as text, got None"),
        (lambda tagger: tagger.set(None), TypeError, "not iterable"),
    ],
)
def test_bad_input_raises_errors_of_the_same_kind(call: Any, kind: type[Exception], message: str) -> None:
    raised = []
    for tagger in (theirs.Tagger(), ours.Tagger()):
        tagger.open_inmemory(MODEL)
        tagger.set([["a"]])
        try:
            call(tagger)
        except Exception as error:
            raised.append(error)
    them, us = raised if len(raised) == 2 else (None, *raised)  # NaN passes there, damage and lone surrogates may
    assert isinstance(us, kind)
    assert re.search(message, str(us))
    if isinstance(them, SystemError):  # some reach Python in a wrapping of Cython's
        them = them.__cause__
    # Text that is not valid UTF-8 is a ValueError in both libraries.
    assert them is None or isinstance(us, ValueError if isinstance(them, UnicodeEncodeError) else type(them))


def test_positions_and_labels_are_of_any_type_that_python_crfsuite_takes() -> None:
    them, us = both(MODEL)
    for tagger in (them, us):
        tagger.set([["a"], ["b c"]])
    for label in ("X", b"X", np.str_("X"), "X\0more"):
        for place in (1, True, np.int64(1), 1.0):
            assert us.marginal(label, place) == pytest.approx(them.marginal(label, place), abs=1e-12)
    for labels in (["X", "é"], ("X", b"X"), np.array(["X", "X"]), "XX"):
        assert us.probability(labels) == pytest.approx(them.probability(labels), abs=1e-12)


def test_a_sequence_that_cannot_be_set_leaves_none() -> None:
    tagger = opened()
    tagger.set([["a"]])
    with pytest.raises(ValueError, match="token 1"):
        tagger.set([[1]])
    assert tagger.tag([["a"]]) == opened().tag([["a"]])


def test_tagging_needs_no_other_library(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(MODEL)
    code = (
        "import sys\nfrom tagpool.compat import pycrfsuite\ntagger = pycrfsuite.Tagger()\n"
        f"tagger.open({str(path)!r})\ntagger.tag([['a']])\ntagger.marginal('X', 0)\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "scipy", "typer", "rich"} & set(done.stdout.split())
