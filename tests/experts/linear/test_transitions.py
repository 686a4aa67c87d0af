"""CRFs with transition features: from templates to tags, lattices and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles.tampering import resigned

from tagpool import CRF, Corpus, MaxEnt, builtin_corpus, load
from tagpool.errors import ModelError, TemplateError
from tagpool.experts.saving import history_names
from tagpool.optim.lbfgs import LBFGS
from tagpool.optim.sgd import SGD

PLAIN = "word[-1..1]\nshape[0]\nsuffix(word, 1..3)[0]\n"
HISTORY = PLAIN + "label[-1] & shape[0]\nlabel[-1]\n"


def parts() -> tuple[Corpus, Corpus]:
    return builtin_corpus(300).split(0.3, seed=1)


def test_tags_are_the_best_of_the_lattice_and_survive_a_file(tmp_path: Path) -> None:
    train, test = parts()
    crf = CRF(HISTORY, trainer=SGD(epochs=4)).fit(train, dev=test)
    tags = crf.predict(test)
    assert crf.score(test) > 0.6
    lattices = crf.lattices(test)
    for lattice, result, marginals in zip(lattices, tags, crf.predict_marginals(test), strict=True):
        best = lattice.best()
        assert [crf.labels_[number] for number in best.labels] == result
        assert np.allclose(marginals.sum(axis=1), 1)
        # The marginals are upper bounds of the probability of the best sequence.
        probability = np.exp(best.score - lattice.log_partition())
        at_best = marginals[np.arange(len(result)), best.labels]
        assert (at_best >= probability - 1e-9).all()
    crf.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(test) == tags
    assert again.predict(test.words) == tags


def test_the_bytes_do_not_depend_on_the_threads(tmp_path: Path) -> None:
    train, _ = parts()
    for trainer in (SGD(epochs=2), LBFGS(iterations=5)):
        blocks = []
        for threads in (1, 2, 3):
            CRF(HISTORY, trainer=trainer, threads=threads).fit(train).save(tmp_path / "model")
            blocks.append(load(tmp_path / "model")._fitted())
        for name in blocks[0].sizes():
            assert blocks[0].array(name) == blocks[1].array(name) == blocks[2].array(name)


@pytest.mark.parametrize("trainer", ["sgd", "lbfgs", "owlqn", "fobos", "perceptron"])
def test_every_trainer(trainer: str) -> None:
    train, test = parts()
    assert CRF(HISTORY, trainer=trainer, l1=0.01 if trainer in ("owlqn", "fobos") else 0.0).fit(train).score(test) > 0.6


def test_the_previous_label_alone_is_a_plain_transition(tmp_path: Path) -> None:
    train, _ = parts()
    for name, templates in (("with", PLAIN + "label[-1]\n"), ("without", PLAIN)):
        CRF(templates, trainer=SGD(epochs=2)).fit(train).save(tmp_path / name)
    with_label, without = load(tmp_path / "with")._fitted(), load(tmp_path / "without")._fitted()
    assert with_label.sizes() == without.sizes()
    assert with_label.array("edges") == without.array("edges")
    assert not with_label.has_history


def test_crfpp_templates_have_features_of_transitions() -> None:
    words = [["a", "b", "a", "c"], ["b", "a"]]
    corpus = Corpus.from_lists(word=words, pos=[["X", "Y", "X", "Z"], ["Y", "X"]], label=[["A", "B", "A", "B"], ["B", "A"]])
    ours = CRF("word[0]\nlabel[-1] & pos[0]", trainer="lbfgs").fit(corpus)
    theirs = CRF("U00:%x[0,0]\nB01:%x[0,1]\nB", trainer="lbfgs").fit(corpus)
    assert ours._fitted().has_history
    assert theirs.predict(corpus) == ours.predict(corpus) == corpus.labels
    for a, b in zip(ours.predict_marginals(corpus), theirs.predict_marginals(corpus), strict=True):
        assert np.allclose(a, b, atol=1e-4)


def test_features_of_transitions_met_too_seldom_are_left_out() -> None:
    train, _ = parts()
    sizes = [CRF("word[0]\nlabel[-1] & word[0]", min_count=n, trainer=SGD(epochs=1)).fit(train)._fitted().sizes() for n in (1, 3)]
    assert sizes[0]["history.weights"] > sizes[1]["history.weights"] > 0


def test_labels_that_are_not_known() -> None:
    train, test = parts()
    supplied = [[None if t % 7 == 3 else y for t, y in enumerate(labels)] for labels in train.labels]
    crf = CRF(HISTORY, trainer=SGD(epochs=4)).fit(train.words, supplied)
    assert crf.score(test) > 0.6


def test_pruning_and_half_precision(tmp_path: Path) -> None:
    """Pruning and half precision of features and transition features: remaining weights are equal, or the nearest half."""
    train, test = parts()
    crf = CRF(HISTORY, trainer=SGD(epochs=3)).fit(train)
    least = 0.01
    crf.save(tmp_path / "small", size="small")
    small = load(tmp_path / "small")
    small.save(tmp_path / "again", size="small")

    def weights(expert: CRF) -> np.ndarray:
        names = history_names(crf)
        numbers, pairs, values = expert._fitted().history_weights_of(names)
        result = np.zeros((len(names), len(crf.labels_) ** 2), np.float32)
        result[numbers, pairs] = values
        return result

    triples = weights(crf)
    assert (np.abs(triples) <= least)[triples != 0].any()
    halves = triples.astype(np.float16).astype(np.float32)
    assert np.array_equal(weights(small), np.where(np.abs(triples) > least, halves, 0))
    again = load(tmp_path / "again")
    assert np.array_equal(weights(again), np.where(np.abs(weights(small)) > np.float32(least), weights(small), 0))
    assert history_names(again) == history_names(small)
    assert sorted(history_names(small)) == sorted(history_names(crf))
    expected = crf.predict(test)
    assert np.mean([a == b for a, b in zip(small.predict(test), expected, strict=True)]) > 0.95
    assert small._fitted().sizes()["history.weights"] * 2 < crf._fitted().sizes()["history.weights"]


def test_labels_further_back_are_an_error() -> None:
    train, _ = parts()
    for template in ("label[-2] & shape[0]", "label[-2] & label[-1]"):
        with pytest.raises(TemplateError, match=r"expected label\[-1\]; only the learner inducing reads earlier labels"):
            CRF(PLAIN + template).fit(train)
    with pytest.raises(TemplateError, match="depends on previous labels"):
        MaxEnt(HISTORY).fit(train)


def test_a_model_that_looks_two_labels_back_is_an_error(tmp_path: Path) -> None:
    """Version 0.1 could write such models (order=2)."""
    CRF(PLAIN, trainer=SGD(epochs=1)).fit(parts()[0]).save(tmp_path / "old")
    block = (tmp_path / "old").read_bytes()
    # A tensor that tagging does not need, under the name that version 0.1 used.
    (tmp_path / "old").write_bytes(resigned(block, '"names"', '"arcs.states"'))
    with pytest.raises(ModelError, match="look two labels back"):
        load(tmp_path / "old")
