"""Errors of taggers for invalid input; no partial state is left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tagpool
from tagpool import CRF, LBFGS, SGD, Corpus, InputError, MaxEnt


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return tagpool.builtin_corpus(40, seed=5)


def refused(match: str, expert: CRF | MaxEnt, *arguments: object, **options: object) -> None:
    with pytest.raises(InputError, match=match):
        expert.fit(*arguments, **options)
    assert not expert.is_fitted


def test_sentences_and_labels(corpus):
    refused("expected sentences with tokens, got an empty list", CRF(), [], [])
    refused("expected labels beside|no labels", CRF("word[0]"), corpus.words)
    refused("at least two different labels to learn, got only 'O'", CRF("word[0]"), [["a", "b"]], [["O", "O"]])
    refused("at least two different labels to learn, got none", CRF("word[0]"), [["a"]], [[None]])
    refused("sentence 1", CRF("word[0]"), [["a", "b"]], [["X"]])
    refused("2 sentences|different numbers of sentences|1 sentence", CRF("word[0]"), [["a"], ["b"]], [["X"]])
    refused("expected text", CRF("word[0]"), [["a", 3]], [["X", "Y"]])
    refused("got strings; use tokenize", CRF("word[0]"), ["a sentence"], [["X", "Y"]])
    refused(r"got 'data/train.conll'; read a file with read_corpus\(path\)", CRF("word[0]"), "data/train.conll")
    refused(r"read a file with read_corpus\(path\)", CRF("word[0]"), Path("data/train.conll"))
    with pytest.raises(tagpool.InputError, match=r"expected a sentence as a list of words, got 'Ann Smith'; .*tokenize"):
        CRF("word[0]").fit(corpus).explain("Ann Smith")
    refused("expected labels beside the features", CRF(), [[["a"], ["b"]]])
    refused("expected 2 labels", CRF(), [[["a"], ["b"]]], [["X"]])


def test_missing_features(corpus):
    refused("no feature is left: none occurs 1,000 times", CRF("word[0]", min_count=1000), corpus)
    refused("no feature is left", CRF(min_count=5), [[["a"], ["b"]]], [["X", "Y"]])
    refused("unknown field 'lemma'", CRF("lemma[0]"), corpus)
    vectors = {"glove": tagpool.Embeddings(["word"], [[1.0, 2.0]])}
    refused("no feature is left", CRF("embedding(glove)[0]", resources=vectors), corpus)
    refused("'glove' is missing", CRF("embedding(glove)[0]"), corpus)
    refused("neither a file nor a preset", CRF("nonsense"), corpus)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e300])
def test_values_that_are_not_numbers(value):
    refused("expected a finite number", CRF(), [[{"a": value}, {"b": 1.0}]], [["X", "Y"]])
    crf = CRF().fit([[{"a": 1.0}, {"b": 1.0}]], [["X", "Y"]])
    with pytest.raises(InputError, match="expected a finite number"):
        crf.predict([[{"a": value}]])


def test_numbers_of_templates(corpus):
    numbered = Corpus.from_lists(word=[["a", "b"]], size=[["1.5", "nan"]], label=[["X", "Y"]])
    refused('expected a number, got "nan"', CRF("number(size)[0]"), numbered)


def test_huge_values_do_not_end_in_nan():
    features = [[{"a": 1e20, "b": 1.0}, {"b": 1e20}]] * 5
    for trainer in (SGD(epochs=3), LBFGS(iterations=20, warm_up=0)):
        crf = CRF(trainer=trainer)
        try:
            with np.errstate(all="raise"):
                crf.fit(features, [["X", "Y"]] * 5)
        except (tagpool.TagpoolError, RuntimeWarning):
            assert not crf.is_fitted
        else:
            assert np.isfinite(crf.predict_marginals(features)[0]).all()


def test_a_dev_set_without_a_column_of_training(corpus):
    dev = Corpus.from_lists(word=[["a"]], label=[["O"]])
    message = "the dev set has no 'pos' and no 'chunk' column, which the training sentences have; add it, .*--features ner"
    refused(message, CRF(), corpus, dev=dev)
    assert CRF("word[0]").fit(corpus, dev=dev).is_fitted  # templates that do not read them


def test_a_dev_set_without_labels(corpus):
    refused("no labels to score", CRF("word[0]"), corpus, dev=Corpus.from_lists(word=[["a"]]))


@pytest.mark.parametrize(
    ("create", "match"),
    [
        (lambda: CRF(l2=-1), r"CRF\(l2=-1\): expected a number from 0; the default is 1.0"),
        (lambda: CRF(l2=float("nan")), "l2=nan"),
        (lambda: CRF(l2=np.float32("inf")), "l2="),
        (lambda: MaxEnt(l1="much"), r"MaxEnt\(l1='much'\)"),
        (lambda: CRF(pairs="some"), "expected 'auto', 'all', 'frequent' or 'observed'"),
        (lambda: CRF(seed=-1), "seed=-1"),
        (lambda: CRF(threads=0), "threads=0"),
        (lambda: CRF(threads=True), "threads=True"),
        (lambda: CRF(patience=0), "patience=0"),
        (lambda: CRF(min_count=1.5), "min_count=1.5"),
        (lambda: CRF(warm_start=1), "expected True or False"),
        (lambda: CRF(trainer="magic"), "expected 'sgd', 'lbfgs', 'owlqn', 'fobos', 'perceptron' or a Trainer"),
        (lambda: SGD(epochs=0), r"SGD\(epochs=0\)"),
        (lambda: SGD(step=-1.0), r"SGD\(step=-1.0\): expected a number above 0 or None"),
        (lambda: SGD(dropout=1), "from 0 to less than 1"),
        (lambda: LBFGS(memory=0), r"LBFGS\(memory=0\)"),
        (lambda: CRF(class_weight="even"), "'balanced'"),
        (lambda: CRF().set_params(l2=-1), "l2=-1"),
        (lambda: CRF().set_params(trainer=SGD()).set_params(trainer__epochs=0), r"SGD\(epochs=0\)"),
    ],
)
def test_parameters_out_of_range(create, match):
    with pytest.raises(InputError, match=match):
        create()


def test_an_assignment_is_checked():
    crf = CRF(l2=np.float32(0.5), seed=np.int64(3))
    with pytest.raises(InputError, match="l2=-1"):
        crf.l2 = -1
    assert crf.l2 == 0.5


@pytest.mark.parametrize(
    ("class_weight", "match"),
    [
        ({"B-MOON": 2.0}, "'B-MOON' is not one of the labels O, "),
        ({"O": -2.0}, "class_weight: 'O': expected a number from 0 on, got -2.0"),
        ({"O": "2"}, "expected a number from 0 on, got '2'"),
        ({"O": float("inf")}, "expected a number from 0 on, got inf"),
    ],
)
def test_class_weights(class_weight, match, corpus):
    refused(match, CRF("word[0]", class_weight=class_weight), corpus)


def test_arguments_of_constructors():
    with pytest.raises(TypeError, match=r"CRF\(\) got an unexpected argument 'l3'; did you mean 'l2'\?"):
        CRF(l3=1)
    with pytest.raises(TypeError, match="takes 1 positional argument, got 2"):
        CRF("ner", {})
    with pytest.raises(TypeError, match="several values for 'templates'"):
        CRF("ner", templates="pos")


def test_sample_weights(corpus):
    refused("expected 40 finite numbers", CRF("word[0]"), corpus, sample_weight=[1.0, 2.0])
    refused("finite numbers from 0 on", CRF("word[0]"), corpus, sample_weight=[-1.0] * 40)
    refused("finite numbers from 0 on", CRF("word[0]"), corpus, sample_weight=[float("nan")] * 40)


def test_tagging(corpus):
    with pytest.raises(tagpool.NotFittedError, match="call fit"):
        CRF().predict([["a"]])
    tagged = Corpus.from_lists(word=[["a", "b"]], pos=[["D", "N"]], label=[["X", "Y"]])
    crf = CRF("word[0]\npos[-1]").fit(tagged)
    with pytest.raises(InputError, match=r'no column "pos"; the model needs word, pos, and the columns are word$'):
        crf.predict(Corpus.from_lists(word=[["a"]]))
    with pytest.raises(InputError, match="columns word, pos; words alone are not enough"):
        crf.predict([["a", "b"]])
    with pytest.raises(InputError, match='sentence 1 has no column "pos"'):
        crf.predict([{"word": ["a"]}])
    with pytest.raises(InputError, match="different numbers of tokens"):
        crf.predict([{"word": ["a"], "pos": ["D", "N"]}])
    words = CRF("word[0]").fit(corpus)
    for sentences, match in [
        (["a sentence"], "got one string"),
        ([["a", 3]], "token 2: expected text"),
        ([["a", "\ud800"]], "token 2: the text has a lone surrogate"),
        (3, "expected sentences"),
        ([3], "expected|must"),
    ]:
        with pytest.raises(InputError, match=match):
            words.predict(sentences)
    supplied = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(InputError, match="trained on given features"):
        supplied.predict(corpus)
    with pytest.raises(InputError, match="expected text"):
        words.lattices([[["a"]]])


def test_continuing_with_another_kind_of_features(corpus):
    crf = CRF("word[0]", warm_start=True).fit(corpus)
    expected = crf.predict(corpus)
    with pytest.raises(InputError, match="trained on words; continue with words, not with given features"):
        crf.fit([[["a"], ["b"]]], [["X", "Y"]])
    assert crf.predict(corpus) == expected


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_errors_name_the_first_sentence_for_any_number_of_threads(threads: int) -> None:
    words, labels = [["a"], ["b"]] * 1000, [["X"], ["Y"]] * 1000
    train = Corpus.from_lists(word=words, score=[["1"]] * 2000, label=labels)
    crf = CRF("word[0]\nnumber(score)[0]", threads=threads, trainer=SGD(epochs=1)).fit(train)
    with pytest.raises(InputError, match=r"sentence 1\b"):
        crf.predict(Corpus.from_lists(word=words, score=[["?"]] * 2000))


def test_sentences_that_are_no_lists(corpus: Corpus) -> None:
    crf = CRF("word[0]", trainer=SGD(epochs=1)).fit(corpus)
    with pytest.raises(InputError, match=r"^sentence 2: expected a list of tokens, got int"):
        crf.predict([["a"], 3])
