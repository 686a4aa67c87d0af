"""The component tagpool in pipelines of spaCy."""

from __future__ import annotations

import itertools
import pickle
from math import exp
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from tagpool import Corpus, InputError, VotePool, load
from tagpool.corpus.schemes import spans
from tagpool.corpus.spacy.sentences import make_document
from tagpool.errors import TagpoolError


def pipeline(model: str | None, **config: Any) -> spacy.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagpool", config={"model": model, **config})
    return nlp


def documents_of(nlp: spacy.Language, corpus: Corpus, size: int = 3) -> list[Doc]:
    """Documents of some sentences each."""
    words = corpus.words
    return [make_document(nlp.vocab, words[begin : begin + size]) for begin in range(0, len(words), size)]


def entities(document: Doc) -> list[tuple[int, int, str, float | None]]:
    return [(one.start, one.end, one.label_, one._.tagpool_score) for one in document.ents]


def test_entities_are_those_of_the_model(models: dict[str, str], test_set: Corpus):
    nlp = pipeline(models["ner"])
    expected = iter(load(models["ner"]).predict(test_set))
    for document in nlp.pipe(documents_of(nlp, test_set)):
        for sentence in document.sents:
            actual = [(one.start - sentence.start, one.end - sentence.start, one.label_) for one in sentence.ents]
            assert actual == spans(next(expected))
    assert next(expected, None) is None


def test_scores_are_the_probabilities_of_spans(models: dict[str, str]):
    """Compare with the sum over all label sequences that have the span, written with the same labels."""
    model, nlp = load(models["ner"]), pipeline(models["ner"])
    words = ["Kenyan", "of", "Kingston"]
    document = nlp(Doc(nlp.vocab, words))
    lattice = model.lattices([words])[0]
    count = len(model.labels_)
    assert document.ents
    sequences = list(itertools.product(range(count), repeat=3))
    weights = [exp(lattice.log_probability(sequence)) for sequence in sequences]
    assert sum(weights) == pytest.approx(1)
    best = model.predict([words])[0]
    for start, end, kind, score in entities(document):
        rows = [[model.labels_[number] for number in sequence] for sequence in sequences]
        having = [(start, end, kind) in spans(row) and row[start:end] == best[start:end] for row in rows]
        assert score == pytest.approx(sum(itertools.compress(weights, having)))
    group = document.spans["tagpool"]
    assert [(one.start, one.end) for one in group] == [(one.start, one.end) for one in document.ents]
    assert group.attrs["scores"].tolist() == [one[3] for one in entities(document)]
    for token, label in zip(document, best, strict=True):
        number = model.labels_.index(label)
        having = [sequence[token.i] == number for sequence in sequences]
        assert token._.tagpool_score == pytest.approx(sum(itertools.compress(weights, having)))


def test_other_spans_have_no_score(models: dict[str, str]):
    document = pipeline(models["ner"])("Kenyan of Kingston")
    assert Span(document, 0, 3, "PER")._.tagpool_score is None
    assert spacy.blank("en")("Ann")[0]._.tagpool_score is None
    document.spans["mine"] = [Span(document, 1, 2, "X")]
    assert document.spans["mine"][0]._.tagpool_score is None


def test_blanks_and_empty_documents(models: dict[str, str]):
    nlp = pipeline(models["ner"])
    spaced, plain = nlp("Kenyan \n\n of  Kingston"), nlp("Kenyan of Kingston")
    assert [(one.text, one._.tagpool_score) for one in spaced.ents] == [(one.text, one._.tagpool_score) for one in plain.ents]
    assert [len(document) for document in nlp.pipe(["", " ", "Ann"])] == [0, 1, 1]
    assert spaced[1]._.tagpool_score is None


def test_earlier_entities_stay_without_overwrite(models: dict[str, str]):
    text = "Kenyan of Kingston"
    for overwrite, label in ((True, None), (False, "MINE")):
        nlp = pipeline(models["ner"], overwrite=overwrite)
        nlp.add_pipe("entity_ruler", first=True).add_patterns([{"label": "MINE", "pattern": "Kingston"}])
        kingston = next(one for one in nlp(text).ents if one.text == "Kingston")
        assert (kingston.label_ == label) is not overwrite
        assert (kingston._.tagpool_score is None) is not overwrite


def test_span_groups_and_tags(models: dict[str, str], test_set: Corpus):
    words = test_set.words[0]
    nlp = pipeline(models["ner"], annotates="spans", spans_key="sc")
    document = nlp(Doc(nlp.vocab, words))
    assert not document.ents
    assert [(one.start, one.end, one.label_) for one in document.spans["sc"]] == spans(load(models["ner"]).predict([words])[0])
    tagger = pipeline(models["pos"], annotates="tag")
    tagged = tagger(Doc(tagger.vocab, words))
    assert [token.tag_ for token in tagged] == load(models["pos"]).predict([words])[0]
    table = load(models["pos"]).predict_proba([words])[0]
    assert [token._.tagpool_score for token in tagged] == pytest.approx(table.max(axis=1).tolist(), abs=0.5)
    assert tagger.get_pipe("tagpool").labels == load(models["pos"]).labels_


def test_models_without_probabilities_give_no_scores(models: dict[str, str]):
    nlp = pipeline(models["inducing"])
    document = nlp("Kenyan of Kingston in Ukraine")
    assert document.ents
    assert [one._.tagpool_score for one in document.ents] == [None] * len(document.ents)
    assert "scores" not in document.spans["tagpool"].attrs


