"""VotePool: methods, keys, losses, abstentions, schemes, confidence, guarantees, β by cross-validation."""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from tagpool import Automaton, Corpus, NotFittedError, Scheme, VotePool
from tagpool.pools.votes.calibration import calibrate
from tagpool.pools.votes.methods import METHODS

LETTERS = "abcdefgh"


def specialists(sentences=300, seed=0, length=6, experts=3, good=0.97, bad=0.5):
    """Expert j is good at the positions j, j + experts, ..."""
    generator = np.random.default_rng(seed)
    gold = [[LETTERS[n] for n in generator.integers(0, len(LETTERS), length)] for _ in range(sentences)]
    messages = {}
    for j in range(experts):
        messages[f"e{j}"] = [
            [
                y if generator.random() < (good if k % experts == j else bad) else LETTERS[generator.integers(8)]
                for k, y in enumerate(row)
            ]
            for row in gold
        ]
    return messages, gold


@pytest.fixture(scope="module")
def train():
    return specialists()


@pytest.fixture(scope="module")
def test():
    return specialists(seed=1)


@pytest.mark.parametrize("method", ["mvote", "cv", "fpl", "fpl_cv", "espboost"])
def test_weights_follow_the_accuracy_by_position(train, test, method):
    pool = VotePool(method, key="position").fit(*train)
    assert pool.mean_loss(*test) < 0.05
    assert VotePool("best").fit(*train).mean_loss(*test) > 0.25
    assert np.argmax(pool.weights_[:6], axis=1).tolist() == [0, 1, 2, 0, 1, 2]


def test_every_method_labels_every_token(train, test):
    for method in METHODS:
        pool = VotePool(method, rounds=10).fit(*train)
        labels, confidence = pool.predict_with_confidence(test[0])
        assert [len(row) for row in labels] == [len(row) for row in test[1]]
        assert all(((row >= 0) & (row <= 1)).all() for row in confidence)
        assert labels == clone(pool).fit(*train).predict(test[0])
        assert pool.predict(list(test[0].values())) == labels


def test_rand_is_drawn_from_the_weights_of_mvote(train, test):
    pool = VotePool("rand", key="position").fit(*train)
    assert pool.weights_ == pytest.approx(VotePool("mvote", key="position").fit(*train).weights_)
    follows = [0] * 3
    labels = pool.predict(test[0])
    for number, row in enumerate(labels):
        messages = {name: rows[number][0] for name, rows in test[0].items()}
        if len(set(messages.values())) == 3:
            follows[list(messages.values()).index(row[0])] += 1
    assert np.array(follows) / sum(follows) == pytest.approx(pool.weights_[0], abs=0.15)
    assert pool.predict(test[0]) == labels
    assert clone(pool).set_params(seed=2).fit(*train).predict(test[0]) != labels


def test_weights_move_with_beta_and_its_choice_is_the_least_loss(train):
    slow, quick = (VotePool(key="position", beta=beta).fit(*train).weights_[:6].max(axis=1) for beta in (0.999, 0.8))
    assert (slow < quick).all()
    chosen = VotePool(key="position", beta=[0.9999999, 0.9]).fit(*train)
    assert chosen.beta_ == 0.9
    assert 0 < VotePool(beta="cv").fit(*train).beta_ < 1


def test_tokens_with_the_same_key_share_weights():
    generator = np.random.default_rng(3)
    # One expert is right about vowels, the other about consonants, at all positions.
    gold = [[LETTERS[n] for n in generator.integers(0, 8, generator.integers(1, 12))] for _ in range(300)]
    vowels = [[y if y in "ae" else "b" for y in row] for row in gold]
    others = [[y if y not in "ae" else "b" for y in row] for row in gold]
    quiet = [[y if generator.random() < 0.6 else "b" for y in row] for row in gold]
    experts = {"vowels": vowels, "others": others, "third": quiet}
    words = [[y.upper() for y in row] for row in gold]
    by_word = VotePool(key=lambda place: "vowel" if place.word in ("A", "E") else "other").fit(experts, gold, words=words)
    assert by_word.mean_loss(experts, gold, words=words) == 0
    assert set(by_word.states_) == {"vowel", "other"}
    same = VotePool(key=lambda place: "vowel" if place.word in ("A", "E") else "other").fit(
        experts, Corpus.from_lists(word=words, label=gold)
    )
    assert (same.weights_ == by_word.weights_).all()
    shared = VotePool(key="shared").fit(experts, gold)
    assert shared.states_ == ("all",)
    assert shared.weights_[0] == pytest.approx(shared.weights_[1])
    by_label = VotePool(key="label").fit(experts, gold)
    assert by_label.mean_loss(experts, gold) < shared.mean_loss(experts, gold)
    assert VotePool(key="length").fit(experts, gold).states_ == ("up to 1", "up to 2", "up to 4", "up to 8", "up to 16")


