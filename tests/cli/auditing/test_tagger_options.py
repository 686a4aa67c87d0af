"""The options that choose the tagger of an audit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tagpool import CRF, SGD, Corpus, InputError, builtin_corpus
from tagpool.cli.auditing.taggers import TaggerOptions, parse_mapping

CORPUS = Corpus.from_lists(word=[["Ann", "left"]])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("functions_of_taggers.py").write_text(
        "def label(rows):\n    return [['B-PERSON' if w.istitle() else 'O' for w in row] for row in rows]\n"
        "def features(words):\n    return [[w] for w in words]\n"
        "def pairs(rows):\n    return [[w] for w, _ in rows]\n"
    )
    return tmp_path


def crfsuite_model() -> str:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["Ann"], ["left"]], ["B-PERSON", "O"])
    trainer.train("model.crfsuite")
    return "model.crfsuite"


def test_every_kind_of_tagger() -> None:
    CRF("word[0]", trainer=SGD(epochs=1)).fit(builtin_corpus(20)).save("ner.tagpool")
    assert TaggerOptions().labeller("ner.tagpool").model is not None
    Path("tagger.py").write_text(
        "import sys\nfor line in sys.stdin:\n    print('B-PERSON' if line.istitle() else line.strip() and 'O')\n"
    )
    model = crfsuite_model()
    for options in (
        {"tagger": "functions_of_taggers:label"},
        {"command": f"{sys.executable} tagger.py"},
        {"crfsuite": model, "features_function": "functions_of_taggers:features"},
    ):
        for map_, labels in ((None, ["B-PERSON", "O"]), (["PERSON=PER"], ["B-PER", "O"])):
            labeller = TaggerOptions(**options, map_=map_).labeller(None)  # type: ignore[arg-type]
            assert labeller.labels(CORPUS) == [labels]
    columns = TaggerOptions(crfsuite=model, features_function="functions_of_taggers:pairs", features_columns="word,pos")
    assert columns.labeller(None).labels(CORPUS.with_column("pos", [["N", "V"]])) == [["B-PERSON", "O"]]


def test_a_spacy_pipeline_of_a_folder() -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ann"}])
    nlp.to_disk("pipeline")
    assert TaggerOptions(spacy="pipeline", map_=["PERSON=PER"]).labeller(None).labels(CORPUS) == [["B-PER", "O"]]


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (None, {}, "expected one tagger: a model, --tagger, --spacy, --crfsuite, --command; got none"),
        ("m", {"tagger": "a:b"}, "expected one tagger: .*; got m and --tagger"),
        (None, {"tagger": "a:b", "command": "cat"}, "got --tagger and --command"),
        (None, {"crfsuite": "m"}, "m: a model of CRFsuite reads features, not words; add --features-function"),
        (None, {"tagger": "a:b", "features_function": "a:b"}, "are for --crfsuite"),
        (None, {"tagger": "functions_of_taggers:labels"}, "did you mean 'label'"),
        (None, {"spacy": "no_such_pipeline"}, "spaCy cannot load this pipeline"),
        (None, {"command": "cat", "timeout": 0}, "timeout=0: expected"),
        ("functions_of_taggers.py", {}, "functions_of_taggers.py"),
        ("none.tagpool", {}, "none.tagpool"),
    ],
)
def test_mistakes(model: str | None, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TaggerOptions(**options).labeller(model)


def test_the_first_file_is_the_model_unless_another_tagger_is_chosen() -> None:
    assert TaggerOptions().split(["m", "a", "b"]) == ("m", ["a", "b"])
    assert TaggerOptions(command="cat").split(["a", "b"]) == (None, ["a", "b"])
    assert TaggerOptions().split([]) == (None, [])


@pytest.mark.parametrize("pair", ["A", "A=", "=B", ""])
def test_mistakes_in_mappings(pair: str) -> None:
    with pytest.raises(InputError, match=r"expected OLD=NEW, such as --map PERSON=PER"):
        parse_mapping([pair])
    with pytest.raises(InputError, match="A is already renamed to B; give it once"):
        parse_mapping(["A=B", "A=C"])
