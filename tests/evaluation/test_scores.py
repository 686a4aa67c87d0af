"""Scores: worked out by hand, by relations that must hold, and against seqeval.

seqeval 1.2.2 in its default mode reads spans as conlleval does, and its counts are equal on IOB1, BIO2 and BIOES labels
with types, valid or not. It disagrees, as the tests at the end show:

- a label's first character is its letter whatever follows: the parts of speech ``IN`` and ``EX`` become spans;
- ``L`` and ``U`` (BILOU) have no rules, as in the conlleval of 2004: ``U-X U-X`` is one span;
- a bare label (``B``) has the type ``_``, here it is empty;
- with ``mode="strict"`` and a scheme, an ``I`` that starts a span is no span at all, which conlleval never does.
"""

from __future__ import annotations

import gzip
import json
import random
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import accuracy_score, f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2

from tagpool.corpus.schemes import spans
from tagpool.errors import InputError
from tagpool.evaluation.scores import Score, score

Pair = tuple[list[list[str]], list[list[str]]]
LABELS = ["O"] + [f"{letter}-{kind}" for letter in "BIES" for kind in ("X", "Y")]


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    label = st.sampled_from(LABELS)
    gold = draw(st.lists(st.lists(label, min_size=1, max_size=6), min_size=1, max_size=4))
    predicted = [[draw(st.one_of(st.just(one), label)) for one in labels] for labels in gold]
    return gold, predicted


def rates_of(result: Score) -> tuple[float, float, float, float]:
    return result.precision, result.recall, result.f1, result.accuracy


def test_scores_by_hand() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"], []]
    predicted = [["B-PER", "I-PER", "O", "O"], ["B-ORG", "B-LOC"], []]
    result = score(gold, predicted)
    # gold: PER, LOC, LOC; predicted: PER, ORG, LOC; in both: PER, the second LOC; 4 of 6 tokens right
    assert (result.correct, result.predicted, result.gold) == (2, 3, 3)
    assert rates_of(result) == pytest.approx((2 / 3, 2 / 3, 2 / 3, 4 / 6))
    assert (result.tokens, result.sentences, result.plain) == (6, 3, False)
    assert list(result.types) == ["LOC", "ORG", "PER"]
    location, organisation = result.types["LOC"], result.types["ORG"]
    assert (location.precision, location.recall, location.gold) == (1.0, 0.5, 2)
    assert location.f1 == pytest.approx(2 / 3)
    # nothing to find: recall is 0; nothing right: F1 is 0
    assert (organisation.precision, organisation.recall, organisation.f1) == (0.0, 0.0, 0.0)
    assert (organisation.gold, organisation.predicted, organisation.correct) == (0, 1, 0)


def test_dictionary_is_json_with_the_agreed_keys() -> None:
    result = score([["B-X", "O"]], [["B-X", "B-Y"]], draws=50)
    data = json.loads(json.dumps(result.to_dict()))
    assert set(data) == {"precision", "recall", "f1", "accuracy", "types", "tokens", "sentences", "intervals"}
    assert set(data["intervals"]) == {"precision", "recall", "f1", "accuracy"}
    assert data["intervals"]["f1"] == list(result.intervals["f1"])
    assert set(data["types"]["Y"]) == {"precision", "recall", "f1", "gold", "predicted", "correct"}
    assert data["accuracy"] == 0.5
    assert score([["O"]], [["O"]]).to_dict()["intervals"] == {}


def test_plain_labels_are_scored_by_token() -> None:
    gold, predicted = [["DT", "NN", "VB"], ["NN"]], [["DT", "NN", "NN"], ["NN"]]
    result = score(gold, predicted)
    assert result.plain
    assert rates_of(result) == (0.75, 0.75, 0.75, 0.75)
    assert result.only_accuracy
    noun = result.types["NN"]
    assert (noun.correct, noun.predicted, noun.gold) == (2, 3, 2)
    assert result.types["VB"].f1 == 0.0


def test_plain_can_be_forced_and_forbidden() -> None:
    gold, predicted = [["B-X", "I-X", "O"]], [["B-X", "O", "O"]]
    assert score(gold, predicted).f1 == 0.0
    forced = score(gold, predicted, plain=True)
    assert (forced.precision, forced.recall) == (1.0, 0.5)  # conlleval -r: O is no chunk
    assert set(forced.types) == {"B-X", "I-X"}
    assert score([["NN"]], [["NN"]], plain=False).gold == 0


def test_outside_label_of_plain_labels() -> None:
    gold, predicted = [["PER", "O", "O"]], [["PER", "PER", "O"]]
    result = score(gold, predicted)
    assert (result.precision, result.recall) == (0.5, 1.0)
    assert not result.only_accuracy
    everything = score(gold, predicted, outside=None)
    assert everything.precision == everything.recall == everything.f1 == everything.accuracy == pytest.approx(2 / 3)
    assert score(gold, predicted, outside="PER").types.keys() == {"O"}


