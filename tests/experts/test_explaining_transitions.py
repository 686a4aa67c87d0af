"""What explain says of chains that look two labels back, or at features of transitions: against weights added up by name."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import CRF, SGD, Corpus
from tagpool.experts.inside.explanation import TokenExplanation, explain
from tagpool.experts.linear.lattices import state_labels

TEMPLATES = "word[0]\nsuffix(word, 1)[0]\nbias[0]"
HISTORY = TEMPLATES + "\nlabel[-1] & word[0]\nlabel[-1] & word[-1]"
KINDS = [(1, HISTORY), (2, TEMPLATES), (2, HISTORY)]
WORDS = ["a0", "b0", "c1", "a1", "d", "zz"]
NUMBERS = {"A": 0, "B": 1, "C": 2}


@cache
def trained(order: int, templates: str) -> CRF:
    """C never follows B, and a B after an A is mostly followed by an A: some sequences cannot be, some trigrams weigh much."""
    random = np.random.default_rng(7)
    sentences, labels = [], []
    for _ in range(60):
        y = [random.integers(0, 3)]
        while len(y) < 5:
            choices = [0, 1] if y[-1] == 1 else [0, 1, 2]
            y.append(0 if y[-2:] == [0, 1] and random.random() < 0.8 else random.choice(choices))
        labels.append(["ABC"[each] for each in y])
        sentences.append([f"{'abc'[each]}{random.integers(0, 2)}" if random.random() < 0.7 else "d" for each in y])
    return CRF(templates, order=order, trainer=SGD(epochs=4), l2=0.3).fit(sentences, labels)


class Oracle:
    """A sentence's features and all weights by name: scores of label sequences are sums of what they meet."""

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
        self.pairs = [tuple(each) for each in model.states().reshape(-1, 2).tolist()]
        self.trigrams: dict[tuple[int, int, int], float] = {}
        rows = [(-1, label) for label in range(count)] + self.pairs
        for (a, b), row in zip(rows, model.trigrams().reshape(-1, count).tolist(), strict=self.pairs != []):
            self.trigrams |= {(a, b, c): weight for c, weight in enumerate(row)}

    def score(self, y: tuple[int, ...], place: int = -1, missing: frozenset[str] = frozenset()) -> float:
        """Of a label sequence, without some features of a token; -inf if it cannot be."""
        total = self.edges[-2][y[0]] + self.edges[-1][y[-1]]
        for t, label in enumerate(y):
            gone = missing if t == place else frozenset()
            total += sum(self.weights[n][label] * value for n, value in self.features[t] if n not in gone)
            if t == 0:
                continue
            pair = (y[t - 1], label)
            if self.pairs and pair not in self.pairs:
                return -np.inf
            total += self.edges[y[t - 1]][label]
            total += sum(self.step_weights[n].get(pair, 0.0) * value for n, value in self.steps[t] if n not in gone)
            if self.pairs:
                total += self.trigrams[y[t - 2] if t > 1 else -1, y[t - 1], label]
        return total

    def label_without(self, place: int, missing: frozenset[str]) -> tuple[int, float]:
        """The label of a token without some of its features, and its lead over all others."""
        best: dict[int, float] = {}
        for y in product(range(len(self.labels)), repeat=len(self.features)):
            best[y[place]] = max(best.get(y[place], -np.inf), self.score(y, place, missing))
        first, *others = sorted(best, key=lambda label: -best[label])
        return first, best[first] - max(best[other] for other in others)

    def names(self, place: int) -> list[str]:
        """Those of a token's features."""
        return [n for n, _ in self.features[place] + self.steps[place]]


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


def explained(kind: tuple[int, str], words: list[str]) -> tuple[CRF, Oracle, list[TokenExplanation]]:
    crf = trained(*kind)
    return crf, Oracle(crf, words), explain(crf, Corpus.from_lists(word=[words]))


