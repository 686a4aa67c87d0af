"""Patterns and text models of Wapiti and CRF++, against plain readings of what their documentation says."""

from __future__ import annotations

import itertools
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from injection import skip_under_sanitizers

from tagpool.compat.wapiti.patterns import attributes_of, parse_crfpp_templates, parse_wapiti_patterns
from tagpool.compat.wapiti.text_models import parse_crfpp_model, parse_wapiti_model, read_text_model
from tagpool.errors import InputError, ModelError, TemplateError

ROWS = [["The", "DT"], ["Cat", "NN"], ["SAT", "VBD"]]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("u:%x[0,0]", ["u:The", "u:Cat", "u:SAT"]),
        ("U:%X[0,0]/%x[0,1]", ["u:the/DT", "u:cat/NN", "u:sat/VBD"]),
        ("u%x[-1,0]", ["u_x-1", "uThe", "uCat"]),
        ("u%x[ 2 , 0 ]", ["uSAT", "u_x+1", "u_x+2"]),
        ("u%x[-6,0]", ["u_x-#", "u_x-#", "u_x-4"]),
        ("u%x[@1,0]", ["uThe"] * 3),
        ("u%x[@-1,1]", ["uVBD"] * 3),
        ('*%t[0,0,"^\\u\\l*$"]', ["*true", "*true", "*false"]),
        ('u%m[0,0,"..$"]', ["uhe", "uat", "uAT"]),
        ('u%M[0,0,"^.\\u?"]', ["ut", "uc", "usa"]),
        ('u%m[0,0,"x"]', ["u"] * 3),
        ("b", ["b"] * 3),
        ("B:%x[0,1]  # the tag", ["b:DT", "b:NN", "b:VBD"]),
    ],
)
def test_what_wapiti_patterns_make(pattern: str, expected: list[str]) -> None:
    (result,) = parse_wapiti_patterns(f"# a comment\n\n{pattern}\n")
    assert [result.observation(ROWS, at) for at in range(3)] == expected


def test_what_crfpp_templates_make() -> None:
    templates = parse_crfpp_templates("# Unigram\nU00:%x[-2,0]\nU01:%x[0,0]/%x[1,1]\n\nB\n")
    assert attributes_of(templates, ROWS) == [
        ["U00:_B-2", "U01:The/NN", "B"],
        ["U00:_B-1", "U01:Cat/VBD", "B"],
        ["U00:The", "U01:SAT/_B+1", "B"],
    ]


def first_match(expression: list[tuple[str, str]], text: str) -> str | None:
    """Find the first match by brute force over positions and alternatives."""

    def ways(rest: list[tuple[str, str]], at: int) -> Any:
        if not rest:
            yield at
            return
        (letter, sign), after = rest[0], rest[1:]
        fits = at < len(text) and letter in (".", text[at])
        if sign == "*":
            yield from ways(after, at)
            if fits:
                yield from ways(rest, at + 1)
        else:
            if fits:
                yield from ways(after, at + 1)
            if sign == "?":
                yield from ways(after, at)

    for begin in range(len(text) + 1):
        for end in ways(expression, begin):
            return text[begin:end]
    return None


@given(
    st.lists(st.tuples(st.sampled_from("ab."), st.sampled_from(["", "", "*", "?"])), min_size=1, max_size=5),
    st.text("abc", min_size=1, max_size=6),
)
def test_regular_expressions_match_as_wapitis(expression: list[tuple[str, str]], text: str) -> None:
    written = "".join(letter + sign for letter, sign in expression)
    tested, matched = parse_wapiti_patterns(f'u%t[0,0,"{written}"]\nu%m[0,0,"{written}"]')
    expected = first_match(expression, text)
    assert tested.observation([[text]], 0) == ("ufalse" if expected is None else "utrue")
    if not any(sign == "?" for _, sign in expression):  # how long those are that are optional: test_wapiti.py
        assert matched.observation([[text]], 0) == "u" + (expected or "")


weights = st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=200, max_size=200)
sentences = st.lists(st.tuples(st.sampled_from(["dog", "cat", "Cat"]), st.sampled_from(["N", "V"])), min_size=1, max_size=4)


def all_scores(
    labels: list[str], rows: Any, states: dict[str, Any], pairs: dict[str, Any], observe: Any
) -> dict[tuple[int, ...], float]:
    """The score of every sequence."""

    def score(sequence: tuple[int, ...]) -> float:
        total = 0.0
        for at, label in enumerate(sequence):
            for name in observe(rows, at):
                total += states.get(name, [0.0] * len(labels))[label]
                if at and name in pairs:
                    total += pairs[name][sequence[at - 1]][label]
        return total

    return {sequence: score(sequence) for sequence in itertools.product(range(len(labels)), repeat=len(rows))}


