"""Sentences without tokens: their results are empty, the results of other sentences do not change, and training ignores them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tagpool
from tagpool import CRF, BaggingPool, Corpus, ElitistPool, InducingTagger, MaxEnt, OpinionPool, TwoStageTagger
from tagpool.errors import InputError
from tagpool.pools.votes.methods import METHODS

WORDS = [["Ann", "left"], ["Rain", "in", "Oslo", "today"], ["It", "rained"]]
MIXED = [[], *WORDS[:1], [], [], *WORDS[1:], []]
BAGS = "[a]\nword[-1..0]\n[b]\nword[1]\nshape[0]"
DOCUMENTS = "word[0]\nelsewhere(word)[0]\nlabel[-1] & word[0]"


def _train() -> Corpus:
    corpus = tagpool.builtin_corpus(60)
    columns = {name: corpus.column(name) for name in corpus.columns}
    return Corpus.from_columns(columns, documents=[*range(0, 60, 5)])


def _two_stage(train: Corpus) -> object:
    return TwoStageTagger(CRF("word[-1..1]")).fit(train)


TAGGERS = {
    "crf": lambda train: CRF("word[-1..1]").fit(train),
    "crf, transition features": lambda train: CRF("word[0]\nlabel[-1] & word[0]").fit(train),
    "maxent": lambda train: MaxEnt("word[-1..1]").fit(train),
    "inducing": lambda train: InducingTagger("word[-1..1]\nlabel[-1] & word[0]", beam=3).fit(train),
    "opinion": lambda train: OpinionPool([CRF("word[0]").fit(train), MaxEnt("shape[0]").fit(train)]),
    "bagging": lambda train: BaggingPool(CRF(BAGS)).fit(train),
    "mixture": lambda train: BaggingPool(CRF(BAGS), combine="sequence-mixture").fit(train),
    "elitist": lambda train: ElitistPool("word[-1..1]", epochs=2).fit(train),
    "two stages": _two_stage,
}


@pytest.fixture(scope="module", params=TAGGERS)
def tagger(request):
    return TAGGERS[request.param](_train())


def _expand(results: list, empty: object) -> list:
    """Results of WORDS at their places in MIXED."""
    return [empty, results[0], empty, empty, *results[1:], empty]


def test_labels(tagger):
    assert tagger.predict([[]]) == [[]]
    assert tagger.predict([]) == []
    assert tagger.predict(MIXED) == _expand(tagger.predict(WORDS), [])
    corpus = Corpus.from_lists(word=MIXED)
    assert tagger.predict(corpus) == tagger.predict(MIXED)
    assert tagger.tag_columns(corpus.native) == tagger.predict(MIXED)
    assert tagger.score([[]], [[]]) == 0
    for threads in (2, 5):
        for one in tagger.single_taggers():
            one.threads = threads
        assert tagger.predict(corpus) == tagger.predict(MIXED)


def test_probabilities(tagger):
    if not tagger.has_probabilities:
        return
    count = len(tagger.labels_)
    for method in (tagger.predict_proba, tagger.predict_marginals):
        assert [rows.shape for rows in method([[]])] == [(0, count)]
        assert method([]) == []
        for rows, expected in zip(method(MIXED), _expand(method(WORDS), np.empty((0, count))), strict=True):
            np.testing.assert_array_equal(rows, expected)
    (lattice,) = tagger.lattices([[]])
    assert [(labels.tolist(), score) for labels, score in lattice.best_n(3)] == [([], 0.0)]
    assert lattice.best().labels.tolist() == lattice.best(at_most_once=[0]).labels.tolist() == []


def test_explanation(tagger):
    assert tagger.explain([]).tokens == []
    if tagger.members_:
        assert tagger.votes([]) == []


def test_training_ignores_them(tmp_path):
    train = _train()
    words, labels, weights = train.words, train.labels, np.linspace(0.5, 2, len(train))
    with_empty = [[], *words[:7], [], *words[7:]], [[], *labels[:7], [], *labels[7:]]
    for number, learner in enumerate((CRF, MaxEnt, InducingTagger, ElitistPool)):
        paths = [tmp_path / f"{number}-{name}" for name in ("without", "with")]
        weighted = {} if learner is ElitistPool else {"sample_weight": [5, *weights[:7], 5, *weights[7:]]}
        learner("word[-1..1]").fit(words, labels, **dict.fromkeys(weighted, weights)).save(paths[0])
        learner("word[-1..1]").fit(*with_empty, dev=None, **weighted).save(paths[1])
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_training_on_features_and_dev_ignores_them():
    features = [[["a"], ["b"]], [], [["b"]]]
    labels = [["X", "Y"], [], ["Y"]]
    plain = CRF().fit([features[0], features[2]], [labels[0], labels[2]])
    assert CRF().fit(features, labels, dev=(features, labels)).predict(features) == [["X", "Y"], [], ["Y"]]
    assert plain.predict([[]]) == [[]]
    assert OpinionPool([plain, plain]).predict([[]]) == [[]]
    assert plain.partial_fit(features, labels).predict(features) == [["X", "Y"], [], ["Y"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[], []], [[], []]), "got only empty ones"),
        (([["a"], []], [["X"], ["Y"]]), "sentence 2: expected no labels for a sentence without tokens, got 1"),
        (([["a"], []], [["X"]]), "expected labels for 2 sentences, got labels for 1"),
    ],
)
def test_training_refuses(arguments, message):
    with pytest.raises(InputError, match=message):
        CRF().fit(*arguments)
    with pytest.raises(InputError, match="sample_weight: expected 2 numbers"):
        CRF().fit([["a"], []], [["X"], []], sample_weight=[1.0])


def test_features_of_documents():
    train = _train()
    crf = CRF(DOCUMENTS).fit(train)
    words = [*train.words[:5], [], [], *train.words[5:10], []]
    with_empty = Corpus.from_columns({"word": words}, documents=[0, 5, 7, 12])
    without = Corpus.from_columns({"word": train.words[:10]}, documents=[0, 5])
    labels = crf.predict(without)
    assert crf.predict(with_empty) == [*labels[:5], [], [], *labels[5:], []]
    assert crf.explain(with_empty, 6).tokens == []


def test_files(tmp_path):
    records = [
        {"text": "", "labels": []},
        {"text": "Ann left", "labels": [[0, 3, "PER"]]},
        {"text": " \n"},
        {"text": "", "labels": [], "note": []},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    corpus = tagpool.read_corpus(path)
    assert corpus.words == [[], ["Ann", "left"], [], []]
    assert corpus.labels == [[], ["B-PER", "O"], [], []]
    for name in ("b.jsonl", "b.conll", "b.conllu", "b.text"):
        copy = tmp_path / name
        kind = "text" if name.endswith("text") else None
        tagpool.write_corpus(corpus, copy, format=kind)
        expected = corpus.words if name == "b.jsonl" else corpus.drop_empty().words
        assert tagpool.read_corpus(copy, format=kind).words == expected
    tagpool.write_corpus(corpus, copy := tmp_path / "spans.jsonl", format="spans")
    assert tagpool.read_corpus(copy) == corpus
    path.write_text('{"tokens": []}\n{"tokens": ["a"], "pos": ["D"], "labels": ["O"]}\n{"tokens": [], "other": []}\n')
    assert tagpool.read_corpus(path).column("pos") == [[], ["D"], []]


def test_votes():
    gold = [["A", "B"], [], ["B", "B"]] * 5
    experts = {"good": gold, "bad": [["B", "A"], [], ["A", "A"]] * 5}
    for method in METHODS:
        pool = tagpool.VotePool(method).fit(experts, gold)
        assert [len(row) for row in pool.predict(experts)] == [2, 0, 2] * 5
        assert [row.shape for row in pool.predict_confidence(experts)] == [(2,), (0,), (2,)] * 5
        assert pool.predict({"good": [[]], "bad": [[]]}) == [[]]
