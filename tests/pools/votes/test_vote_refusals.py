"""Input that a vote pool refuses, with its messages."""

from __future__ import annotations

import pytest

from tagpool import Automaton, Corpus, InputError, VotePool

GOLD = [["a", "b"], ["b", "a"], ["a", "a"]]
OTHER = [["a", "a"], ["b", "b"], ["b", "a"]]
EXPERTS = {"one": GOLD, "two": OTHER}


def refused(match, **parameters):
    with pytest.raises(InputError, match=match):
        VotePool(**parameters).fit(EXPERTS, GOLD)


@pytest.mark.parametrize("beta", [0, 1, -0.5, 1.5, float("nan"), [], "best", [0.5, 2]])
def test_beta_is_between_0_and_1(beta):
    refused("beta=.*expected ", beta=beta)


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"method": "magic"}, "method='magic'.: expected 'mvote', 'rand'"),
        ({"delta": 0}, "delta=0.: expected a number above 0"),
        ({"epsilon": -1.0}, "epsilon=-1.0.: expected a number above 0"),
        ({"rounds": 0}, "rounds=0.: expected a whole number from 1"),
        ({"online_rounds": 1}, "online_rounds=1.: expected a whole number from 2"),
        ({"seed": -1}, "seed=-1"),
        ({"combine": "mean"}, "combine='mean'.: expected 'product' or 'sum'"),
        ({"lengths": "any"}, "lengths='any'.: expected 'same', 'align' or 'pad'"),
        ({"unknown": "guess"}, "unknown='guess'.: expected 'error' or 'allow'"),
        ({"key": "colour"}, "key='colour'.: expected 'shared', 'position', 'label', 'length'"),
        ({"key": lambda place: 3}, "sentence 1, token 1: expected the key to return text, got 3"),
        ({"loss": "zero"}, "loss='zero'.: expected 'hamming'"),
        ({"loss": 3}, "loss=3.: expected 'hamming'"),
        ({"loss": {"a": -1.0}}, "loss: expected finite numbers of at least 0"),
        ({"loss": lambda gold, label: "much"}, "expected a number, got 'much'"),
        ({"scheme": "bio2", "method": "rand"}, "a scheme needs votes on tokens"),
        ({"scheme": "bio2", "automaton": Automaton.positional(2, 2)}, "expected a scheme or an automaton, got both"),
        ({"key": "label", "automaton": Automaton.positional(2, 2)}, "expected a key or an automaton, got both"),
        ({"automaton": Automaton.positional(2, 1)}, "sentence 1: it has 2 tokens, but the automaton's paths have 1 edge"),
        ({"automaton": Automaton.positional(3, 2)}, "an edge follows expert 2, but the experts are 0 to 1"),
        ({"automaton": Automaton([(0, 1, "me"), (1, 2, "me")])}, "an edge follows expert 'me', but the experts are 'one', 'two'"),
        ({"key": lambda place: "x", "lengths": "align"}, "aligned columns are not tokens"),
    ],
)
def test_invalid_parameters(parameters, match):
    refused(match, **parameters)


