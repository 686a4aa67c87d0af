"""The line of each token: comments, documents and blank lines are no tokens."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import builtin_corpus, read_corpus, write_corpus
from tagpool.corpus.formats import Format
from tagpool.corpus.token_lines import token_lines

# "#x" is a token, "# id = 1" a comment before the first token of a sentence and a token within it.
LINES = st.sampled_from(["Ann B-PER", "left O", "", " ", "# id = 1", "#x O", "-DOCSTART- O", "# newdoc", "# a comment of words"])


@given(st.lists(LINES, max_size=25))
def test_lines_have_their_tokens(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.conll"
    lines = ["Ann B-PER", *lines]
    path.write_text("\n".join(lines) + "\n")
    try:
        corpus = read_corpus(path)
    except ValueError:  # a comment of words within a sentence has too many columns
        return
    for sentence, numbers in zip(corpus, token_lines(path, corpus), strict=True):
        assert [lines[number - 1].split() for number in numbers] == [
            list(row) for row in zip(sentence.words, sentence.labels, strict=True)
        ]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_conllu_and_compressed_files(tmp_path: Path) -> None:
    text = (
        "# sent_id = 1\n1-2\tIn Oslo\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIn\tin\tADP\tIN\t_\t0\troot\t_\t_\n"
        "2\tOslo\tOslo\tPROPN\tNNP\t_\t1\tobl\t_\t_\n2.1\tx\tx\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress((text * 2).encode()))
    assert token_lines(path, read_corpus(path)) == [[3, 4], [9, 10]]


def test_records_of_jsonl_are_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text('{"tokens": ["a", "b"]}\n\n{"tokens": []}\n{"tokens": ["c"]}\n')
    assert token_lines(path, read_corpus(path, format="jsonl"), format=Format.JSONL) == [[1, 1], [], [4]]


@pytest.mark.parametrize("kind", ["prodigy", "doccano", "label-studio", "webanno"])
def test_files_of_annotation_tools_have_no_lines(tmp_path: Path, kind: str) -> None:
    corpus = builtin_corpus(6)
    path = tmp_path / {"webanno": "a.tsv", "label-studio": "a.json"}.get(kind, "a.jsonl")
    write_corpus(corpus, path, format=kind, losses=Counter())
    read = read_corpus(path)
    lines = token_lines(path, read)
    assert not lines or [len(row) for row in lines] == [len(words) for words in read.words]
    if kind in ("label-studio", "webanno"):
        assert lines == []
