"""``tagpool tag`` with a model that looks at documents: however a file is cut into blocks, no document is."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from cli.commands import succeed, write

import tagpool
from tagpool import CRF, SGD, Corpus, read_corpus, write_corpus
from tagpool.corpus import blocks as blocks_module
from tagpool.corpus.blocks import Blocks
from tagpool.tagging.conll import ConllTagger, ConlluTagger
from tagpool.tagging.jsonl import JsonlTagger
from tagpool.tagging.labeller import Labeller

TEMPLATES = "elsewhere(bias)[0]\nelsewhere(lower(word), -1..1)[0]\nbias"


def in_documents(seed: int, count: int = 60) -> Corpus:
    """Documents of unequal length, with words that are TOLD where they are met elsewhere in it."""
    draw = random.Random(seed)
    words = [[f"w{draw.randrange(30)}" for _ in range(draw.randint(1, 5))] for _ in range(count)]
    starts = sorted({0, *draw.sample(range(1, count), count // 5)})
    labels: list[list[str]] = []
    for first, last in zip(starts, [*starts[1:], count], strict=True):
        met = Counter(word for sentence in words[first:last] for word in sentence)
        labels += [["TOLD" if met[word] > 1 else "NEW" for word in sentence] for sentence in words[first:last]]
    return Corpus.from_columns({"word": words, "label": labels}, documents=starts)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documents") / "m.tagpool"
    CRF(TEMPLATES, trainer=SGD(epochs=4)).fit(in_documents(1, 200)).save(path)
    return path


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(blocks_module, "_SIZE", request.param)


@pytest.mark.parametrize("small_blocks", [7, 300, 1 << 20], indirect=True)
@pytest.mark.parametrize("kind", ["conll", "conllu", "jsonl"])
@pytest.mark.usefixtures("small_blocks")
def test_labels_are_those_of_the_whole_corpus(model: Path, tmp_path: Path, kind: str) -> None:
    corpus = in_documents(2)
    path = tmp_path / f"test.{kind}"
    write_corpus(corpus, path)
    tagger = tagpool.load(model)
    expected = tagger.predict(corpus)
    assert expected == corpus.labels, "which depend on documents"
    labeller = Labeller(tagger)
    if kind == "jsonl":
        pieces = list(JsonlTagger(labeller, Blocks(path, by_line=True)))
        result = [json.loads(line)["labels"] for line in b"".join(pieces).splitlines()]
    else:
        blocks = Blocks(path, by_document=True)
        pieces = list(ConllTagger(labeller, blocks, None) if kind == "conll" else ConlluTagger(labeller, blocks, "upos"))
        tagged = write(tmp_path, f"tagged.{kind}", b"".join(pieces))
        columns = None if kind == "conllu" else "word,gold,label"
        result = read_corpus(tagged, columns=columns).labels
    assert result == expected


@pytest.mark.parametrize("small_blocks", [7, 1 << 20], indirect=True)
@pytest.mark.usefixtures("small_blocks")
def test_sentences_before_the_first_document_stand_alone(model: Path, tmp_path: Path) -> None:
    corpus = in_documents(3, 20)
    whole, begin = tmp_path / "whole.conll", tmp_path / "begin.conll"
    write_corpus(corpus, whole)
    write_corpus(Corpus.from_lists(word=corpus.words[:3], label=corpus.labels[:3]), begin)
    mixed = write(tmp_path, "mixed.conll", b"\n" + begin.read_bytes() + whole.read_bytes())
    labeller = Labeller(tagpool.load(model))
    tagged = write(tmp_path, "tagged.conll", b"".join(ConllTagger(labeller, Blocks(mixed, by_document=True), None)))
    result = read_corpus(tagged, columns="word,gold,label").labels
    tagger = tagpool.load(model)
    assert result == tagger.predict(corpus.words[:3]) + tagger.predict(corpus)


def test_a_stream_waits_for_the_end_of_a_document(model: Path) -> None:
    command = [sys.executable, "-m", "tagpool", "tag", str(model), "-", "--columns", "word"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"-DOCSTART-\n\nOslo\n\nOslo\n\n-DOCSTART-\n\nAnn\n\n")
    process.stdin.flush()
    first = b""
    while not first.endswith(b"\n\n") or first.count(b"Oslo") < 2:
        first += os.read(process.stdout.fileno(), 1000)
    assert b"Ann" not in first
    rest, _ = process.communicate()
    assert rest.startswith(b"-DOCSTART-\n\nAnn ")


def test_features_of_a_sentence_are_those_in_its_document(tmp_path: Path) -> None:
    path = write(tmp_path, "text.conll", "-DOCSTART-\n\nLee\ntalks\n\nwith\nLee\n\n")
    shown = json.loads(
        succeed("features", path, "--columns", "word", "--features", "elsewhere(word, 1)[0]", "--first", 2, "--json")
    )
    assert shown["tokens"][1]["features"] == [["elsewhere(word, 1)[0]=talks", 1.0]]