def test_nothing_at_all() -> None:
    for empty in ([], [[]]):
        assert rates_of(score(empty, empty)) == (0.0, 0.0, 0.0, 0.0)
    assert rates_of(score([["O"]], [["O"]])) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sentence 2: expected 2 predicted labels, as in gold, got 1"),
        ([["O"]], [["O"], ["O"]], "expected predicted labels for 1 sentence, as in gold, got 2 sentences"),
        (["O"], ["O"], "sentence 1: expected a list of gold labels for each sentence, got the string 'O'"),
        ([["O"]], ["O"], "sentence 1: expected a list of predicted labels for each sentence, got the string 'O'"),
    ],
)
def test_lengths_that_differ(gold: list[list[str]], predicted: list[list[str]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        score(gold, predicted)
    assert str(caught.value).startswith(message)


@given(pairs())
def test_gold_against_itself_is_perfect(pair: Pair) -> None:
    result = score(pair[0], pair[0])
    expected = 1.0 if any(spans(labels) for labels in pair[0]) else 0.0
    assert rates_of(result) == (expected, expected, expected, 1.0)


@given(pairs())
def test_swapping_the_sides_swaps_precision_and_recall(pair: Pair) -> None:
    one, other = score(*pair), score(pair[1], pair[0])
    assert (one.precision, one.recall, one.f1) == (other.recall, other.precision, other.f1)
    assert one.accuracy == other.accuracy


@given(pairs(), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(pair: Pair, shuffler: random.Random) -> None:
    order = list(range(len(pair[0])))
    shuffler.shuffle(order)
    shuffled = score([pair[0][i] for i in order], [pair[1][i] for i in order])
    assert shuffled == score(*pair)


@given(pairs())
def test_types_sum_up_to_the_total(pair: Pair) -> None:
    result = score(*pair)
    for name in ("correct", "predicted", "gold"):
        assert sum(getattr(one, name) for one in result.types.values()) == getattr(result, name)


@given(pairs())
def test_seqeval_agrees_in_its_default_mode(pair: Pair) -> None:
    gold, predicted = pair
    result = score(gold, predicted, plain=False)
    for ours, theirs in (
        (result.precision, precision_score(gold, predicted, zero_division=0)),
        (result.recall, recall_score(gold, predicted, zero_division=0)),
        (result.f1, f1_score(gold, predicted, zero_division=0)),
        (result.accuracy, accuracy_score(gold, predicted)),
    ):
        assert ours == pytest.approx(theirs)


def test_seqeval_takes_parts_of_speech_for_spans() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns, and counts nevertheless
        assert get_entities(["IN", "DT", "EX"]) == [("N", 0, 0), ("T", 1, 1), ("X", 2, 2)]
    assert spans(["IN", "DT", "EX"]) == []


def test_seqeval_has_no_rules_for_bilou() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert get_entities(["U-X", "U-X"]) == [("X", 0, 1)]
    assert spans(["U-X", "U-X"]) == [(0, 1, "X"), (1, 2, "X")]


def test_seqeval_names_bare_labels() -> None:
    assert get_entities(["B", "I"]) == [("_", 0, 1)]
    assert spans(["B", "I"]) == [(0, 2, "")]


def test_seqeval_in_strict_mode_drops_spans_that_conlleval_reads() -> None:
    gold, predicted = [["B-X", "I-X", "O", "B-X"]], [["I-X", "I-X", "O", "B-X"]]
    assert f1_score(gold, predicted, mode="strict", scheme=IOB2) == pytest.approx(2 / 3)
    assert f1_score(gold, predicted) == 1.0
    assert score(gold, predicted).f1 == 1.0


def test_conll2000_test_against_seqeval_with_noise(real_data: Path) -> None:
    with gzip.open(real_data / "conll2000/test.txt.gz", "rt", encoding="utf-8") as lines:
        gold = [[line.split()[-1] for line in block.splitlines()] for block in lines.read().strip().split("\n\n")]
    labels = sorted({label for labels in gold for label in labels})
    draw = random.Random(1)
    predicted = [[draw.choice(labels) if draw.random() < 0.1 else label for label in labels_] for labels_ in gold]
    result = score(gold, predicted)
    assert (result.gold, result.tokens, result.sentences) == (23_852, 47_377, 2_012)
    assert 0.5 < result.f1 < 0.95
    assert result.f1 == pytest.approx(f1_score(gold, predicted))
    assert result.precision == pytest.approx(precision_score(gold, predicted))
