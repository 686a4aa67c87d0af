"""Patterns and text models beside Wapiti itself: by what Wapiti 1.5 made of them, and by running it where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.crfsuite import written

from tagpool import _native
from tagpool.compat.conversion import from_crfsuite, from_text_model
from tagpool.compat.wapiti.patterns import attributes_of, parse_wapiti_patterns
from tagpool.compat.wapiti.text_models import TextModel, parse_wapiti_model, read_text_model
from tagpool.errors import InputError


def installed() -> str | None:
    """Where Wapiti is. Another program has the same name, and another version."""
    result = shutil.which("wapiti")
    if result is None:
        return None
    messages = subprocess.run([result, "--version"], capture_output=True, text=True, check=False)
    return result if "Wapiti v1" in messages.stdout + messages.stderr else None


WAPITI = installed()
with_wapiti = pytest.mark.skipif(WAPITI is None, reason="Wapiti 1.x is not installed")


# The last column is what `wapiti train` wrote into its model for the pattern u=%m[0,0,"..."]; of that text.
@pytest.mark.parametrize(
    ("expression", "text", "observation"),
    [
        ("^.*$", "Ann", "u=Ann;"),
        (".*", "Ann", "u=;"),
        (r"\d*$", "B52", "u=52;"),
        (r"\u?\l*$", "McDonald", "u=Donald;"),
        ("a$b", "xa$b", "u=a$b;"),
        ("x^", "ax^", "u=x^;"),
        (r"\.\*", "a.*", "u=.*;"),
        (r"\P*", "-ab", "u=;"),
        ("[a-z]", "[a-z]", "u=[a-z];"),
        (r"\x", "fox", "u=x;"),
        ("a?a?b", "aabc", "u=aab;"),
        ("b*c?$", "abbc", "u=bbc;"),
        # Bytes, not letters.
        ("é*", "aéé", "u=\udcc3;"),
        ("caf.", "café", "u=caf\udcc3;"),
        (r"^\W", "é", "u=\udcc3;"),
        # Lengths that count what was tried in vain; beyond the end of the text nothing more is written.
        ("a?ab", "abX", "u=abX;"),
        ("a?ab", "ab", "u=ab"),
        ("a?b?ab?c", "abcd", "u=abcd"),
    ],
)
def test_regular_expressions_find_what_wapitis_do(expression: str, text: str, observation: str) -> None:
    (pattern,) = parse_wapiti_patterns(f'u=%m[0,0,"{expression}"];')
    assert pattern.observation([[text]], 0) == observation


def model_of(kind: int, alone: int = 0) -> TextModel:
    """Labels A and B; 'dog' is B by 1, and A is followed by B by 2."""
    weights = "1=0x1p+0\n" + ("" if alone else "3=0x1p+1\n")
    names = "5:uudog,\n" if alone else "4:udog,\n1:b,\n"
    head = f"#mdl#{kind}#{1 if alone else 2}\n#rdr#2/0/{alone}\n8:u%x[0,0],\n1:b,\n#qrk#2\n1:A,\n1:B,\n#qrk#{1 if alone else 2}\n"
    return parse_wapiti_model(head + names + weights)


def test_a_memm_has_probabilities_at_each_step() -> None:
    model = model_of(1)
    lattice = model.lattice([["cat"], ["dog"]])
    # After A, B scores 2 + 1 against 0; after B, 1 against 0.
    expected = [0.5, 0.5 / (1 + 2.718281828459045**-3) + 0.5 / (1 + 2.718281828459045**-1)]
    assert [row[1] for row in lattice.marginals()] == pytest.approx(expected)
    assert model.tag([[["cat"], ["dog"]]]) == [["A", "B"]]
    with pytest.raises(InputError, match="a MEMM"):
        from_text_model(model)


def test_rows_that_stand_alone_see_no_neighbours() -> None:
    model = model_of(0, alone=1)
    assert model.tag([[["cat"], ["dog"], ["dog"]]]) == [["A", "B", "B"]]


def test_of_equal_sequences_the_one_that_wapiti_finds() -> None:
    """AB and BA score the same: the smaller last label is taken, then the one before it."""
    text = "#mdl#2#2\n#rdr#1/0/0\n1:b,\n#qrk#2\n1:A,\n1:B,\n#qrk#1\n1:b,\n1=0x1p+0\n2=0x1p+0\n"
    assert parse_wapiti_model(text).tag([[["x"], ["x"]]]) == [["B", "A"]]


letters = ["a", "b", "A", "1", "é", ".", "-", "$", r"\a", r"\d", r"\u", r"\l", r"\w", r"\p", r"\S", r"\U", r"\W", r"\*", r"\""]
expressions = st.tuples(
    st.sampled_from(["", "^"]),
    st.lists(st.tuples(st.sampled_from(letters), st.sampled_from(["", "", "*", "?"])).map("".join), min_size=1, max_size=4).map(
        "".join
    ),
    st.sampled_from(["", "$"]),
).map("".join)
places = st.tuples(st.sampled_from(["0", "-1", "2", "-3", "6", "-7", "@1", "@-1", "@9", "@-9", "@0"]), st.sampled_from("01")).map(
    ",".join
)
commands = st.one_of(
    st.builds(lambda kind, place: f"%{kind}[{place}]", st.sampled_from("xX"), places),
    st.builds(lambda kind, place, found: f'%{kind}[{place},"{found}"]', st.sampled_from("tTmM"), places, expressions),
)
patterns = st.lists(
    st.builds(
        lambda kind, parts, end: f"{kind}{'/'.join(parts)}{end}",
        st.sampled_from("uUbB*"),
        st.lists(commands, max_size=2),
        st.sampled_from(["", " # why", ":x "]),
    ),
    min_size=1,
    max_size=4,
)
rows = st.lists(st.tuples(st.text("abAZé1.-?", min_size=1, max_size=6), st.sampled_from("NV")).map(list), min_size=1, max_size=5)


@with_wapiti
@settings(max_examples=40)
@given(patterns, st.lists(rows, min_size=1, max_size=3), st.sampled_from(["crf", "maxent"]), st.randoms(use_true_random=False))
def test_models_are_read_as_wapiti_reads_them(tmp_path_factory: Any, lines: Any, data: Any, kind: str, random: Any) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "patterns").write_text("\n".join(lines) + "\n")
    write(folder / "train", [[[*row, random.choice("XYZ")] for row in sentence] for sentence in data])
    write(folder / "rows", data)
    wapiti("train", "--type", kind, "--maxiter", "3", "--pattern", folder / "patterns", folder / "train", folder / "model")
    model = read_text_model(folder / "model")
    created = [attributes_of(parse_wapiti_patterns("\n".join(lines)), sentence) for sentence in data]
    assert {*model.states, *model.pairs} == {name for sentence in created for row in sentence for name in row}
    assert model.tag(data) == labels_of(wapiti("label", "--model", folder / "model", folder / "rows"))
    posterior = wapiti("label", "--model", folder / "model", "--post", "--score", folder / "rows")
    for sentence, result in zip(data, labels_of(posterior), strict=True):
        for marginals, messages in zip(model.lattice(sentence).marginals(), result, strict=True):
            label, probability = messages.split("/")
            assert marginals[model.labels.index(label)] == pytest.approx(float(probability), abs=2e-6)


@with_wapiti
def test_wapiti_tags_with_a_converted_model(tmp_path: Path) -> None:
    weights = written(
        ["A", "B", "C"], ["x", "word=Ann", "ü"], [0.25, -1.0, 0.5, 2.0, 0.0, 1.0, -1.0, 0.3, 0.0], [0.1, 1.5, -0.3] * 3
    )
    result = from_crfsuite(_native.CrfsuiteTagger.read(weights)).to_wapiti()
    (tmp_path / "model").write_text(result)
    sentence = [["b", "u:x", "u:ü"], ["b", "u:word=Ann"], ["b", "u:x", "u:unknown"]]
    write(tmp_path / "rows", [sentence])
    assert labels_of(wapiti("label", "--model", tmp_path / "model", tmp_path / "rows")) == parse_wapiti_model(result).tag(
        [sentence]
    )


def write(path: Path, sentences: Any) -> None:
    path.write_text("".join("\n".join(" ".join(row) for row in sentence) + "\n\n" for sentence in sentences))


def wapiti(*arguments: Any) -> str:
    assert WAPITI is not None
    return subprocess.run([WAPITI, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def labels_of(said: str) -> list[list[str]]:
    blocks = [[line for line in block.splitlines() if not line.startswith("# 0 ")] for block in said.strip("\n").split("\n\n")]
    return [[line.split("\t")[-1] for line in block] for block in blocks]
