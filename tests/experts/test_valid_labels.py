"""Predicted labels are valid in the tag scheme of the training labels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tagpool
from tagpool import CRF, SGD, Corpus, InducingTagger, MaxEnt, OpinionPool, load
from tagpool.corpus.schemes import Scheme, convert_many, violations
from tagpool.corpus.transitions import legal_transition
from tagpool.experts.label_scheme import forbidden_edges
from tagpool.pools.bagging.partitions import LabelWise
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool

SCHEMES = ["iob1", "bio2", "bioes", "bilou"]
WEAK = "suffix(word, 1)[0]"  # so weak that labels depend on chance
TAGGERS = {
    "crf": lambda: CRF(WEAK, trainer=SGD(epochs=1)),
    "maxent": lambda: MaxEnt(WEAK, trainer=SGD(epochs=1)),
    "greedy": lambda: InducingTagger(WEAK, epochs=1),
    "beam": lambda: InducingTagger(WEAK + "\nlabel[-1]", epochs=1, beam=3),
    "elitist": lambda: ElitistPool(f"[a]\n{WEAK}\n[b]\nshape[0]", epochs=1),
    "bagging": lambda: BaggingPool(MaxEnt(f"[a]\n{WEAK}\n[b]\nshape[0]")),
    "label-wise": lambda: BaggingPool(MaxEnt(WEAK), bags=LabelWise()),
    "mixture": lambda: BaggingPool(MaxEnt(f"[a]\n{WEAK}\n[b]\nshape[0]"), combine="sequence-mixture"),
}


def in_scheme(scheme: str, sentences: int = 60) -> Corpus:
    corpus = tagpool.builtin_corpus(sentences, seed=2)
    touching = [["Oslo", "Iraq", "Iraq", "."]] * 10, [["B-LOC", "B-LOC", "B-LOC", "O"]] * 10
    labels = convert_many([*corpus.labels, *touching[1]], "bio2", scheme)[0]
    return Corpus.from_lists(word=[*corpus.words, *touching[0]], label=labels)


def broken(labels: list[list[str]], scheme: str) -> int:
    return sum(len(violations(row, scheme)) for row in labels)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", TAGGERS)
def test_predictions_are_valid(name, scheme, tmp_path):
    tagger = TAGGERS[name]().fit(in_scheme(scheme))
    words = tagpool.builtin_corpus(200, seed=3).words
    predicted = tagger.predict(words)
    assert broken(predicted, scheme) == 0
    tagger.save(tmp_path / "model")
    assert load(tmp_path / "model").predict(words) == predicted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_best_valid_sequence_is_predicted(scheme):
    """The same sequence as that of lattices with the constraints of the scheme; without them, labels are invalid."""
    expert = MaxEnt(WEAK, trainer=SGD(epochs=1)).fit(in_scheme(scheme))
    words = [*tagpool.builtin_corpus(100, seed=3).words, ["Iraq", "left"]]
    rules, lattices = Scheme.of(scheme).constraints(expert.labels_), expert.lattices(words)

    for labels, lattice in zip(expert.predict(words), lattices, strict=True):
        constrained = rules.constrain(lattice)
        assert constrained.score([expert.labels_.index(label) for label in labels]) == pytest.approx(constrained.best().score)
    free = [[expert.labels_[number] for number in lattice.best().labels] for lattice in lattices]
    assert broken(free, scheme) > 0


def test_a_pool_of_members_allows_what_one_of_them_allows():
    strict, free = (CRF(WEAK).fit(in_scheme("bio2")) for _ in range(2))
    invalid = Corpus.from_lists(word=[["a", "b"]], label=[["O", "I-PER"]])
    free.partial_fit(invalid)
    words = tagpool.builtin_corpus(50, seed=3).words
    assert broken(OpinionPool([strict, strict]).predict(words), "bio2") == 0
    pool = OpinionPool([strict, free], weights=[0.5, 0.5])
    assert pool.merge().predict(words) == pool.predict(words)
    before, after = free.labels_.index("O"), free.labels_.index("I-PER")
    forbidden = pool.merge()._fitted().forbidden().reshape(-1, len(free.labels_))
    assert not forbidden[before, after]
    assert forbidden[before, free.labels_.index("I-LOC")]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_forbidden_edges_follow_the_rules_of_two_labels(scheme):
    corpus = in_scheme(scheme)
    labels = tuple(dict.fromkeys(itertools.chain.from_iterable(corpus.labels)))
    gold = np.array([labels.index(label) for row in corpus.labels for label in row], np.int32)
    table = np.frombuffer(forbidden_edges(labels, gold, corpus.offsets()), np.uint8).reshape(len(labels) + 2, len(labels))
    for a, before in enumerate((*labels, None)):
        for b, after in enumerate((*labels, None)):
            if before is not None or after is not None:
                marked = table[-1, a] if after is None else table[a, b]
                assert bool(marked) != legal_transition(before, after, scheme)


def edges(labels: list[str], sequences: list[list[str]]) -> np.ndarray:
    gold = np.array([labels.index(label) for row in sequences for label in row], np.int32)
    bounds = np.cumsum([0, *map(len, sequences)]).astype(np.uint32)
    return np.frombuffer(forbidden_edges(labels, gold, bounds), np.uint8)


def test_transitions_of_the_training_labels_stay_allowed():
    labels = ["O", "B-X", "I-X", "I-Y", "B-Y"]
    table = edges(labels, [["B-X", "I-X", "O", "B-Y", "I-Y"], ["O", "B-X"], ["O", "I-X"]]).reshape(7, 5)
    assert not table[0, 2]
    assert table[0, 3]


@pytest.mark.parametrize(
    ("labels", "sequences"),
    [(["NN", "VB"], [["NN", "VB"]]), (["O", "B-X"], [["O", "B-X"]]), (["O", "I-<a>", "<a>"], [["O", "I-<a>", "<a>", "<a>"]])],
    ids=["plain", "one token", "other scheme"],
)
def test_nothing_is_forbidden(labels, sequences):
    assert len(edges(labels, sequences)) == 0


def test_labels_of_no_scheme_may_be_anywhere():
    labels = ["O", "B-X", "I-X", "-X-"]
    table = edges(labels, [["B-X", "I-X", "O"], ["B-X", "I-X", "-X-"]]).reshape(6, 4)
    assert not table[3].any()
    assert not table[:4, 3].any()
    assert table[0, 2]


def test_further_training_keeps_the_scheme():
    """A few sentences do not show the scheme: here, labels in IOB1 that could be BIO2 without its B."""
    crf = CRF(WEAK).fit(in_scheme("iob1"))
    words = tagpool.builtin_corpus(50, seed=3)
    before = crf._fitted().forbidden()
    crf.partial_fit(words.with_labels([["O"] * len(row) for row in words.labels]))
    assert crf._fitted().forbidden().tolist() == before.tolist()
    assert broken(crf.predict(words), "iob1") == 0
