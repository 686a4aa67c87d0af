"""Continued training with transition features: every weight is carried over by name."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import CRF, LBFGS, SGD, Corpus, builtin_corpus, load
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import SaveOptions, feature_names, history_names, to_bytes

PLAIN = "word[-1..1]\nshape[0]\nsuffix(word, 1..3)[0]\n"
HISTORY = PLAIN + "label[-1] & shape[0]\nlabel[-1] & word[0] & shape[-1]\n"
KINDS = [PLAIN, HISTORY]
# The trainer stops at once: the weights do not change. (A tolerance of 1 is reached only after ten iterations.)
STILL = SGD(epochs=1, step=1e-30)
EXACT = LBFGS(tolerance=1e-13, iterations=3000, warm_up=0)


def named(expert: Expert) -> dict[tuple[str, ...], float]:
    """Nonzero weights by name."""
    model, labels = expert._fitted(), expert.labels_
    result: dict[tuple[str, ...], float] = {}
    names = feature_names(expert)
    for name, row in zip(names, model.weights_of(names).reshape(len(names), -1).tolist(), strict=True):
        result |= {("feature", name, label): weight for label, weight in zip(labels, row, strict=True)}
    ends = [*labels, "^", "$"]
    for before, row in zip(ends, model.edges().reshape(len(ends), -1).tolist(), strict=True):
        result |= {("edge", before, label): weight for label, weight in zip(labels, row, strict=True)}
    names = history_names(expert)
    for number, pair, weight in zip(*(item.tolist() for item in model.history_weights_of(names)), strict=True):
        before, after = divmod(pair, len(labels))
        result["transition", names[number], labels[before], labels[after]] = weight
    return {name: weight for name, weight in result.items() if weight}


def expect_equal(left: dict[tuple[str, ...], float], right: dict[tuple[str, ...], float]) -> None:
    assert left.keys() == right.keys()
    assert [left[name] for name in left] == [right[name] for name in left]


def words_of(seed: int, count: int, labels: str) -> Corpus:
    """Words that determine their labels; the labels are random."""
    random = np.random.default_rng(seed)
    drawn = [[labels[item] for item in random.integers(0, len(labels), random.integers(1, 6))] for _ in range(count)]
    words = [[f"{label.lower()}{random.integers(0, 3)}" for label in sentence] for sentence in drawn]
    return Corpus.from_lists(word=words, label=drawn)


@pytest.mark.parametrize("pairs", ["all", "observed"])
@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("templates", KINDS)
def test_weights_are_carried_over_to_the_same_and_to_other_sentences(
    templates: str, from_file: bool, pairs: str, tmp_path: Path
) -> None:
    """Weights of features that the new sentences lack stay, too; new labels and features begin at zero."""
    first, second = words_of(1, 30, "ABC"), words_of(2, 20, "DCA")
    crf = CRF(templates, pairs=pairs, trainer=SGD(epochs=4)).fit(first)
    before, tags, lattices = named(crf), crf.predict(first), crf.lattices(first)
    assert {kind for kind, *_ in before} == {"feature", "edge"} | ({"transition"} if templates == HISTORY else set())
    for more in (first, second):
        going = crf
        if from_file:
            crf.save(tmp_path / "model")
            going = load(tmp_path / "model").set_params(pairs=pairs)
        going.set_params(warm_start=True, trainer=STILL, l2=0.0).fit(more)
        expect_equal({name: weight for name, weight in named(going).items() if abs(weight) > 1e-20}, before)
    assert going.labels_ == (*dict.fromkeys(label for sentence in first.labels for label in sentence), "D")
    # Without the new label the scores are the same: the old labels are still the best.
    new = [going.labels_.index("D")]
    for old, lattice, best in zip(lattices, going.lattices(first), tags, strict=True):
        without = lattice.constrained(forbidden=dict.fromkeys(range(len(best)), new)).best()
        assert [going.labels_[number] for number in without.labels] == best
        assert without.score == pytest.approx(old.best().score, abs=1e-4)


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_start_scores_every_sequence_as_the_old_model(seed: int, templates: str, unknown: bool) -> None:
    """Enumerates sequences of the old labels; new sentences may have labels in another order, or unknown ones."""
    first, second = words_of(seed, 6, "ABC"), words_of(seed + 1, 5, "CDAB")
    crf = CRF(templates, trainer=SGD(epochs=2)).fit(first)
    tried = Corpus.from_lists(word=[["a1", "b2", "zz", "c0"][: 2 + seed % 3], ["b0"]])

    def scores(expert: Expert) -> dict[tuple[int, tuple[str, ...]], float]:
        places = np.arange(len(expert.labels_))
        result = {}
        for number, lattice in enumerate(expert.lattices(tried)):
            length = len(lattice.nodes)
            for labels in product("ABC", repeat=length):
                wanted = [expert.labels_.index(label) if label in expert.labels_ else -1 for label in labels]
                others = {t: np.flatnonzero(places != wanted[t]).tolist() for t in range(length)}
                if all(len(item) < len(places) for item in others.values()):
                    forced = lattice.constrained(forbidden=others)
                    if forced.log_partition() > -np.inf:
                        result[number, labels] = forced.best().score
        return result

    expected = scores(crf)
    labels = [[None if unknown and t == 1 else label for t, label in enumerate(item)] for item in second.labels]
    crf.set_params(warm_start=True, trainer=STILL, l2=0.0).fit(second.words, labels)
    result = scores(crf)
    assert expected.keys() <= result.keys()
    for key, score in expected.items():
        assert result[key] == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize("templates", KINDS)
def test_training_continued_from_the_optimum_stays_there(templates: str) -> None:
    corpus = builtin_corpus(30, seed=4)
    crf = CRF(templates, trainer=EXACT, l2=0.5).fit(corpus)
    loss, iterations, before = crf.log_[-1].loss, len(crf.log_), crf.predict_marginals(corpus)
    crf.set_params(warm_start=True).fit(corpus)
    assert len(crf.log_) < iterations / 3
    assert crf.log_[0].loss == pytest.approx(loss, rel=1e-6)
    for old, new in zip(before, crf.predict_marginals(corpus), strict=True):
        assert np.allclose(old, new, atol=1e-4)


@pytest.mark.parametrize("trainer", ["sgd", "lbfgs", "owlqn", "fobos", "perceptron"])
@pytest.mark.parametrize("templates", KINDS)
def test_every_trainer_continues(templates: str, trainer: str) -> None:
    """The new sentences have new labels and features, and lack others; the bytes do not depend on the threads."""
    corpus = builtin_corpus(80, seed=3)
    words, labels = corpus[:40].words, corpus[:40].labels
    new = Corpus.from_lists(word=[*words, *[["zyx", "wvu", "zyx"]] * 5], label=[*labels, *[["B-NEW", "I-NEW", "O"]] * 5])
    blocks = []
    for threads in (1, 3):
        crf = CRF(templates, trainer=SGD(epochs=3)).fit(corpus)
        expected = crf.score(corpus)
        crf.set_params(warm_start=True, trainer=trainer, l2=0.001, threads=threads).fit(new)
        assert crf.predict([["zyx", "wvu", "zyx"]]) == [["B-NEW", "I-NEW", "O"]]
        if trainer in ("lbfgs", "owlqn"):  # the minimum for the new sentences is the same from any start
            assert crf.score(corpus) == pytest.approx(CRF(templates, trainer=trainer, l2=0.001).fit(new).score(corpus), abs=0.02)
        else:
            assert crf.score(corpus) > expected - 0.2
        blocks.append(to_bytes(crf))
    assert blocks[0] == blocks[1]


@pytest.mark.parametrize("templates", KINDS)
def test_streams(templates: str, tmp_path: Path) -> None:
    corpus, dev = builtin_corpus(150, seed=4), builtin_corpus(60, seed=4, part="dev")
    crf = CRF(templates)
    scores = []
    for first in range(0, 150, 30):
        crf.partial_fit(corpus[first : first + 30])
        scores.append(crf.score(dev))
        crf.save(tmp_path / "model")
        crf = load(tmp_path / "model")
    assert scores[-1] > scores[0]
    assert crf.summary_["sentences"] == 150
    # A few sentences that were seen before do not change a well trained model.
    trained = CRF(templates).fit(corpus)
    before = trained.score(dev)
    assert trained.partial_fit(corpus[:20]).score(dev) > before - 0.05


def test_transition_features_without_weights_are_learned_later(tmp_path: Path) -> None:
    """All of them are pruned, but the file still has their templates."""
    corpus = builtin_corpus(60, seed=3)
    expert = CRF(HISTORY, trainer=SGD(epochs=2)).fit(corpus)
    (tmp_path / "model").write_bytes(to_bytes(expert, SaveOptions(half=True, prune=100.0)))
    again = load(tmp_path / "model")
    assert {kind for kind, *_ in named(again)} == {"edge"}
    assert [len(item) for item in again.predict(corpus)] == [len(item) for item in corpus.words]
    again.partial_fit(corpus)
    assert any(kind == "transition" for kind, *_ in named(again))


def test_training_needs_names_to_continue(tmp_path: Path) -> None:
    corpus = words_of(5, 30, "ABC")
    CRF(HISTORY, trainer=SGD(epochs=1)).fit(corpus).save(tmp_path / "nameless", names=False)
    nameless = load(tmp_path / "nameless")
    with pytest.raises(InputError, match="without names of features"):
        nameless.partial_fit(corpus)
    assert nameless._fitted().array("history.names") is None


def test_partial_fit_scales_the_penalty_to_the_share_of_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """The penalty applies to all sentences; new sentences have their share of it."""
    penalties: list[float] = []
    trainers: list[SGD] = []
    train = SGD.train

    def record(self: SGD, problem: Any, watch: Any) -> Any:
        penalties.append(problem.l2)
        trainers.append(self)
        return train(self, problem, watch)

    monkeypatch.setattr(SGD, "train", record)
    corpus = builtin_corpus(80)
    crf = CRF("word[0]", l2=2.0, trainer=SGD(epochs=1, step=0.05)).fit(corpus[:30])
    assert crf.summary_["step"] == 0.05
    crf.partial_fit(corpus[30:40])
    crf.partial_fit(corpus[40:80])
    assert penalties == [2.0, 2.0 * 10 / 40, 2.0 * 40 / 80]
    assert [(trainer.step, trainer.average_from) for trainer in trainers[1:]] == [(None, 0)] * 2
