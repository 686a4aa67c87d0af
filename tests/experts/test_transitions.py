"""CRFs whose transitions look two labels back, or at features: from templates to tags, lattices and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import CRF, Corpus, MaxEnt, builtin_corpus, load
from tagpool.errors import InputError, TemplateError
from tagpool.experts.linear.lattices import state_labels
from tagpool.experts.saving import history_names
from tagpool.optim.lbfgs import LBFGS
from tagpool.optim.sgd import SGD

PLAIN = "word[-1..1]\nshape[0]\nsuffix(word, 1..3)[0]\n"
HISTORY = PLAIN + "label[-1] & shape[0]\nlabel[-1]\n"
KINDS = [(1, HISTORY), (2, PLAIN), (2, HISTORY)]


def parts() -> tuple[Corpus, Corpus]:
    return builtin_corpus(300).split(0.3, seed=1)


@pytest.mark.parametrize(("order", "templates"), KINDS)
def test_tags_are_the_best_of_the_lattice_and_survive_a_file(order: int, templates: str, tmp_path: Path) -> None:
    train, test = parts()
    crf = CRF(templates, order=order, trainer=SGD(epochs=4)).fit(train, dev=test)
    tags = crf.predict(test)
    assert crf.score(test) > 0.6
    labels = state_labels(crf)
    lattices = crf.lattices(test)
    for lattice, found, marginals in zip(lattices, tags, crf.predict_marginals(test), strict=True):
        best = lattice.best()
        assert [crf.labels_[labels[state]] for state in best.labels] == found
        assert np.allclose(marginals.sum(axis=1), 1)
        # The marginals of the labels tell how sure the best sequence can be at most.
        probability = np.exp(best.score - lattice.log_partition())
        at_best = marginals[np.arange(len(found)), labels[best.labels]]
        assert (at_best >= probability - 1e-9).all()
    crf.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(test) == tags
    assert np.array_equal(state_labels(again), labels)
    crf.save(tmp_path / "pruned", prune=1e-3)
    pruned = load(tmp_path / "pruned").predict(test)
    assert np.mean([a == b for a, b in zip(pruned, tags, strict=True)]) > 0.95
    assert again.predict(test.words) == tags


@pytest.mark.parametrize(("order", "templates"), KINDS)
def test_the_same_bytes_whatever_the_threads(order: int, templates: str, tmp_path: Path) -> None:
    train, _ = parts()
    for trainer in (SGD(epochs=2), LBFGS(iterations=5)):
        blocks = []
        for threads in (1, 2, 3):
            CRF(templates, order=order, trainer=trainer, threads=threads).fit(train).save(tmp_path / "model")
            blocks.append(load(tmp_path / "model")._fitted())
        for name in blocks[0].sizes():
            assert blocks[0].array(name) == blocks[1].array(name) == blocks[2].array(name)


@pytest.mark.parametrize("trainer", ["sgd", "lbfgs", "owlqn", "fobos", "perceptron"])
def test_every_trainer(trainer: str) -> None:
    train, test = parts()
    assert CRF(HISTORY, order=2, trainer=trainer, l1=0.01 if trainer in ("owlqn", "fobos") else 0.0).fit(train).score(test) > 0.6


def test_the_label_before_alone_is_what_a_chain_has_anyway(tmp_path: Path) -> None:
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


def test_order_two_with_given_features() -> None:
    features = [[["a"], ["b"], ["c"]], [["b"], ["c"]]]
    labels = [["A", "B", "A"], ["B", "B"]]
    crf = CRF(order=2, trainer="lbfgs", l2=0.01).fit(features, labels)
    assert crf.predict(features) == labels
    assert [len(each) for each in crf.predict_marginals(features)] == [3, 2]


def test_labels_that_are_not_known() -> None:
    train, test = parts()
    given = [[None if t % 7 == 3 else y for t, y in enumerate(labels)] for labels in train.labels]
    crf = CRF(HISTORY, order=2, trainer=SGD(epochs=4)).fit(train.words, given)
    assert crf.score(test) > 0.6


def second_order(seed: int, count: int) -> tuple[list[list[str]], list[list[str]]]:
    """Labels of which every one is the other one of the two before, most of the time; words hint at them a little."""
    random = np.random.default_rng(seed)
    words, labels = [], []
    for _ in range(count):
        y = random.integers(0, 2, 2).tolist()
        while len(y) < 12:
            y.append(y[-2] if random.random() < 0.1 else 1 - y[-2])
        labels.append(["AB"[each] for each in y])
        words.append([f"w{each if random.random() < 0.6 else random.integers(0, 2)}" for each in y])
    return words, labels


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_order_two_learns_a_second_order_process(seed: int) -> None:
    """Held-out likelihood is that of every label sequence under the lattice."""
    train, test = second_order(seed, 60), second_order(seed + 1, 40)
    found = []
    for order in (1, 2):
        crf = CRF("word[0]", order=order, trainer="lbfgs").fit(*train)
        labels = state_labels(crf)
        loss = 0.0
        for lattice, gold in zip(crf.lattices(test[0]), test[1], strict=True):
            numbers = [crf.labels_.index(each) for each in gold]
            others = {t: np.flatnonzero(labels != number).tolist() for t, number in enumerate(numbers)}
            loss += lattice.log_partition() - lattice.constrained(forbidden=others).log_partition()
        found.append(loss / len(test[0]))
    assert found[1] < found[0] - 1


@pytest.mark.parametrize(("order", "templates"), KINDS)
def test_small_weights_are_left_out_and_the_others_may_be_halves(order: int, templates: str, tmp_path: Path) -> None:
    """Of features, of trigrams and of features of transitions; what is kept is what it was, or the nearest half."""
    train, test = parts()
    crf = CRF(templates, order=order, trainer=SGD(epochs=3)).fit(train)
    least = 0.05
    crf.save(tmp_path / "pruned", prune=least)
    crf.save(tmp_path / "half", half=True)
    load(tmp_path / "half").save(tmp_path / "again", prune=least)  # from a file, and from halves
    pruned, half, again = (load(tmp_path / name) for name in ("pruned", "half", "again"))

    def weights(expert: CRF) -> tuple[np.ndarray, np.ndarray]:
        names = history_names(crf)
        numbers, pairs, values = expert._fitted().history_weights_of(names)
        found = np.zeros((len(names), len(crf.labels_) ** 2), np.float32)
        found[numbers, pairs] = values
        return expert._fitted().trigrams(), found

    trigrams, triples = weights(crf)
    assert order == 1 or (np.abs(trigrams) <= least)[trigrams != 0].any()
    assert templates == PLAIN or (np.abs(triples) <= least)[triples != 0].any()
    assert np.array_equal(weights(pruned)[0], np.where(np.abs(trigrams) > least, trigrams, 0))
    assert np.array_equal(weights(pruned)[1], np.where(np.abs(triples) > least, triples, 0))
    halves = triples.astype(np.float16).astype(np.float32)
    assert np.array_equal(weights(half)[0], trigrams)
    assert np.array_equal(weights(half)[1], halves)
    assert np.array_equal(weights(again)[1], np.where(np.abs(halves) > least, halves, 0))
    assert history_names(again) == history_names(half)
    assert sorted(history_names(half)) == sorted(history_names(crf))
    expected = crf.predict(test)
    assert np.mean([a == b for a, b in zip(half.predict(test), expected, strict=True)]) > 0.95
    if templates != PLAIN:
        sizes = [load(tmp_path / name)._fitted().sizes()["history.weights"] for name in ("pruned", "half")]
        full = crf._fitted().sizes()["history.weights"]
        assert sizes[0] < full
        assert sizes[1] * 2 == full


def test_what_cannot_be() -> None:
    train, _ = parts()
    with pytest.raises(InputError, match="order=3: expected 1 or 2"):
        CRF(PLAIN, order=3).fit(train)
    with pytest.raises(TemplateError, match=r"expected label\[-1\] in a chain of order 1"):
        CRF(PLAIN + "label[-2] & shape[0]").fit(train)
    with pytest.raises(TemplateError, match="which looks no further back"):
        CRF(PLAIN + "label[-2] & label[-1] & shape[0]", order=2).fit(train)
    CRF(PLAIN + "label[-2] & label[-1]", order=2, trainer=SGD(epochs=1)).fit(train)
    with pytest.raises(TemplateError, match="looks at previous labels"):
        MaxEnt(HISTORY).fit(train)
    with pytest.raises(InputError, match="looks two labels back, and goes on with order=2"):
        CRF(PLAIN, order=2, trainer=SGD(epochs=1)).fit(train).set_params(order=1).partial_fit(train)
