"""``tagpool inspect`` and ``tagpool explain``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

import tagpool
from tagpool.experts.inside.inspection import top_features
from tagpool.experts.inside.linear import explain

# inspect -----------------------------------------------------------------------------------------------------------------


def test_inspect_counts_and_shows_the_strongest(data: Path) -> None:
    model = data / "ner.tagpool"
    result = json.loads(succeed("inspect", model, "--top", 3, "--json"))
    expert = tagpool.load(model)
    assert result["labels"] == list(expert.labels_)
    assert sum(result["templates"].values()) == result["features"] == expert._fitted().feature_count
    assert sum(result["sizes"].values()) == result["bytes"] == model.stat().st_size
    assert result["training"]["sentences"] == 300
    strongest = top_features(expert, top=3)
    assert result["top_features"]["B-PER"]["positive"] == [list(pair) for pair in strongest["B-PER"].positive]
    assert len(result["transitions"]) == 3
    shown = succeed("inspect", model, "--label", "B-PER", "--top", 2)
    assert "for B-PER" in shown
    assert strongest["B-PER"].positive[0][0] in shown
    assert "for B-LOC" not in shown
    assert "trained on 300 sentences" in shown


def test_inspect_of_one_template(data: Path) -> None:
    result = json.loads(succeed("inspect", data / "pos.tagpool", "--template", "pos[0]", "--json"))
    names = [name for label in result["top_features"].values() for name, _ in label["positive"]]
    assert names
    assert all(name.startswith("pos[0]=") for name in names)
    assert "the templates are word[0], pos[-1]" in fail("inspect", data / "pos.tagpool", "--template", "shape[0]")
    assert "unknown label 'X'" in fail("inspect", data / "pos.tagpool", "--label", "X")
    assert "expected a model" in fail("inspect", data / "test.conll")


def test_inspect_shows_what_it_can_of_a_model_without_names(data: Path, tmp_path: Path) -> None:
    tagpool.load(data / "ner.tagpool").save(tmp_path / "m", names=False)
    done = run("inspect", tmp_path / "m")
    assert done.returncode == 0
    assert "no names of features: the model was saved without them" in done.stdout
    assert "B-PER" in done.stdout
    assert "from" in done.stdout
    result = json.loads(succeed("inspect", tmp_path / "m", "--json"))
    assert (result["names"], result["templates"], result["top_features"]) == (False, {}, {})
    assert result["transitions"]


def test_inspect_and_explain_transition_features(data: Path, tmp_path: Path) -> None:
    corpus = tagpool.builtin_corpus(80)
    templates = "word[0]\nshape[0]\nlabel[-1] & shape[0]"
    tagpool.CRF(templates, trainer=tagpool.SGD(epochs=2)).fit(corpus).save(tmp_path / "m")
    shown = succeed("inspect", tmp_path / "m", "--top", 2)
    assert "transition feature" in shown
    result = json.loads(succeed("inspect", tmp_path / "m", "--top", 2, "--json"))
    assert len(result["transition_features"]) == 2
    assert sum(result["sizes"].values()) == result["bytes"]
    assert "transition features" in result["sizes"]
    only = json.loads(succeed("inspect", tmp_path / "m", "--template", "label[-1]&shape(word)[0]", "--json"))
    assert only["top_features"]["O"]["positive"] == []
    assert only["transition_features"]
    tokens = json.loads(succeed("explain", tmp_path / "m", "Ann moved to Oslo.", "--json"))["tokens"]
    assert tokens[0]["beside"]
    assert "label[-1]&shape(word)[0]=xx" in succeed("explain", tmp_path / "m", "Ann moved to Oslo.", "--token", 3)
    tagpool.load(tmp_path / "m").save(tmp_path / "nameless", names=False)
    nameless = json.loads(succeed("inspect", tmp_path / "nameless", "--json"))
    assert nameless["transition_features"] == []


# explain -----------------------------------------------------------------------------------------------------------------


def test_explain_a_sentence(data: Path) -> None:
    sentence = "Dr. Okafor moved to Oslo."
    result = json.loads(succeed("explain", data / "ner.tagpool", sentence, "--json"))["tokens"]
    words = [token.text for token in tagpool.tokenize(sentence)]
    expected = explain(tagpool.load(data / "ner.tagpool"), tagpool.Corpus.from_lists(word=[words]))
    assert [(token["word"], token["label"]) for token in result] == [(one.word, one.label) for one in expected]
    assert [token["decisive"] for token in result] == [one.decisive for one in expected]
    shown = succeed("explain", data / "ner.tagpool", sentence, "--token", 2, "--top", 1)
    assert "  2. Okafor  " in shown
    assert f"label {expected[1].instead} without" in shown
    assert "(neighbouring labels)" in shown
    assert "Oslo" not in shown


def test_explain_why_not_another_label(data: Path) -> None:
    command = ("explain", data / "ner.tagpool", "Ann moved to Oslo.", "--token", 4, "--instead", "B-ORG")
    shown = succeed(*command)
    assert "(rather than B-ORG " in shown
    assert " more" in shown  # n-grams of one template
    assert len(succeed(*command, "--all", "--top", 50).splitlines()) > len(succeed(*command, "--top", 50).splitlines())
    message = fail("explain", data / "ner.tagpool", "Ann", "--instead", "B-X")
    assert "--instead B-X: the labels of the model are B-LOC, " in message


def test_explain_in_html(data: Path, tmp_path: Path) -> None:
    command = ("explain", data / "ner.tagpool", "Ann moved to <Oslo>.", "--html", tmp_path / "why.html")
    assert succeed(*command) == ""
    text = (tmp_path / "why.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.count("<details") == len(tagpool.tokenize("Ann moved to <Oslo>."))
    assert "<Oslo" not in text
    message = fail("explain", data / "ner.tagpool", "Ann", "--html", data / "ner.tagpool")
    assert "--html" in message
    assert (data / "ner.tagpool").stat().st_size > 1000


def test_explain_tokens_with_columns_and_sentences_of_files(data: Path) -> None:
    model = data / "pos.tagpool"
    assert "reads the columns word, pos" in fail("explain", model, "Ann left")
    first = tagpool.read_corpus(data / "test.conll")[0]
    text = " ".join(f"{word}_{pos}" for word, pos in zip(first["word"], first["pos"], strict=True))
    by_text = succeed("explain", model, text, "--columns", "word,pos", "--separator", "_", "--json")
    assert by_text == succeed("explain", model, "--file", data / "test.conll", "--sentence", 1, "--json")
    assert by_text == succeed("explain", model, "--file", "-", "--json", stdin=(data / "test.conll").read_text())
    assert "token 2: expected word/pos, got 'left'" in fail("explain", model, "a/DT left", "--columns", "word,pos")
    assert "the model needs word, pos, and the columns are word, tag" in fail("explain", model, "a/DT", "--columns", "word,tag")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "expected either a sentence or --file FILE"),
        ([" "], "got only blanks"),
        (["Ann", "--token", 2], "the sentence has 1 token"),
        (["--file", "no"], "there is no such file"),
        (["--file", "{data}/test.conll", "--sentence", 999], "expected 1 to 80, the number of sentences"),
        (["Ann", "--columns", "word", "--file", "x"], "either a sentence or --file"),
    ],
)
def test_what_cannot_be_explained(data: Path, options: list[object], message: str) -> None:
    assert message in fail("explain", data / "ner.tagpool", *(str(item).format(data=data) for item in options))
