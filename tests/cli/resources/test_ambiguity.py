"""``tagpool resources ambiguity``: classes from text that a model has tagged, and with those of training data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cli.commands import fail, succeed, write

import tagpool
from tagpool import AmbiguityClasses, TagCounts, builtin_corpus

SENTENCES = builtin_corpus(150, part="test").words
TEXT = "\n".join(" ".join(words) for words in SENTENCES) + "\n"


@pytest.mark.parametrize("name", ["ner.tagpool", "inducing", "pool"])
def test_what_is_written_is_what_python_counts(data: Path, tmp_path: Path, name: str) -> None:
    model = data / name
    if name == "inducing":
        model = tmp_path / name
        tagpool.InducingTagger("word[-1..1]\nlabel[-1]", epochs=1).fit(builtin_corpus(100)).save(model)
    elif name == "pool":
        model = tmp_path / name
        tagpool.OpinionPool([tagpool.load(data / "ner.tagpool")]).save(model)
    text = write(tmp_path, "text.gz", gzip.compress(TEXT.encode()))
    reported = json.loads(succeed("resources", "ambiguity", text, "--model", model, "-o", tmp_path / "classes.tsv", "--json"))
    counts = TagCounts()
    counts.add(SENTENCES, tagpool.load(model).predict(SENTENCES))
    assert reported.pop("seconds") >= 0
    assert reported == {"output": str(tmp_path / "classes.tsv"), "tokens": sum(map(len, SENTENCES)), "words": len(counts.tags())}
    counts.write(tmp_path / "expected.tsv")
    assert (tmp_path / "classes.tsv").read_text() == (tmp_path / "expected.tsv").read_text()


def test_training_data_options_and_use(data: Path, tmp_path: Path) -> None:
    supplied = ["--model", data / "ner.tagpool", "--train", data / "train.conll", "--simplify", "--share", 0.1, "--min-count", 2]
    written = succeed("resources", "ambiguity", "-", *supplied, stdin=TEXT)
    counts = TagCounts(simplify=True)
    counts.add(SENTENCES, tagpool.load(data / "ner.tagpool").predict(SENTENCES))
    counts.add_training(tagpool.read_corpus(data / "train.conll"))
    assert written == "".join(f"{w}\t{' '.join(t)}\n" for w, t in sorted(counts.tags(share=0.1, min_count=2).items()))
    classes = write(tmp_path, "classes.tsv", written)
    assert len(AmbiguityClasses.read(classes)) > 100
    options = [
        "--features",
        "ambiguity(classes, simplify(word))[0]",
        "--set",
        f"features.use.classes={classes}",
        "--set",
        "learner.trainer.epochs=2",
    ]
    succeed("train", "--train", data / "train.conll", *options, "--model", tmp_path / "m")


def test_what_cannot_be_done(data: Path, tmp_path: Path) -> None:
    text = write(tmp_path, "text", TEXT)
    good = ["--model", data / "ner.tagpool"]
    assert "pos.tagpool: the model reads the columns pos; raw text only has words" in fail(
        "resources", "ambiguity", text, "--model", data / "pos.tagpool"
    )
    assert "expected a model, got a file that is not" in fail("resources", "ambiguity", text, "--model", text)
    assert "there is no such file" in fail("resources", "ambiguity", tmp_path / "none", *good)
    assert "expected sentences, got none" in fail("resources", "ambiguity", write(tmp_path, "empty", "\n \n"), *good)
    assert "bad:2: expected UTF-8" in fail("resources", "ambiguity", write(tmp_path, "bad", b"a\n\xff\n"), *good)
    assert "no word occurs 100,000 times" in fail("resources", "ambiguity", text, *good, "--min-count", 100_000)
    assert "no label column" in fail("resources", "ambiguity", text, *good, "--train", text, "--format", "text")
    assert "name a file for the result with --output" in fail("resources", "ambiguity", text, *good, "--json")
    assert "Examples:\n" in succeed("resources", "ambiguity", "--help")
    assert not (tmp_path / "out").exists()