def test_new_states_have_the_weights_of_all_tokens(train):
    messages, gold = train
    short = {name: [row[:3] for row in rows] for name, rows in messages.items()}
    pool = VotePool(key="position").fit(short, [row[:3] for row in gold])
    shared = VotePool(key="shared").fit(short, [row[:3] for row in gold])
    assert pool.weights_[-1] == pytest.approx(shared.weights_[0])
    (labels,) = pool.predict([[["a"] * 5], [["b"] * 5], [["b"] * 5]])
    assert labels[3:] == shared.predict([[["a"] * 5], [["b"] * 5], [["b"] * 5]])[0][3:]


def test_the_loss_decides_which_expert_leads():
    gold = [["rare"], ["usual"], ["usual"], ["usual"]] * 20
    never = [["usual"]] * 80
    always = [["rare"]] * 80
    experts = {"never": never, "always": always}
    assert VotePool("best").fit(experts, gold).predict(experts)[0] == ["usual"]
    assert VotePool("best", loss={"rare": 10.0}).fit(experts, gold).predict(experts)[0] == ["rare"]
    assert VotePool("mvote", loss={"rare": 10.0}).fit(experts, gold).predict(experts)[0] == ["rare"]
    assert VotePool(loss=lambda y, label: 10.0 * (y != label == "usual") + (y != label == "rare")).fit(experts, gold).predict(
        experts
    )[0] == ["rare"]
    assert VotePool("best", loss={"rare": 10.0}).fit(experts, gold).mean_loss(experts, gold) == 0.75


def test_abstaining_and_missing_experts_have_no_votes_and_no_loss():
    gold = [["a", "b"], ["b", "a"]] * 20
    right = [list(row) for row in gold]
    wrong = [["b", "a"], ["a", "b"]] * 20
    rarely = [list(row) if number % 4 == 0 else None for number, row in enumerate(gold)]
    pool = VotePool().fit({"wrong": wrong, "right": right, "rarely": rarely}, gold)
    assert pool.predict({"wrong": [["a", "a"]], "right": [["b", None]], "rarely": [None]}) == [["b", "a"]]
    # An expert that abstains on difficult tokens gains no weight.
    weights = pool.weights_[0]
    assert weights[0] < weights[2] < weights[1]
    labels, confidence = pool.predict_with_confidence({"wrong": [[None]], "right": [[None]], "rarely": [[None]]})
    assert labels == [["a"]]
    assert confidence[0].tolist() == [0.0]
    for method in METHODS:
        labels = (
            VotePool(method)
            .fit({"wrong": wrong, "right": right, "rarely": rarely}, gold)
            .predict({"wrong": [None], "right": [["b", "b"]], "rarely": [None]})
        )
        assert labels == [["b", "b"]]


def test_confidence_is_the_part_of_the_votes():
    gold = [["a"], ["b"]] * 20
    experts = {"one": gold, "two": [["a"]] * 40, "three": [["b"]] * 40}
    pool = VotePool().fit(experts, gold)
    one, two, three = pool.weights_[0]
    (sure,) = pool.predict_confidence({"one": [["b"]], "two": [["a"]], "three": [["b"]]})
    assert sure[0] == pytest.approx((one + three) / (one + two + three))


