"""BILOU inside a CRF: users see their labels everywhere, and probabilities are sums over states."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagpool
from tagpool import CRF, SGD, BaggingPool, Corpus, ElitistPool, InputError, MaxEnt, OpinionPool, TwoStageTagger, builtin_corpus
from tagpool.compat.conversion import from_expert
from tagpool.corpus.schemes import convert_many, spans, to_labels, violations
from tagpool.experts import states as module
from tagpool.experts.forbidden import ForbiddenEdges
from tagpool.experts.linear.lattices import state_scores
from tagpool.experts.saving import to_bytes
from tagpool.experts.states import States

TEMPLATES = "word[-1..1]\nshape(word, short)[0]"
LABELS = ["O", "B-X", "I-X", "B-Y", "I-Y"]


def one_type(corpus: Corpus) -> Corpus:
    return corpus.with_labels([[label if label == "O" else f"{label[:2]}X" for label in row] for row in corpus.labels])


TRAIN, DEV = one_type(builtin_corpus(200)), one_type(builtin_corpus(60, seed=7))


def bilou(**parameters) -> CRF:
    return CRF(TEMPLATES, inner_scheme="bilou", trainer=SGD(epochs=3), **parameters)


@pytest.fixture(scope="module")
def crf() -> CRF:
    return bilou().fit(TRAIN)


@st.composite
def sequences(draw) -> list[str]:
    cuts = draw(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["", "X", "Y"])), min_size=1, max_size=6))
    ends = list(itertools.accumulate(length for length, _ in cuts))
    chunks = zip([0, *ends], ends, cuts, strict=False)
    return to_labels([(begin, end, kind) for begin, end, (_, kind) in chunks if kind], ends[-1], "bio2")


@given(st.lists(sequences(), min_size=1, max_size=5))
def test_states_are_the_labels_of_bilou(rows):
    states = States(()).split(LABELS)
    gold = np.array([LABELS.index(label) for row in rows for label in row], np.int32)
    refined = np.asarray(states.refine(gold, np.cumsum([0, *map(len, rows)]).astype(np.uint32)))
    expected = [label for row in convert_many(rows, "bio2", "bilou")[0] for label in row]
    assert [states.scheme_names[state] for state in refined] == expected
    assert states.label_of[refined].tolist() == gold.tolist()


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=12))
def test_states_of_any_labels_restore_them(numbers):
    states = States(()).split(LABELS)
    gold = np.array(numbers, np.int32)
    refined = np.asarray(states.refine(gold, np.array([0, len(numbers)], np.uint32)))
    needs_next = (gold > 0) & (np.append(gold[1:], 0) == -1)
    assert (refined == -1).tolist() == ((gold == -1) | needs_next).tolist()
    assert (states.label_of[refined] == gold)[refined >= 0].all()


def enumerate_probabilities(crf: CRF, words: list[str]) -> dict[tuple[int, ...], float]:
    """The probability of every sequence of label numbers, summed over all sequences of states."""
    lattice = next(iter(state_scores(crf, [words]).lattices()))
    label_of = States(crf._fitted().labels).label_of
    sums: dict[tuple[int, ...], float] = {}
    for states in itertools.product(range(len(label_of)), repeat=len(words)):
        labels = tuple(label_of[list(states)].tolist())
        sums[labels] = sums.get(labels, 0.0) + np.exp(lattice.score(states))
    total = sum(sums.values())
    return {labels: value / total for labels, value in sums.items()}


def test_probabilities_are_sums_over_states(crf):
    words = ["Ann", "Smith", "visited", "Oslo"]
    sums = enumerate_probabilities(crf, words)
    lattice, marginals = crf.lattices([words])[0], crf.predict_proba([words])[0]
    count = len(crf.labels_)
    for t, label in itertools.product(range(4), range(count)):
        expected = sum(value for labels, value in sums.items() if labels[t] == label)
        assert marginals[t, label] == pytest.approx(expected, abs=1e-12)
        assert lattice.marginals()[t, label] == pytest.approx(expected, abs=1e-12)
    pairs = lattice.pair_marginals()
    for t, a, b in itertools.product(range(3), range(count), range(count)):
        expected = sum(value for labels, value in sums.items() if labels[t : t + 2] == (a, b))
        assert pairs[t, a, b] == pytest.approx(expected, abs=1e-12)


def test_all_that_users_see_has_their_labels(crf):
    assert crf.labels_ == crf.classes_ == ("O", "B-X", "I-X")
    assert crf._fitted().labels == ["O", "B-X", "I-X", "B-X", "I-X"]
    predicted = crf.predict(DEV)
    assert not any(violations(row, "bio2") for row in predicted)
    assert crf.tag_columns(DEV.native) == predicted == crf.predict(DEV.words) == crf.predict(iter(DEV.words))
    assert crf.score(DEV) > 0.5
    description = crf.describe(top=5)
    facts = description.facts
    assert "U-X" not in str(description)
    assert "L-X" not in str(description)
    assert set(facts["top_features"]) == set(crf.labels_)
    assert {one for row in facts["transitions"] for one in row[:2]} <= {*crf.labels_, "(start)", "(end)"}
    assert crf.top_features("I-X", 3).positive
    assert crf.without(templates="word[-1]").predict(DEV) != []


def test_predictions_are_those_of_bilou_labels():
    """A model of BILOU labels learns the same, in another order of labels."""
    labels = convert_many(TRAIN.labels, "bio2", "bilou")[0]
    other = CRF(TEMPLATES, inner_scheme="same", trainer="lbfgs").fit(TRAIN.with_labels(labels))
    mine = CRF(TEMPLATES, inner_scheme="bilou", trainer="lbfgs").fit(TRAIN)
    assert mine.predict(DEV) == convert_many(other.predict(DEV), "bilou", "bio2", repair=True)[0]


@pytest.mark.parametrize("number", range(5))
def test_explanations_have_the_labels(crf, number):
    predicted, marginals = crf.predict(DEV)[number], crf.predict_proba(DEV)[number]
    for place, token in enumerate(crf.explain(DEV, number)):
        assert token.label == predicted[place]
        assert token.runner_up in crf.labels_
        assert token.runner_up != token.label
        assert token.probability == pytest.approx(marginals[place, crf.labels_.index(token.label)])
        assert token.runner_up_probability == pytest.approx(marginals[place, crf.labels_.index(token.runner_up)])
        assert token.instead is None or token.instead in set(crf.labels_) - {token.label}


def test_explained_differences_add_up(crf):
    lattice = next(iter(state_scores(crf, DEV).lattices()))
    explained = crf.explain(DEV, 0)
    names = crf._fitted().labels
    best = ForbiddenEdges.of_states(crf).constrain(lattice).best().labels.tolist()
    for place, token in enumerate(explained):
        total = sum(one.difference for one in token.contributions) + token.transitions
        others = [[*best[:place], state, *best[place + 1 :]] for state, name in enumerate(names) if name == token.runner_up]
        differences = [lattice.score(best) - lattice.score(other) for other in others]
        assert any(total == pytest.approx(difference, abs=1e-3) for difference in differences)


def test_files_and_copies(crf, tmp_path):
    crf.save(tmp_path / "a.tagpool")
    loaded = tagpool.load(tmp_path / "a.tagpool")
    assert loaded.labels_ == crf.labels_
    assert loaded.predict(DEV) == pickle.loads(pickle.dumps(crf)).predict(DEV) == crf.predict(DEV)
    assert to_bytes(loaded) == to_bytes(crf)
    crf.save(tmp_path / "small.tagpool", size="small")
    assert tagpool.load(tmp_path / "small.tagpool").labels_ == crf.labels_


def test_inputs_of_every_kind_give_the_same_bytes(crf):
    assert to_bytes(bilou().fit(TRAIN)) == to_bytes(crf)
    pairs = TRAIN.words, TRAIN.labels
    lists, iterators = bilou().fit(*pairs), bilou().fit(*map(iter, pairs))
    assert to_bytes(lists) == to_bytes(iterators)
    assert lists.predict(DEV) == crf.predict(DEV)


def test_training_continues_with_the_states(crf, tmp_path):
    crf.save(tmp_path / "a.tagpool")
    loaded = tagpool.load(tmp_path / "a.tagpool").partial_fit(builtin_corpus(60, seed=3))
    names = loaded._fitted().labels
    assert names[:5] == crf._fitted().labels
    assert all(names.count(label) == (1 if label == "O" else 2) for label in loaded.labels_)
    assert not any(violations(row, "bio2") for row in loaded.predict(DEV))
    same = CRF(TEMPLATES, inner_scheme="same").fit(TRAIN)
    same.inner_scheme, same.warm_start = "bilou", True
    assert same.fit(TRAIN)._fitted().labels == list(same.labels_)


def test_a_resumed_checkpoint_gives_the_same_bytes(tmp_path):
    expected = to_bytes(bilou().fit(TRAIN, dev=DEV))

    def stop(epoch):
        if epoch.number == 2:
            raise RuntimeError("killed")

    checkpoint = tagpool.Checkpoint(tmp_path / "state", every=0)
    with pytest.raises(RuntimeError, match="killed"):
        bilou().fit(TRAIN, dev=DEV, on_epoch=stop, checkpoint=checkpoint)
    assert to_bytes(bilou().fit(TRAIN, dev=DEV, checkpoint=checkpoint)) == expected


def test_the_choice(monkeypatch):
    count = sum(len(spans(row)) for row in TRAIN.labels)

    def has_states(corpus, **options) -> bool:
        return States(CRF("word[0]", **options).fit(corpus)._fitted().labels).merged

    monkeypatch.setattr(module, "ENOUGH_SPANS", count)
    assert has_states(TRAIN)
    assert not has_states(TRAIN, inner_scheme="same")
    assert not has_states(builtin_corpus(200)), "several types"
    assert not has_states(TRAIN.with_labels(convert_many(TRAIN.labels, "bio2", "iob1")[0]))
    assert not has_states(TRAIN.with_labels(convert_many(TRAIN.labels, "bio2", "bioes")[0]))
    assert not has_states(TRAIN, unknown_label="O"), "some labels are unknown"
    monkeypatch.setattr(module, "ENOUGH_SPANS", count + 1)
    assert not has_states(TRAIN)
    for scheme in ("iob1", "bilou", "bioes"):
        with pytest.raises(InputError, match="expected BIO2 labels"):
            has_states(TRAIN.with_labels(convert_many(TRAIN.labels, "bio2", scheme)[0]), inner_scheme="bilou")


def test_unknown_labels_class_weights_and_dev_labels():
    labels = [[None if n % 3 == 0 else label for n, label in enumerate(row)] for row in TRAIN.labels]
    assert set(bilou().fit(TRAIN.words, labels).labels_) == {"O", "B-X", "I-X"}
    weighted = bilou(class_weight={"B-X": 1.0, "I-X": 1.0}).fit(TRAIN)
    assert weighted.predict_proba(DEV)[0] == pytest.approx(bilou().fit(TRAIN).predict_proba(DEV)[0], abs=1e-6)
    assert bilou(class_weight="balanced").fit(TRAIN).labels_ == ("O", "B-X", "I-X")
    unseen = DEV.with_labels([[label.replace("X", "Z") for label in row] for row in DEV.labels])
    assert bilou().fit(TRAIN, dev=unseen).summary_["dev"] in (None, 0.0)
    trained = bilou().fit(TRAIN, dev=DEV)
    assert trained.summary_["dev"] == pytest.approx(trained.score(DEV))


def test_pools_and_other_tools(crf):
    same = CRF(TEMPLATES, inner_scheme="same", trainer=SGD(epochs=3)).fit(TRAIN)
    pool = OpinionPool([crf, same]).fit(DEV)
    assert not any(violations(row, "bio2") for row in pool.predict(DEV))
    assert [one.label for one in pool.explain(DEV, 0)] == pool.predict(DEV)[0]
    with pytest.raises(InputError, match="has BILOU inside"):
        pool.merge()
    with pytest.raises(InputError, match="has BILOU inside"):
        from_expert(crf)
    with pytest.raises(InputError, match="inner_scheme='bilou'"):
        BaggingPool(CRF("[a]\nword[0]\n[b]\nshape(word)[0]", inner_scheme="bilou")).fit(TRAIN)


def test_pools_train_members_with_the_labels(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH_SPANS", 1)
    bagging = BaggingPool(CRF("[a]\nword[0]\n[b]\nshape(word)[0]")).fit(TRAIN)
    elitist = ElitistPool("word[0]", experts=2, epochs=2).fit(TRAIN)
    assert all(one._fitted().labels == ["O", "B-X", "I-X"] for pool in (bagging, elitist) for one in pool)
    assert MaxEnt("word[0]").fit(TRAIN)._fitted().labels == ["O", "B-X", "I-X"]


def test_transition_features_and_given_features():
    crf = CRF("word[0]\nlabel[-1] & word[0]", inner_scheme="bilou", trainer=SGD(epochs=3)).fit(TRAIN)
    words = ["Ann", "Smith", "left"]
    sums = enumerate_probabilities(crf, words)
    marginals = crf.lattices([words])[0].marginals()
    for t, label in itertools.product(range(3), range(3)):
        assert marginals[t, label] == pytest.approx(sum(value for labels, value in sums.items() if labels[t] == label))
    rows = crf.describe(top=5, labels=["I-X"]).facts["transition_features"]
    assert rows
    assert all("I-X" in row[1:3] and set(row[1:3]) <= set(crf.labels_) for row in rows)
    features = [[[word] for word in words] for words in TRAIN.words]
    of_features = CRF(inner_scheme="bilou", trainer=SGD(epochs=3)).fit(features, TRAIN.labels)
    assert of_features.labels_ == ("O", "B-X", "I-X")
    assert of_features.predict_proba(features[:1])[0].shape == (len(features[0]), 3)


def test_stages_may_have_states(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH_SPANS", 1)
    documents = Corpus.from_columns({"word": TRAIN.words, "label": TRAIN.labels}, documents=range(0, len(TRAIN), 20))
    pool = TwoStageTagger(CRF(TEMPLATES, trainer=SGD(epochs=2)), folds=2).fit(documents)
    assert all(States(stage._fitted().labels).merged for stage in pool)
    assert pool.labels_ == ("O", "B-X", "I-X")
    predicted = pool.predict(documents)
    assert not any(violations(row, "bio2") for row in predicted)
    assert [one.label for one in pool.explain(documents, 0)] == predicted[0]
    assert pool.predict_proba(documents)[0].shape == (len(predicted[0]), 3)