def test_columns_come_from_earlier_components(models: dict[str, str], test_set: Corpus):
    nlp = pipeline(models["column"])
    inputs = documents_of(nlp, test_set)
    tags = iter([tag for row in test_set.column("pos") for tag in row])
    with pytest.raises(InputError, match=r"reads the column pos, and token\.pos is not set; set it with an earlier component"):
        nlp(inputs[0])
    universal = Corpus.from_columns({"word": test_set.words, "pos": [["NOUN"] * len(row) for row in test_set.words]})
    expected = [span for row in load(models["column"]).predict(universal) for span in spans(row)]
    for document in inputs:
        for token in document:
            token.pos_, token.tag_ = "NOUN", next(tags)
    results = [nlp(document) for document in inputs]
    assert sum(len(document.ents) for document in results) == len(expected)


def test_saved_pipelines_contain_the_model(models: dict[str, str], tmp_path: Path):
    text = "Kenyan of Kingston in Ukraine"
    file = tmp_path / "ner.tagpool"
    file.write_bytes(Path(models["ner"]).read_bytes())
    nlp = pipeline(str(file))
    expected = entities(nlp(text))
    nlp.to_disk(tmp_path / "saved")
    data, config = nlp.to_bytes(), nlp.config
    file.unlink()
    assert entities(spacy.load(tmp_path / "saved")(text)) == expected
    assert entities(spacy.blank("en").from_config(config).from_bytes(data)(text)) == expected
    assert entities(pickle.loads(pickle.dumps(nlp.get_pipe("tagpool")))(nlp.make_doc(text))) == expected


def test_scores_survive_processes_and_files(models: dict[str, str], tmp_path: Path, test_set: Corpus):
    nlp = pipeline(models["ner"])
    texts = [" ".join(words) for words in test_set.words]
    expected = [entities(document) for document in nlp.pipe(texts)]
    results = list(nlp.pipe(texts, n_process=2, batch_size=7))
    assert [entities(document) for document in results] == expected
    DocBin(docs=results).to_disk(tmp_path / "x.spacy")
    again = list(DocBin().from_disk(tmp_path / "x.spacy").get_docs(nlp.vocab))
    assert [entities(document) for document in again] == expected


@pytest.mark.parametrize(
    ("model", "config", "message"),
    [
        ("pos", {}, r"expected a model of spans, and its labels are .*; set \"annotates\": \"tag\" or \"pos\""),
        ("ner", {"annotates": "tag"}, "expected a model of tags, and its labels are B-LOC, B-MISC"),
        ("pos", {"annotates": "pos"}, "expected universal parts of speech such as NOUN"),
        ("ner", {"annotates": "mood"}, "annotates = 'mood': expected one of entities, spans, tag, pos"),
        ("ner", {"threads": 0}, "threads = 0: expected a whole number from 1"),
        ("ner", {"calibration_folds": 1}, "calibration_folds = 1: expected 0, or a whole number from 2"),
        ("ner", {"templates": "word["}, "component 'tagpool': "),
        ("ner", {"learner": {"kind": "svm"}}, "expected one of crf, maxent, inducing"),
        ("ner", {"learner": {"kind": "crf", "l3": 1}}, "l3"),
    ],
)
def test_errors_of_the_configuration(models: dict[str, str], model: str, config: dict[str, Any], message: str):
    with pytest.raises(TagpoolError, match=message):
        pipeline(models[model], **config)


def test_errors_of_the_model(tmp_path: Path):
    with pytest.raises(InputError, match="component 'tagpool': it has no model; set a model file"):
        pipeline(None)("Ann")
    with pytest.raises(TagpoolError, match=r"none\.tagpool: there is no such file"):
        pipeline(str(tmp_path / "none.tagpool"))("Ann")
    (tmp_path / "bad.tagpool").write_bytes(b"{}")
    with pytest.raises(TagpoolError, match=r"bad\.tagpool"):
        pipeline(str(tmp_path / "bad.tagpool"))
    rows = [["B-X"], ["O"]]
    VotePool("best").fit({"a": rows, "b": rows[::-1]}, rows).save(tmp_path / "x.pool")
    with pytest.raises(InputError, match=r"the labels of other taggers are the input of a .*; use the component tagpool_pool"):
        pipeline(str(tmp_path / "x.pool"))


def test_a_document_that_fails_costs_no_other(models: dict[str, str]):
    nlp = pipeline(models["column"])
    errors: list[str] = []
    nlp.get_pipe("tagpool").set_error_handler(lambda name, component, documents, error: errors.append(documents[0].text))
    good = [Doc(nlp.vocab, ["Ann"], pos=["NOUN"]) for _ in range(2)]
    results = list(nlp.pipe([good[0], Doc(nlp.vocab, ["bad"]), good[1]]))
    assert ([document.text.strip() for document in results], [text.strip() for text in errors]) == (["Ann", "Ann"], ["bad"])


def test_scores_of_spacy(models: dict[str, str], test_set: Corpus):
    nlp = pipeline(models["ner"])
    references = []
    for words, row in zip(test_set.words, test_set.labels, strict=True):
        reference = Doc(nlp.vocab, words)
        reference.set_ents([Span(reference, one.start, one.end, one.type) for one in spans(row)], default="outside")
        references.append(reference)
    scores = nlp.evaluate([Example(nlp.make_doc(one.text), one) for one in references])
    expected = load(models["ner"]).score(test_set)
    exact = nlp.evaluate([Example(Doc(nlp.vocab, [token.text for token in one]), one) for one in references])
    assert exact["ents_f"] == exact["tagpool_score"] == pytest.approx(expected)
    assert scores["tagpool_score"] == scores["ents_f"]