def test_a_scheme_keeps_transitions_legal():
    generator = np.random.default_rng(1)
    names = ("O", "B-X", "I-X", "B-Y", "I-Y")
    gold = [["O", "B-X", "I-X", "O", "B-Y"], ["B-Y", "I-Y", "O", "O", "B-X"]] * 30
    experts = {
        f"e{j}": [[y if generator.random() < 0.6 else names[generator.integers(5)] for y in row] for row in gold]
        for j in range(3)
    }
    rules = Scheme.BIO2.constraints(names)
    free, legal = VotePool(key="shared").fit(experts, gold), VotePool(key="shared", scheme="bio2").fit(experts, gold)

    def broken(rows):
        numbers = [[names.index(label) for label in row] for row in rows]
        steps = [not rules.transitions[a, b] for row in numbers for a, b in pairwise(row)]
        return sum(steps) + sum(not rules.start[row[0]] for row in numbers)

    assert broken(free.predict(experts)) > 10
    for combine in ("product", "sum"):
        assert broken(VotePool(key="shared", scheme="bio2", combine=combine).fit(experts, gold).predict(experts)) == 0
    assert legal.mean_loss(experts, gold) < free.mean_loss(experts, gold)
    # No expert has the whole sequence: the nearest valid one has the same type.
    alone = {name: [["I-Y", "I-Y"]] for name in experts}
    assert legal.predict(alone) == [["B-Y", "I-Y"]]


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if not method.draws_paths])
@pytest.mark.parametrize("combine", ["product", "sum"])
def test_experts_that_abstain_vote_for_no_entity(method, combine):
    gold = [["B-PER", "O"], ["O", "B-LOC"], ["O", "O"], ["B-PER", "I-PER"]] * 5
    experts = {"a": gold, "b": [["O", "O"], ["O", "B-LOC"], ["O", "O"], ["B-PER", "O"]] * 5}
    free = VotePool(method, combine=combine).fit(experts, gold)
    legal = VotePool(method, combine=combine, scheme="bio2").fit(experts, gold)
    silent, some = [None, None, None], ["O", None, "B-LOC"]
    for first, second in product([silent, some, None, [None, None, "B-LOC"], ["O", None, None]], repeat=2):
        if first is second is None:
            continue
        votes = {"a": [first], "b": [second]}
        (labels,), (confidence,) = free.predict_with_confidence(votes)
        (same,), (same_confidence,) = legal.predict_with_confidence(votes)
        assert (labels, confidence.tolist()) == (same, same_confidence.tolist()), votes
    # The label without a scheme is O, after which I-PER is not valid.
    assert legal.predict({"a": [["B-PER", None, "I-PER"]], "b": [["B-PER", None, "I-PER"]]}) == [["B-PER", "O", "B-PER"]]


def test_the_best_legal_sequence_is_that_of_all_sequences():
    gold = [["O", "B-X", "I-X"]] * 5
    experts = {"a": [["O", "I-X", "I-X"]] * 5, "b": [["B-X", "O", "I-X"]] * 5, "c": [["O", "O", "O"]] * 5}
    pool = VotePool("majority", scheme="bio2").fit(experts, gold)
    assert pool.predict(experts)[0] in (["B-X", "I-X", "I-X"], ["O", "O", "O"], ["B-X", "O", "O"])
    votes = [{"O": 2 / 3, "B-X": 1 / 3}, {"I-X": 1 / 3, "O": 2 / 3}, {"I-X": 2 / 3, "O": 1 / 3}]
    score = [math.prod(votes[k].get(y, 0.0) for k, y in enumerate(row)) for row in (["B-X", "I-X", "I-X"], ["O", "O", "O"])]
    assert pool.predict(experts)[0] == [["B-X", "I-X", "I-X"], ["O", "O", "O"]][int(np.argmax(score))]


def test_an_automaton_allows_some_paths_only():
    # The first expert labels the whole sequence.
    edges = [("s", "a1", "a"), ("a1", "a2", "a"), ("s", "b1", "b"), ("b1", "b2", "b")]
    gold = [["x", "y"]] * 20
    experts = {"a": [["x", "x"]] * 20, "b": [["y", "y"]] * 15 + [["x", "y"]] * 5}
    free = VotePool(key="position").fit(experts, gold)
    assert free.predict({"a": [["x", "x"]], "b": [["y", "y"]]}) == [["x", "y"]]
    whole = VotePool(automaton=Automaton(edges)).fit(experts, gold)
    assert whole.predict({"a": [["x", "x"]], "b": [["y", "y"]]})[0] in (["x", "x"], ["y", "y"])
    for method in ("rand", "cv", "fpl", "fpl_cv", "espboost"):
        labels = VotePool(method, automaton=Automaton(edges)).fit(experts, gold).predict({"a": [["x", "x"]], "b": [["y", "y"]]})
        assert labels[0] in (["x", "x"], ["y", "y"])
    assert whole.guarantees_.excess < free.guarantees_.excess


