"""Damaged files of annotation tools are read, or are an InputError: nothing else is raised."""

from __future__ import annotations

import contextlib
from collections import Counter

import pytest
from corpus.annotations.test_tool_round_trips import SUFFIXES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagpool import Corpus, InputError, read_corpus, write_corpus

CORPUS = Corpus.from_lists(
    word=[["\U0001f600", "Ann", "Lee", "left"], ["Oslo", "."]], label=[["O", "B-PER", "I-PER", "O"], ["B-LOC", "O"]]
)
PIECES = [
    "",
    "0",
    "9",
    "-1",
    "[",
    "]",
    "{",
    "}",
    '"',
    "null",
    "\n",
    "\t",
    "|",
    "_",
    "*",
    "\\",
    "\x00",
    "é",
    "\U0001f600",
    ":",
    "1e9",
    ",",
    "->",
]


@pytest.mark.parametrize("kind", [kind for kind in SUFFIXES if kind != "inception"])
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES)), min_size=1, max_size=3))
def test_damaged_text(tmp_path, kind, changes):
    path = tmp_path / f"a{SUFFIXES[kind]}"
    write_corpus(CORPUS, path, format=kind, losses=Counter())
    text = path.read_text()
    for place, length, piece in changes:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    path.write_text(text)
    with contextlib.suppress(InputError):
        corpus = read_corpus(path, format=kind, losses=Counter())
        assert [len(row) for row in corpus.words] == [
            len(row) for row in (corpus.labels if corpus.label_column else corpus.words)
        ]


@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1), st.integers(0, 30), st.sampled_from(PIECES))
def test_damaged_xmi(tmp_path, place, length, piece):
    path = tmp_path / "a.xmi"
    write_corpus(CORPUS, path, losses=Counter())
    text = path.read_text()
    at = int(place * len(text))
    path.write_text(text[:at] + piece + text[at + length :])
    with contextlib.suppress(InputError):
        assert read_corpus(path, losses=Counter()).token_count > 0
