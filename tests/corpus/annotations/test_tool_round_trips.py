"""Corpora are the same after writing and reading in every format of annotation tools, whatever their text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tagpool import Corpus, read_corpus, write_corpus
from tagpool.corpus.schemes import Span, to_labels

SUFFIXES = {
    "prodigy": ".jsonl",
    "doccano": ".jsonl",
    "label-studio": ".json",
    "brat": ".ann",
    "webanno": ".tsv",
    "inception": ".zip",
    "conllup": ".conllup",
}
PIECES = [
    "😀",
    "👩‍🔬",
    "אבג",
    "عمان",
    "“",
    "‘",
    "”",
    "’",
    '"',
    "\\",
    "_",
    "*",
    "|",
    "[1]",
    "->",
    ";",
    "#",
    "é",
    "x",
    "-",
    "1-1",
    "a:b",
    "\t",
]
words = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6),
).filter(lambda word: word.strip() == word and "\t" not in word)
types = st.sampled_from(["PER", "LOC", "first_name", "a|b", "x[2]", "*", "é😀"])
blanks = st.sampled_from(["", " ", "  ", "\u00a0", " \t "])


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """Words, the blanks after each, and labels."""
    tokens = draw(st.lists(words, min_size=1, max_size=8))
    spaces = draw(st.lists(blanks, min_size=len(tokens), max_size=len(tokens)))
    spans, at = [], 0
    while at < len(tokens):
        size = draw(st.integers(1, 3))
        if draw(st.booleans()) and at + size <= len(tokens):
            spans.append(Span(at, at + size, draw(types)))
        at += size
    return tokens, spaces, to_labels(spans, len(tokens), "bio2")


corpora = st.lists(sentences(), min_size=1, max_size=4)
checked = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def convert(corpus: Corpus, folder: Path, kind: str) -> tuple[Corpus, Counter[str]]:
    path, losses = folder / f"a{SUFFIXES[kind]}", Counter[str]()
    write_corpus(corpus, path, format=kind, losses=losses)
    return read_corpus(path, format=kind, losses=losses), losses


def text_of(corpus: Corpus) -> str:
    rows = zip(corpus.words, corpus.column("space"), strict=True)
    return "".join(word + space for row in rows for word, space in zip(*row, strict=True))


@pytest.mark.parametrize("kind", ["prodigy", "doccano", "label-studio"])
@checked
@given(corpora, st.booleans())
@example([(["x", "y"], ["", "\u2028"], ["B-PER", "O"])], False)
@example([(["Ann"], [" "], ["O"]), (["x"], [""], ["B-PER"])], True)
def test_json_keeps_words_blanks_labels_and_documents(tmp_path, kind, rows, marked):
    columns = {"word": [row[0] for row in rows], "space": [row[1] for row in rows], "label": [row[2] for row in rows]}
    if marked:  # a sentence of a document is a line
        for spaces in columns["space"]:
            spaces[-1] = "\n"
    corpus = Corpus.from_columns(columns, documents=range(0, len(rows), 2) if marked else ())
    back, losses = convert(corpus, tmp_path, kind)
    assert back == corpus
    assert +losses == Counter()


@pytest.mark.parametrize("kind", ["webanno", "inception"])
@settings(checked, max_examples=15)  # of inception, the type system takes time
@given(corpora)
@example([(["😀", "Ann"], [" ", "\n"], ["O", "B-PER"]), (["y"], [""], ["B-x[2]"])])
def test_files_with_tokens_keep_words_labels_and_offsets(tmp_path, kind, rows):
    for _, spaces, _ in rows[:-1]:
        spaces[-1] = "\n"
    columns = {"word": [row[0] for row in rows], "space": [row[1] for row in rows], "label": [row[2] for row in rows]}
    columns["space"][-1][-1] = ""  # neither format has blanks after the last sentence
    corpus = Corpus.from_columns(columns, documents=[0] if len(rows) > 1 else ())
    back, losses = convert(corpus, tmp_path, kind)
    assert back == corpus
    assert +losses == Counter()


@checked
@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=6)), min_size=1, max_size=3), st.data())
def test_brat_keeps_text_and_offsets(tmp_path, rows, data):
    texts = [" ".join(tokens) for (tokens,) in rows]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    corpus = read_corpus(tmp_path / "a.jsonl")
    labels = []
    for tokens in corpus.words:
        end = data.draw(st.integers(0, len(tokens)))
        labels.append(to_labels([Span(0, end, "PER")] if end else [], len(tokens), "bio2"))
    corpus = Corpus.from_columns({"word": corpus.words, "label": labels, "space": corpus.column("space")})
    for name in ("a.txt", "b.txt"):  # of the previous example
        (tmp_path / name).unlink(missing_ok=True)
    back, _ = convert(corpus, tmp_path, "brat")
    assert (back.words, back.labels) == (corpus.words, corpus.labels)
    spans = (tmp_path / "a.ann").read_text()
    write_corpus(back, tmp_path / "b.ann")
    assert ((tmp_path / "b.ann").read_text(), text_of(back)) == (spans, (tmp_path / "a.txt").read_bytes().decode())


@checked
@given(corpora, st.booleans())
def test_conllu_plus_keeps_all_columns(tmp_path, rows, marked):
    columns = {
        "word": [row[0] for row in rows],
        "pos": [[f"P{len(word)}" for word in row[0]] for row in rows],
        "lemma": [[word.lower() or "_" for word in row[0]] for row in rows],
        "label": [row[2] for row in rows],
    }
    corpus = Corpus.from_columns(columns, documents=range(0, len(rows), 2) if marked else ())
    back, losses = convert(corpus, tmp_path, "conllup")
    assert back == corpus
    assert +losses == Counter()


@pytest.mark.parametrize("kind", SUFFIXES)
def test_other_schemes_are_written_as_their_spans(tmp_path, kind):
    corpus = Corpus.from_lists(word=[["Ann", "Lee", "left"]], label=[["B-PER", "L-PER", "O"]])
    back, _ = convert(corpus, tmp_path, kind)
    assert back.labels == ([["B-PER", "L-PER", "O"]] if kind == "conllup" else [["B-PER", "I-PER", "O"]])


@pytest.mark.parametrize("kind", SUFFIXES)
def test_files_end_as_they_began_when_written_again(tmp_path, kind):
    corpus = Corpus.from_lists(word=[["Ann", "Lee", "left"], ["Oslo", "."]], label=[["B-PER", "I-PER", "O"], ["B-LOC", "O"]])
    first, second = tmp_path / f"a{SUFFIXES[kind]}", tmp_path / f"b{SUFFIXES[kind]}"
    write_corpus(corpus, first, format=kind, losses=Counter())
    write_corpus(read_corpus(first, format=kind), second, format=kind, losses=Counter())
    if kind == "inception":
        assert read_corpus(first) == read_corpus(second)
    elif kind != "conllup":
        assert first.read_text() == second.read_text()