@pytest.mark.parametrize(
    ("experts", "gold", "match"),
    [
        ({}, GOLD, "expected two experts or more, got none"),
        ({"one": GOLD}, GOLD, "expected two experts or more, got 1"),
        ({"one": GOLD, "two": GOLD}, GOLD, "all experts give the same label to every token"),
        ({"one": GOLD[:1], "two": OTHER[:1]}, GOLD[:1], "expected two sentences or more, got 1"),
        ({"one": GOLD, "two": OTHER[:2]}, GOLD, "two: expected 3 sentences, as gold has, got 2"),
        ({"one": GOLD, "two": [["a"], *OTHER[1:]]}, GOLD, "two, sentence 1: expected 2 labels, as the others have, got 1"),
        ({"one": GOLD, "two": ["ab", *OTHER[1:]]}, GOLD, "two, sentence 1: expected a list of labels, got 'ab'"),
        ({"one": GOLD, "two": [["a", 3], *OTHER[1:]]}, GOLD, "two, sentence 1, token 2: expected text as a label"),
        ({"one": GOLD, "two": [["a", ["b"]], *OTHER[1:]]}, GOLD, "two: expected text as labels"),
        ({"one": GOLD, "two": [7, 7, 7]}, GOLD, "two, sentence 1: expected a list of labels, got int"),
        ({"one": GOLD, "two": [["X", "Y"]] * 3}, GOLD, "two: none of its labels .'X', 'Y'. is a gold label .'a', 'b'."),
        ({"one": GOLD, "two": OTHER}, [["a", "b"], None, ["a", "a"]], "gold, sentence 2: expected a list of labels"),
        ({"one": GOLD, "two": OTHER}, [[None, None]] * 3, "no token has a gold label"),
        ("words", GOLD, "expected the predictions of several experts"),
        ({"one": "ab", "two": GOLD}, GOLD, "one: expected a label sequence for every sentence, got str"),
        (Corpus.from_lists(word=GOLD), GOLD, "expected the predictions of several experts"),
    ],
)
def test_invalid_predictions(experts, gold, match):
    with pytest.raises(InputError, match=match):
        VotePool().fit(experts, gold)


def test_words_must_fit_the_labels():
    with pytest.raises(InputError, match="words: expected as many words as labels"):
        VotePool().fit(EXPERTS, GOLD, words=[["x"]] * 3)


def test_pooling_needs_the_experts_that_were_fitted():
    pool = VotePool().fit(EXPERTS, GOLD)
    with pytest.raises(InputError, match="expected the experts 'one', 'two', got 'one', 'three'"):
        pool.predict({"one": GOLD, "three": GOLD})
    with pytest.raises(InputError, match="expected the experts"):
        pool.predict([GOLD])
    with pytest.raises(InputError, match="sentence 2: no expert has labels"):
        pool.predict({"one": [["a"], None], "two": [["a"], None]})
    assert pool.predict({"two": [["b", "b"]], "one": [["a", "b"]]}) == pool.predict({"one": [["a", "b"]], "two": [["b", "b"]]})


def test_a_new_label_is_an_error_unless_it_is_allowed():
    asked = {"one": [["a", "c"]], "two": [["a", "c"]]}
    with pytest.raises(InputError, match="one, sentence 1, token 2: unknown label 'c'; the pool was fitted with 'a', 'b'"):
        VotePool().fit(EXPERTS, GOLD).predict(asked)
    assert VotePool(unknown="allow").fit(EXPERTS, GOLD).predict(asked) == [["a", "c"]]


@pytest.mark.parametrize(
    ("edges", "match"),
    [
        ([], "an automaton needs edges"),
        ([(0, 1)], "edge 1: expected .from, to, expert., got"),
        ([(0, 1, 0.5)], "edge 1: expected an expert's name or number"),
        ([([], 1, 0)], "edge 1: expected"),
        ([(0, 1, 0), (1, 2, 0), (2, 1, 0)], "the automaton has a cycle: [12] -> [12] -> [12]"),
        ([(0, 0, 0)], "the automaton has a cycle: 0 -> 0"),
        ([(0, 1, 0), (1, 2, 0), (0, 2, 0)], "state 2 is reached by paths of 1 and of 2 edges"),
        ([(0, 1, 0), (0, 2, 0), (2, 3, 0)], "paths that end in 1 have 1 edge, others 2"),
        ([(0, 1, 0), (5, 1, 0)], "no path leads from the start 0 to state 5"),
    ],
)
def test_invalid_automata(edges, match):
    with pytest.raises(InputError, match=match):
        Automaton(edges)
    with pytest.raises(InputError, match="no edge leaves the start 'nowhere'"):
        Automaton([(0, 1, 0)], start="nowhere")


def test_a_failed_fit_leaves_the_pool_as_it_was():
    pool = VotePool().fit(EXPERTS, GOLD)
    before = pool.predict(EXPERTS)
    with pytest.raises(InputError):
        pool.fit({"one": GOLD}, GOLD)
    assert pool.predict(EXPERTS) == before