@pytest.mark.parametrize("kind", KINDS)
@given(words=sentences)
@settings(deadline=None)
def test_differences_add_up_to_that_of_two_sequences(kind: tuple[int, str], words: list[str]) -> None:
    crf, oracle, told = explained(kind, words)
    best = tuple(crf.labels_.index(one.label) for one in told)
    scores = {y: oracle.score(y) for y in product(range(3), repeat=len(words))}
    assert scores[best] == pytest.approx(max(scores.values()), abs=1e-4)
    assert [one.label for one in told] == crf.predict([words])[0]
    probabilities = {y: np.exp(score - max(scores.values())) for y, score in scores.items()}
    total = sum(probabilities.values())
    for place, one in enumerate(told):
        runner_up = crf.labels_.index(one.runner_up)
        for label, found in ((best[place], one.probability), (runner_up, one.runner_up_probability)):
            mass = sum(p for y, p in probabilities.items() if y[place] == label)
            assert found == pytest.approx(mass / total, abs=1e-5)
        # The runner-up in this place, and the rest as it is if that may be, else as it is best.
        other = (*best[:place], runner_up, *best[place + 1 :])
        if scores[other] == -np.inf:
            other = max((y for y in scores if y[place] == runner_up), key=lambda y: scores[y])
        if scores[other] == -np.inf:
            assert one.transitions is None
            continue
        lead = scores[best] - scores[other]
        assert one.transitions == pytest.approx(sum(each.difference for each in one.beside), abs=1e-6)
        assert sum(each.difference for each in one.contributions) + one.transitions == pytest.approx(lead, abs=1e-4)
        without = oracle.score(best, place, frozenset(oracle.names(place)))
        assert sum(each.score for each in one.contributions) == pytest.approx(scores[best] - without, abs=1e-4)
        assert one.feature_count == len(oracle.names(place))


@pytest.mark.parametrize("kind", KINDS)
@given(words=sentences)
@settings(max_examples=40, deadline=None)
def test_decisive_features_decide_and_no_fewer_do(kind: tuple[int, str], words: list[str]) -> None:
    crf, oracle, told = explained(kind, words)
    for place, one in enumerate(told):
        label, names = crf.labels_.index(one.label), oracle.names(place)
        if one.decisive is not None:
            found, _ = oracle.label_without(place, frozenset(one.decisive))
            assert crf.labels_[found] == one.instead != one.label
        smallest = len(names) if one.decisive is None else len(one.decisive) - 1
        for size in range(smallest + 1):
            for missing in combinations(names, size):
                found, lead = oracle.label_without(place, frozenset(missing))
                assert found == label or lead < 2e-4


def test_features_of_transitions_can_be_decisive() -> None:
    """The label before and the word together say what neither says alone."""
    words = [["x", "y"], *[["z", "y"]] * 3, ["x", "w"], ["z", "w"]] * 5
    labels = [["A", "P"], *[["B", "Q"]] * 3, ["A", "Q"], ["B", "P"]] * 5
    crf = CRF("word[0]\nlabel[-1] & word[0]", trainer="lbfgs", l2=0.1).fit(words, labels)
    one = explain(crf, Corpus.from_lists(word=[["x", "y"]]))[1]
    assert one.label == "P"
    assert one.contributions[0].feature == "label[-1]&word[0]=y"
    assert one.decisive == ["label[-1]&word[0]=y"]
    first = explain(crf, Corpus.from_lists(word=[["x", "y"]]))[0]
    assert "label[-1]&word[0]=y of y" in {each.feature for each in first.beside}


def test_a_label_without_rivals() -> None:
    """Only an A can follow an A or a B."""
    crf = CRF("word[0]", order=2, trainer="lbfgs").fit([["a", "b"], ["c", "b"]] * 3, [["A", "A"], ["B", "A"]] * 3)
    one = explain(crf, Corpus.from_lists(word=[["c", "c"]]))[1]
    assert (one.label, one.probability, one.transitions, one.decisive) == ("A", pytest.approx(1.0), None, None)


def test_names_of_steps_and_trigrams() -> None:
    crf = trained(2, TEMPLATES)
    found: set[str] = set()
    for words in product(WORDS[:4], repeat=3):
        for one in explain(crf, Corpus.from_lists(word=[list(words)])):
            found |= {each.feature for each in one.beside}
    assert {"(start) → A", "A → (end)", "(start) A → B", "A B → A", "A → B"} <= found


def test_a_sentence_as_the_tagger_reads_it() -> None:
    """Best labels are those of the lattice's states; the explanation is of plain Python numbers."""
    crf = trained(2, HISTORY)
    words = ["a0", "d", "b0", "d"]
    (lattice,) = crf.lattices([words])
    best = [crf.labels_[state_labels(crf)[state]] for state in lattice.best().labels]
    told: list[Any] = explain(crf, Corpus.from_lists(word=[words]))
    assert [one.label for one in told] == best
    assert all(type(each.difference) is float for one in told for each in one.contributions + one.beside)