def expected_calibration_error(confidence, correct, bins: int = 10) -> float:
    """The mean distance of confidence from the rate of correct labels, over bins of equal width."""
    number = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    gaps = np.abs(np.bincount(number, confidence, bins) - np.bincount(number, correct, bins))
    return float(gaps.sum()) / len(confidence)


def test_calibration_is_isotonic_regression_and_lowers_the_error():
    generator = np.random.default_rng(0)
    shares = np.round(generator.random(500), 2)
    right = generator.random(500) < shares**2
    ours = calibrate(shares, right)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(shares, right)
    grid = np.linspace(-0.1, 1.1, 77)
    assert ours(grid) == pytest.approx(theirs.predict(grid), abs=1e-9)

    messages, gold = specialists(sentences=400, seed=2, good=0.6, bad=0.3)
    asked, truth = specialists(sentences=400, seed=3, good=0.6, bad=0.3)
    gaps = []
    for calibrated in (False, True):
        labels, sure = VotePool(key="position", calibrate=calibrated).fit(messages, gold).predict_with_confidence(asked)
        hit = [a == b for one, other in zip(labels, truth, strict=True) for a, b in zip(one, other, strict=True)]
        gaps.append(expected_calibration_error(np.concatenate(sure), hit))
    assert gaps[1] < 0.5 * gaps[0]


def test_guarantees_hold(test):
    messages, gold = specialists(sentences=4000, seed=8)
    rand, vote = (VotePool(method, key="position").fit(messages, gold) for method in ("rand", "mvote"))
    assert rand.mean_loss(*test) < rand.guarantees_.loss < 1
    assert vote.mean_loss(*test) < vote.guarantees_.loss == pytest.approx(2 * rand.guarantees_.loss)
    assert "with probability 95% the mean loss of a sentence is at most" in str(vote.guarantees_)
    p, length, rounds = 3, 6, 4000
    excess = 2 * math.sqrt(length * math.log(p) / rounds) + 2 * math.sqrt(math.log(2 / 0.05) / rounds)
    assert rand.guarantees_.excess == pytest.approx(excess)
    assert "of the training tokens have a margin of 0.1 or less" in str(VotePool("espboost").fit(messages, gold).guarantees_)
    assert str(VotePool("majority").fit(messages, gold).guarantees_) == "no guarantee is known for this method"


def test_online_rounds_are_the_first_sentences(train):
    messages, gold = train
    few = VotePool(online_rounds=50).fit(messages, gold)
    first = VotePool().fit({name: rows[:50] for name, rows in messages.items()}, gold[:50])
    assert few.weights_ == pytest.approx(first.weights_)


def test_an_unfitted_pool_is_an_error():
    for ask in (lambda pool: pool.predict({}), lambda pool: pool.weights_, lambda pool: pool.beta_, lambda pool: pool.save("x")):
        with pytest.raises(NotFittedError, match="fit"):
            ask(VotePool())
    assert not VotePool().is_fitted


def test_ties_do_not_depend_on_the_gold_sample() -> None:
    """Labels have other first occurrences in the samples; two experts that differ are a tie everywhere."""
    gold = [["B", "A"], ["A", "C"], ["C", "B"], ["A", "A"], ["B", "B"]]
    experts = {"one": gold, "two": [["A", "B"], ["C", "A"], ["B", "C"], ["B", "A"], ["A", "C"]]}
    outcomes = set()
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 1], [1, 2]):
        part = {name: [rows[number] for number in order] for name, rows in experts.items()}
        pool = VotePool("majority", unknown="allow").fit(part, [gold[number] for number in order])
        assert list(pool.labels_) == sorted(pool.labels_)
        outcomes.add(str(pool.predict(experts)))
    assert len(outcomes) == 1