def observe_wapiti(rows: Any, at: int) -> list[str]:
    before = rows[at - 1][0] if at else "_x-1"
    return [f"u:{rows[at][0]}", f"u-1:{before}", f"b:{rows[at][1]}", f"*{rows[at][0].lower()}", "b"]


WAPITI = ["u:dog", "u:cat", "u-1:_x-1", "u-1:Cat", "b:N", "*cat", "*dog", "b"]
LABELS = ["O", "B-X", "I-X"]


@settings(max_examples=30)
@given(weights, sentences)
def test_wapiti_models_score_as_they_should(numbers: list[float], rows: Any) -> None:
    states: dict[str, Any] = {}
    pairs: dict[str, Any] = {}
    lines = []
    place, drawn = 0, iter(numbers)
    for name in WAPITI:
        for kinds, into, shape in (("u*", states, (3,)), ("b*", pairs, (3, 3))):
            if name[0] in kinds:
                into[name] = np.array([next(drawn) for _ in range(int(np.prod(shape)))]).reshape(shape)
                lines += [f"{place + i}={weight.hex()}" for i, weight in enumerate(into[name].ravel().tolist()) if weight]
                place += into[name].size
    patterns = ["u:%x[0,0]", "u-1:%x[-1,0]", "b:%x[0,1]", "*%X[0,0]", "b"]

    def block(texts: list[str]) -> list[str]:
        return [f"{len(text)}:{text}," for text in texts]

    for head, reader in ((f"#mdl#2#{len(lines)}", "#rdr#5/1/0"), (f"#mdl#{len(lines)}", "#rdr#5/1")):
        text = [head, reader, *block(patterns), "#qrk#3", *block(LABELS), f"#qrk#{len(WAPITI)}", *block(WAPITI), *lines, ""]
        model = parse_wapiti_model("\n".join(text))
        compare(model, rows, all_scores(LABELS, rows, states, pairs, observe_wapiti))


def compare(model: Any, rows: Any, scores: dict[tuple[int, ...], float]) -> None:
    lattice = model.lattice(rows)
    for sequence, score in scores.items():
        assert lattice.score(sequence) == pytest.approx(score)
    (labels,) = model.tag([rows])
    assert scores[tuple(model.labels.index(label) for label in labels)] == pytest.approx(max(scores.values()))


@settings(max_examples=30)
@given(weights, sentences, st.sampled_from([1.0, 0.5]))
def test_crfpp_models_score_as_they_should(numbers: list[float], rows: Any, factor: float) -> None:
    states, pairs, lines, place, used = {}, {}, [], 0, []
    for name in ("U0:dog", "B", "U0:Cat", "U1:_B-1/N", "U1:dog/V"):
        shape = (3,) if name[0] == "U" else (3, 3)
        size = int(np.prod(shape))
        used += numbers[place : place + size]
        (states if name[0] == "U" else pairs)[name] = np.array(numbers[place : place + size]).reshape(shape)
        lines.append(f"{place} {name}")
        place += size
    head = ["version: 100", f"cost-factor: {factor}", f"maxid: {place}", "xsize: 2", ""]
    text = [*head, *LABELS, "", "U0:%x[0,0]", "U1:%x[-1,0]/%x[0,1]", "B", "", *lines, "", *map(str, used), ""]

    def observe(rows: Any, at: int) -> list[str]:
        before = rows[at - 1][0] if at else "_B-1"
        return [f"U0:{rows[at][0]}", f"U1:{before}/{rows[at][1]}", "B"]

    compare(parse_crfpp_model("\n".join(text)), rows, all_scores(LABELS, rows, states, pairs, observe))


