"""Training of the component: examples of spaCy as a corpus, calibration, and the command spacy train."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from tagpool import CRF, Corpus, InputError, write_corpus
from tagpool.bridges.spacy.examples import ExampleReader
from tagpool.bridges.spacy.sentence_labels import Calibrations, label_corpus
from tagpool.bridges.spacy.training import TrainingSettings, calibrate_model
from tagpool.corpus.schemes import spans
from tagpool.corpus.spacy.annotations import Annotation
from tagpool.corpus.spacy.files import make_documents
from tagpool.experts.training_data import UNKNOWN

NLP = spacy.blank("en")
TEMPLATES = "word[-1..1]\nshape[0]\nsuffix(word, 1..3)[0]"


def examples_of(corpus: Corpus, vocab: Any) -> list[Example]:
    return [Example(Doc(vocab, [token.text for token in one]), one) for one in make_documents(corpus, vocab)]


def read(example: Example, annotation: str = "entities", key: str = "", columns: tuple[str, ...] = ("word",)) -> Corpus:
    return ExampleReader(Annotation(annotation, key), columns, "test").read([example])


def test_labels_that_do_not_align_are_unknown():
    gold = Doc(NLP.vocab, ["New", "York-based", "Ann", "left"])
    gold.set_ents([Span(gold, 0, 1, "LOC"), Span(gold, 2, 3, "PER")])
    split = Doc(NLP.vocab, ["New", "York", "-based", "Ann", "left"], spaces=[True, False, True, True, True])
    assert read(Example(split, gold)).labels == [["B-LOC", "O", "O", "B-PER", "O"]]
    joined = Doc(NLP.vocab, ["New York-based", "Ann", "left"])
    assert read(Example(joined, gold)).labels == [[UNKNOWN, "B-PER", "O"]]


def test_unknown_entities_of_the_gold_document():
    gold = Doc(NLP.vocab, ["Ann", "Lee", "met", "Bea"])
    gold.set_ents([Span(gold, 0, 2, "PER")], missing=[gold[3:4]], default="outside")
    assert read(Example(Doc(NLP.vocab, ["Ann", "Lee", "met", "Bea"]), gold)).labels == [["B-PER", "I-PER", "O", UNKNOWN]]


def test_span_groups_and_tags():
    gold = Doc(NLP.vocab, ["Ann", "left", "a.b"], tags=["N", "V", "X"])
    gold.spans["k"] = [Span(gold, 0, 1, "A"), Span(gold, 2, 3, "B")]
    inner = Doc(NLP.vocab, ["Ann", "left", "a", ".b"], spaces=[True, True, False, True])
    assert read(Example(inner, gold), "spans", "k").labels == [["B-A", "O", "B-B", "I-B"]]
    assert read(Example(inner, gold), "tag").labels == [["N", "V", "X", "X"]]
    outer = Doc(NLP.vocab, ["Ann left", "a.b"])
    assert read(Example(outer, gold), "spans", "k").labels == [[UNKNOWN, "B-B"]]
    with pytest.raises(InputError, match="expected examples with entities, and no example has any"):
        read(Example(inner, gold))


def test_columns_come_from_gold_documents():
    gold = Doc(NLP.vocab, ["Ann", "left"], tags=["N", "V"])
    gold.set_ents([Span(gold, 0, 1, "PER")])
    corpus = read(Example(Doc(NLP.vocab, ["Ann", "left"]), gold), columns=("word", "tag"))
    assert corpus.column("tag") == [["N", "V"]]
    with pytest.raises(InputError, match=r"reads the column lemma, and token\.lemma is not set"):
        read(Example(Doc(NLP.vocab, ["Ann", "left"]), gold), columns=("word", "lemma"))
    with pytest.raises(InputError, match="the model reads the column chunk; spaCy has tag, pos"):
        read(Example(Doc(NLP.vocab, ["Ann", "left"]), gold), columns=("word", "chunk"))


def test_sentences_are_those_that_the_pipeline_sets_later(gold: Corpus):
    documents = Corpus.from_columns({"word": gold.words, "label": gold.labels}, documents=range(0, len(gold), 5))
    for sentencizer, expected in ((False, len(gold) // 5), (True, len(gold))):
        nlp = spacy.blank("en")
        if sentencizer:
            nlp.add_pipe("sentencizer")
        nlp.add_pipe("tagpool")
        reader = ExampleReader(Annotation(), ["word"], "component 'tagpool'", nlp)
        assert len(reader.read(examples_of(documents, nlp.vocab))) == expected


def test_a_trained_component_is_the_same_tagger(gold: Corpus, test_set: Corpus):
    nlp = spacy.blank("en")
    config = {"templates": TEMPLATES, "calibration_folds": 0, "learner": {"kind": "crf", "l2": 0.3}}
    component = nlp.add_pipe("tagpool", config=config)
    words = Corpus.from_lists(word=gold.words, label=gold.labels)
    nlp.initialize(lambda: examples_of(words, nlp.vocab))
    expected = CRF(TEMPLATES, l2=0.3).fit(words)
    results = [component(Doc(nlp.vocab, row)) for row in test_set.words]
    actual = [[(one.start, one.end, one.label_) for one in document.ents] for document in results]
    assert actual == [spans(row) for row in expected.predict(test_set)]
    assert component.labels == ("LOC", "MISC", "ORG", "PER")


def test_training_with_columns_of_another_component(gold: Corpus):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"IS_TITLE": True}]], {"TAG": "T"})
    ruler.add([[{"IS_TITLE": False}]], {"TAG": "t"})
    nlp.add_pipe("tagpool", config={"templates": "tag[-1..1]", "calibration_folds": 0})
    words = Corpus.from_lists(word=gold.words, label=gold.labels)
    config = nlp.config.copy()
    config["training"]["annotating_components"] = ["attribute_ruler"]
    nlp.config = config
    with nlp.select_pipes(disable=["attribute_ruler"]):  # frozen
        nlp.initialize(lambda: examples_of(words, nlp.vocab))
    assert nlp("We met Ann Smith in Oslo").ents
    assert nlp.get_pipe("tagpool").tagpool_model.columns == ("tag",)


def test_calibration_maps_confidence_to_the_rate_of_correct_spans(gold: Corpus, test_set: Corpus):
    """Calibrated on a corpus, the mean probability of its spans is the part of them that is correct."""
    model = CRF(TEMPLATES).fit(gold[:40])
    both = Corpus.from_columns({"word": gold.words[40:] + test_set.words, "label": gold.labels[40:] + test_set.labels})
    calibrations = calibrate_model(model, both)
    results = label_corpus(model, both)
    correct = [span in spans(row) for one, row in zip(results, both.labels, strict=True) for span in one.spans]
    before, after = (
        np.mean([value for one in rows for value in one.span_probabilities or ()])
        for rows in (results, [calibrations.apply(one) for one in results])
    )
    assert calibrations.spans is not None
    assert after == pytest.approx(np.mean(correct))
    assert before != pytest.approx(np.mean(correct))
    again = Calibrations.from_dict(calibrations.to_dict())
    assert [again.apply(one) for one in results] == [calibrations.apply(one) for one in results]


def test_components_are_calibrated_and_keep_it(gold: Corpus, tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("tagpool", config={"templates": "word[0]\nsuffix(word, 1..2)[0]", "learner": {"kind": "crf", "l2": 0.001}})
    words = Corpus.from_lists(word=gold.words, label=gold.labels)
    nlp.initialize(lambda: examples_of(words, nlp.vocab))
    calibrations = nlp.get_pipe("tagpool").calibrations.to_dict()
    assert calibrations
    nlp.to_disk(tmp_path / "saved")
    assert spacy.load(tmp_path / "saved").get_pipe("tagpool").calibrations.to_dict() == calibrations
    again = nlp.get_pipe("tagpool")
    again.calibrate(examples_of(words, nlp.vocab), nlp=nlp)
    assert again.calibrations.to_dict() != calibrations


def test_columns_of_templates():
    assert TrainingSettings("word[0] & pos[1]\nshape(tag)[0]").columns() == ["word", "pos", "tag"]
    assert TrainingSettings().columns() == ["word"]


def spacy_command(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-W", "ignore", "-m", "spacy", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_command_spacy_train(tmp_path: Path, gold: Corpus, test_set: Corpus):
    write_corpus(gold, tmp_path / "train.spacy")
    write_corpus(test_set, tmp_path / "dev.spacy")
    spacy_command(tmp_path, "init", "config", "config.cfg", "--lang", "en", "--pipeline", "tagpool")
    paths = ("--paths.train", "train.spacy", "--paths.dev", "dev.spacy")
    once = ("--training.max_steps", "1", "--training.eval_frequency", "1")
    spacy_command(tmp_path, "train", "config.cfg", "--output", "out", *paths, *once)
    spacy_command(tmp_path, "evaluate", "out/model-best", "dev.spacy", "--output", "scores.json")
    nlp = spacy.load(tmp_path / "out" / "model-best")
    expected = CRF().fit(Corpus.from_lists(word=gold.words, label=gold.labels))
    actual = [[(one.start, one.end, one.label_) for one in nlp(Doc(nlp.vocab, row)).ents] for row in test_set.words]
    assert actual == [spans(row) for row in expected.predict(test_set.words)]
    assert f'"ents_f":{expected.score(test_set):.4f}'[:14] in (tmp_path / "scores.json").read_text()
