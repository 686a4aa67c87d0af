"""Explanations of chains with transition features, against sums of weights by name."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import CRF, SGD, Corpus, InputError
from tagpool.experts.inside.explanation import group_by_template
from tagpool.experts.inside.linear import explain

TEMPLATES = "word[0]\nsuffix(word, 1)[0]\nbias[0]"
HISTORY = TEMPLATES + "\nlabel[-1] & word[0]\nlabel[-1] & word[-1]"
KINDS = [TEMPLATES, HISTORY]
WORDS = ["a0", "b0", "c1", "a1", "d", "zz"]
NUMBERS = {"A": 0, "B": 1, "C": 2}


@cache
def trained(templates: str) -> CRF:
    random = np.random.default_rng(7)
    sentences, labels = [], []
    for _ in range(60):
        y = [random.integers(0, 3)]
        while len(y) < 5:
            choices = [0, 1] if y[-1] == 1 else [0, 1, 2]
            y.append(0 if y[-2:] == [0, 1] and random.random() < 0.8 else random.choice(choices))
        labels.append(["ABC"[item] for item in y])
        sentences.append([f"{'abc'[item]}{random.integers(0, 2)}" if random.random() < 0.7 else "d" for item in y])
    return CRF(templates, trainer=SGD(epochs=4), l2=0.3).fit(sentences, labels)


class Oracle:
    """The features of a sentence and all weights by name; the score of a label sequence is a sum of weights."""

    def __init__(self, crf: CRF, words: list[str]) -> None:
        model = crf._fitted()
        self.labels = crf.labels_
        count = len(self.labels)
        corpus = Corpus.from_lists(word=[words])
        self.features = model.encoder(1).describe(corpus.native, 0)
        self.steps = model.history_encoder(1).describe(corpus.native, 0) if model.has_history else [[] for _ in words]
        self.steps[0] = []
        self.weights = {n: model.weights_of([n]).tolist() for row in self.features for n, _ in row}
        self.step_weights: dict[str, dict[tuple[int, int], float]] = {}
        for name in {n for row in self.steps for n, _ in row}:
            _, pairs, values = model.history_weights_of([name])
            self.step_weights[name] = {divmod(p, count): w for p, w in zip(pairs.tolist(), values.tolist(), strict=True)}
        self.edges = model.edges().reshape(count + 2, count).tolist()

    def score(self, y: tuple[int, ...], place: int = -1, missing: frozenset[str] = frozenset()) -> float:
        """The score of a label sequence, without some features of a token."""
        total = self.edges[-2][y[0]] + self.edges[-1][y[-1]]
        for t, label in enumerate(y):
            gone = missing if t == place else frozenset()
            total += sum(self.weights[n][label] * value for n, value in self.features[t] if n not in gone)
            if t == 0:
                continue
            pair = (y[t - 1], label)
            total += self.edges[y[t - 1]][label]
            total += sum(self.step_weights[n].get(pair, 0.0) * value for n, value in self.steps[t] if n not in gone)
        return total

    def label_without(self, place: int, missing: frozenset[str]) -> tuple[int, float]:
        """The label of a token without some of its features, and its lead over all others."""
        best: dict[int, float] = {}
        for y in product(range(len(self.labels)), repeat=len(self.features)):
            best[y[place]] = max(best.get(y[place], -np.inf), self.score(y, place, missing))
        first, *others = sorted(best, key=lambda label: -best[label])
        return first, best[first] - max(best[other] for other in others)

    def names(self, place: int) -> list[str]:
        """Indices of the features of a token."""
        return [n for n, _ in self.features[place] + self.steps[place]]


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


def explained(kind: str, words: list[str], instead: str | None = None) -> tuple[CRF, Oracle, Any]:
    crf = trained(kind)
    return crf, Oracle(crf, words), explain(crf, Corpus.from_lists(word=[words]), instead=instead)


@pytest.mark.parametrize("kind", KINDS)
@given(words=sentences, instead=st.sampled_from([None, *NUMBERS]))
@settings(deadline=None)
def test_differences_add_up_to_that_of_two_sequences(kind: str, words: list[str], instead: str | None) -> None:
    crf, oracle, reported = explained(kind, words, instead)
    best = tuple(crf.labels_.index(one.label) for one in reported)
    scores = {y: oracle.score(y) for y in product(range(3), repeat=len(words))}
    assert scores[best] == pytest.approx(max(scores.values()), abs=1e-4)
    assert [one.label for one in reported] == crf.predict([words])[0]
    probabilities = {y: np.exp(score - max(scores.values())) for y, score in scores.items()}
    total = sum(probabilities.values())
    for place, one in enumerate(reported):
        assert one.chosen == (instead not in (None, one.label))
        assert one.runner_up == instead or not one.chosen
        runner_up = crf.labels_.index(one.runner_up)
        for label, result in ((best[place], one.probability), (runner_up, one.runner_up_probability)):
            mass = sum(p for y, p in probabilities.items() if y[place] == label)
            assert result == pytest.approx(mass / total, abs=1e-5)
        other = (*best[:place], runner_up, *best[place + 1 :])
        lead = scores[best] - scores[other]
        assert one.transitions == pytest.approx(sum(item.difference for item in one.beside), abs=1e-6)
        assert sum(item.difference for item in one.contributions) + one.transitions == pytest.approx(lead, abs=1e-4)
        without = oracle.score(best, place, frozenset(oracle.names(place)))
        assert sum(item.score for item in one.contributions) == pytest.approx(scores[best] - without, abs=1e-4)
        assert one.feature_count == len(oracle.names(place))


@pytest.mark.parametrize("kind", KINDS)
@given(words=sentences)
@settings(max_examples=40, deadline=None)
def test_decisive_features_decide_and_no_fewer_do(kind: str, words: list[str]) -> None:
    crf, oracle, reported = explained(kind, words)
    for place, one in enumerate(reported):
        label, names = crf.labels_.index(one.label), oracle.names(place)
        if one.decisive is not None:
            result, _ = oracle.label_without(place, frozenset(one.decisive))
            assert crf.labels_[result] == one.instead != one.label
        smallest = len(names) if one.decisive is None else len(one.decisive) - 1
        for size in range(smallest + 1):
            for missing in combinations(names, size):
                result, lead = oracle.label_without(place, frozenset(missing))
                assert result == label or lead < 2e-4


def test_features_of_transitions_can_be_decisive() -> None:
    """The label depends on the previous label and the word together, not on one of them."""
    words = [["x", "y"], *[["z", "y"]] * 3, ["x", "w"], ["z", "w"]] * 5
    labels = [["A", "P"], *[["B", "Q"]] * 3, ["A", "Q"], ["B", "P"]] * 5
    crf = CRF("word[0]\nlabel[-1] & word[0]", trainer="lbfgs", l2=0.1).fit(words, labels)
    one = explain(crf, Corpus.from_lists(word=[["x", "y"]]))[1]
    assert one.label == "P"
    assert one.contributions[0].feature == "label[-1]&word[0]=y"
    assert one.decisive == ["label[-1]&word[0]=y"]
    first = explain(crf, Corpus.from_lists(word=[["x", "y"]]))[0]
    assert "label[-1]&word[0]=y of y" in {item.feature for item in first.beside}


def test_names_of_transitions() -> None:
    crf = trained(TEMPLATES)
    names: set[str] = set()
    for words in product(WORDS[:4], repeat=3):
        for one in explain(crf, Corpus.from_lists(word=[list(words)])):
            names |= {item.feature for item in one.beside}
    assert {"(start) → A", "A → (end)", "A → B"} <= names


def test_other_labels_per_token() -> None:
    crf = trained(HISTORY)
    words = ["a0", "d", "b0"]
    labels = crf.predict([words])[0]
    other = next(label for label in crf.labels_ if label != labels[1])
    first, second, third = crf.explain(words, instead=[labels[0], other, None])
    assert (first.chosen, second.chosen, third.chosen) == (False, True, False)
    assert second.runner_up == other
    assert f"(rather than {other} " in second.heading
    assert first == crf.explain(words)[0]
    assert third == crf.explain(words)[2]


@pytest.mark.parametrize(
    ("instead", "message"),
    [("X", "instead='X': the labels are A, B, C"), (["A"], "expected a label for each of 2 tokens, got 1")],
)
def test_unknown_labels_are_refused(instead: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        trained(TEMPLATES).explain(["a0", "d"], instead=instead)


@pytest.mark.parametrize("kind", KINDS)
@given(words=sentences)
@settings(deadline=None)
def test_templates_share_the_contributions_of_their_features(kind: str, words: list[str]) -> None:
    for one in explained(kind, words)[2]:
        groups = group_by_template(one.contributions)
        assert len({group.template for group in groups}) == len(groups)
        members = [member for group in groups for member in group.contributions]
        assert sorted(members, key=str) == sorted(one.contributions, key=str)
        assert all(member.feature.startswith(f"{group.template}=") for group in groups for member in group.contributions)
        sizes = [abs(sum(member.difference for member in group.contributions)) for group in groups]
        assert sizes == sorted(sizes, reverse=True)


def test_an_explanation_has_plain_python_numbers() -> None:
    reported: Any = explain(trained(HISTORY), Corpus.from_lists(word=[["a0", "d", "b0", "d"]]))
    assert all(type(item.difference) is float for one in reported for item in one.contributions + one.beside)