GOOD = "#mdl#2#1\n#rdr#1/0/0\n8:u%x[0,0],\n#qrk#2\n1:A,\n1:B,\n#qrk#1\n4:udog,\n1=0x1p+0\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#mdl#2#1", "#mdl#x", "line 1: expected #mdl# and numbers, got '#mdl#x'"),
        ("#mdl#2#1", "#mdl#3#1", "expected a model of type 0"),
        ("#mdl#2#1", "#mdl#2#2", "expected 2 weights, got 1: the file is cut off"),
        ("8:u%x[0,0],", "9:u%x[0,0],", "line 3: expected a text of 9 bytes"),
        ("8:u%x[0,0],", "4:u%x[,", "expected a command such as"),
        ("1:B,", "1:A,", "expected different labels"),
        ("4:udog,", "4:xdog,", "begin with u, b or"),
        ("1=0x1p+0", "2=0x1p+0", "line 9: expected a number below 2"),
        ("1=0x1p+0", "1=nan", "expected a weight, got 'nan'"),
        ("#qrk#1\n4:udog,\n1=0x1p+0\n", "#qrk#7", "got the end of the file"),
        ("#mdl#2#1", "#mdl#2#" + "9" * 5000, "line 1: expected #mdl# and numbers"),
        ("4:udog,", "9" * 5000 + ":udog,", "line 8: expected a text such as"),
        ("1=0x1p+0", "9" * 5000 + "=0x1p+0", "line 9: expected a number below 2"),
    ],
)
def test_broken_models_are_refused(old: str, new: str, message: str) -> None:
    assert parse_wapiti_model(GOOD).tag([[["dog"]]]) == [["B"]]
    with pytest.raises(InputError, match=message):
        parse_wapiti_model(GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("maxid", "number", "message"),
    [
        ("\u00b2", "0", "expected a header with version"),
        ("9" * 5000, "0", "expected a header with version"),
        ("1", "9" * 5000, "expected a number and an observation"),
    ],
)
def test_numbers_of_crfpp_models_are_checked(maxid: str, number: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_crfpp_model(f"version: 100\nmaxid: {maxid}\n\nA\n\nU:%x[0,0]\n\n{number} U:a\n\n1\n")


def _model_of_bigrams(labels: int, observations: int) -> str:
    texts = [*map(str, range(labels)), *(f"b{number}" for number in range(observations))]
    lines = [f"{len(text)}:{text}," for text in texts]
    counts = f"#qrk#{labels}", f"#qrk#{observations}"
    return "\n".join(["#mdl#2#0", "#rdr#0/0/0", counts[0], *lines[:labels], counts[1], *lines[labels:], ""])


def test_labels_whose_transitions_need_far_more_memory_than_the_file_are_refused() -> None:
    with pytest.raises(InputError, match="the transitions of 5,000 labels take 190 MB, too much for this file"):
        parse_wapiti_model(_model_of_bigrams(5000, 1))


def test_weights_that_do_not_fit_into_memory_are_an_error_with_their_size(tmp_path: Path) -> None:
    skip_under_sanitizers()
    path = tmp_path / "large.wapiti"
    path.write_text(_model_of_bigrams(2800, 300))
    limited = (
        "import resource, sys\n"
        "from tagpool.compat.wapiti.text_models import read_text_model\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "read_text_model(sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", limited, str(path)], capture_output=True, text=True, check=False)
    assert "ModelError" in done.stderr
    assert "the weights of 300 observations and 2,800 labels take 17 GB, more than there is" in done.stderr


@given(st.integers(0, len(GOOD) - 2), st.sampled_from("0#:,=9u\n"))
def test_damaged_models_are_refused_or_read(place: int, letter: str) -> None:
    damaged = GOOD[:place] + letter + GOOD[place + 1 :]
    with suppress(InputError):  # a pattern may ask for a column that is not there
        assert len(parse_wapiti_model(damaged).tag([[["dog"]]])[0]) == 1


def test_bad_patterns_are_pointed_at() -> None:
    for text, message in (
        ("x:%x[0,0]", "begins with u, b or"),
        ("u:%y[0,0]", "expected a command such as"),
        ('u:%x[0,0,"a"]', "%x has no regular expression"),
        ("u:%t[0,0]", "needs a regular expression"),
        ('u:%t[0,0,"*a"]', "must follow a character"),
        ('u:%t[0,0,"' + "a" * 300 + '"]', "at most 200 characters, got 300"),
    ):
        with pytest.raises(TemplateError, match=message):
            parse_wapiti_patterns(text)
    with pytest.raises(TemplateError, match="CRF"):
        parse_crfpp_templates("U:%X[0,0]")
    with pytest.raises(InputError, match="row 2: expected a column 1, got 1 column"):
        attributes_of(parse_wapiti_patterns("u%x[1,1]"), [["a", "b"], ["c"]])


def test_models_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "model").write_text(GOOD)
    assert read_text_model(tmp_path / "model").labels == ("A", "B")
    (tmp_path / "other").write_text("hello")
    with pytest.raises(ModelError, match="other: expected a text model"):
        read_text_model(tmp_path / "other")
    with pytest.raises(ModelError, match="No such file"):
        read_text_model(tmp_path / "none")
