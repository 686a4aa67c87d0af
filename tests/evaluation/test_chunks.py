"""Chunk counts against a transcription of conlleval (tests/oracles/conlleval.py) and counts worked out by hand.

Where BIOES and BILOU differ from the conlleval of 2004 (version 2004-01-26), which only knows the letters B, I, O, E:

- ``E-X B-X``: 2004 has no rule for B after E, so the two spans are one; here E ends its span.
- ``S-X`` is to 2004 a letter without rules: only a change of type separates it from its neighbours, so that
  ``S-X S-X`` and ``B-X S-X`` are one span each, and a bare ``S`` is not a span; here S is always a span of its own.
- ``L`` and ``U`` have no rules in 2004 either; here they are E and S.
- An unknown label is a span to 2004 if it has a hyphen and its type differs from the one before (``-X-``), and a bare
  one goes on with a bare span (``B NN``); here it is outside.

So the two agree on valid BIOES with types in which no two spans of a type touch, and always on IOB1 and BIO2. Later
versions of conlleval with rules for S (``rules="bioes"`` of the oracle) agree with tagpool on all mixtures.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.conlleval import conlleval

from tagpool.corpus.schemes import Span, spans, to_labels
from tagpool.evaluation.alignment import align
from tagpool.evaluation.chunks import count_chunks, rates, ratio

Pair = tuple[list[list[str]], list[list[str]]]


def labels_of(letters: str, types: tuple[str, ...] = ("", "X", "Y", "X-z")) -> list[str]:
    return ["O"] + [f"{letter}-{kind}" if kind else letter for letter in letters for kind in types]


@st.composite
def pairs(draw: st.DrawFn, letters: str, extra: tuple[str, ...] = ()) -> Pair:
    """Gold and predicted sequences of equal lengths; half of the predicted labels are copied from gold."""
    label = st.sampled_from([*labels_of(letters), *extra])
    gold = draw(st.lists(st.lists(label, max_size=8), max_size=4))
    predicted = [[draw(st.one_of(st.just(one), label)) for one in labels] for labels in gold]
    return gold, predicted


@st.composite
def apart_spans(draw: st.DrawFn) -> list[Span]:
    """Spans with types; those that touch have different ones."""
    result: list[Span] = []
    for gap, size, kind in draw(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3), st.sampled_from("XYZ")), max_size=4)):
        start = result[-1].end + gap if result else gap
        if not (result and gap == 0 and result[-1].type == kind):
            result.append(Span(start, start + size, kind))
    return result


def ours(pair: Pair) -> tuple[dict[str, int], dict[str, int], dict[str, int], int, int]:
    """Correct, predicted and gold chunks by type, right tokens, tokens."""
    counts = count_chunks(align(*pair), plain=False)
    columns = counts.by_type().T.tolist()
    tables = [{kind: n for kind, n in zip(counts.types, column, strict=True) if n} for column in columns]
    return tables[0], tables[1], tables[2], int(counts.alignment.right.sum()), counts.alignment.tokens


def oracle(pair: Pair, rules: str) -> tuple[dict[str, int], dict[str, int], dict[str, int], int, int]:
    counts = conlleval(*pair, rules=rules)
    return dict(counts.correct), dict(counts.guessed), dict(counts.gold), counts.right_tokens, counts.tokens


# gold / predicted / correct, predicted, gold chunks, right tokens: worked out by hand with conlleval's rules
BY_HAND = [
    ("B-X I-X O", "B-X I-X O", 1, 1, 1, 3),
    ("B-X I-X O", "I-X I-X O", 1, 1, 1, 2),  # the letters differ, the spans do not
    ("O O B-X", "O I-X I-X", 0, 1, 1, 1),  # I after O starts: [1,3) against [2,3)
    ("B-X I-X", "B-X I-Y", 0, 2, 1, 1),  # X[0,1) Y[1,2) against X[0,2)
    ("B-X I-Y", "B-X B-Y", 2, 2, 2, 1),
    ("I-X I-Y I-Y", "I-X B-Y I-X", 1, 3, 2, 1),  # X[0,1) Y[1,3) against X[0,1) Y[1,2) X[2,3)
    ("B-X I-X", "B-X B-X", 0, 2, 1, 1),
    ("I-X B-X", "I-X I-X", 0, 1, 2, 1),
    ("B-Y I-X", "I-X I-X", 0, 1, 2, 1),  # Y[0,1) X[1,2) against X[0,2)
    ("B-X", "B-Y", 0, 1, 1, 0),
    ("B-X", "O", 0, 0, 1, 0),
    ("O", "I-X", 0, 1, 0, 0),
    ("O", "O", 0, 0, 0, 1),
    ("", "", 0, 0, 0, 0),
    ("B-X / I-X", "B-X / I-X", 2, 2, 2, 2),  # a sentence boundary ends a span
    ("B-X / / I-X I-X", "B-X / / I-X B-X", 1, 3, 2, 2),  # with an empty sentence between
    ("B-X-1 I-X-1", "B-X-1 I-X-2", 0, 2, 1, 1),
    ("B I O", "I I O", 1, 1, 1, 2),
]
# the same for E and S (later versions), which the version of 2004 counts otherwise where noted in the module's text
BY_HAND_BIOES = [
    ("B-X E-X", "B-X I-X", 1, 1, 1, 1),
    ("B-X E-X B-X E-X", "B-X I-X I-X E-X", 0, 1, 2, 2),
    ("S-X S-X", "S-X S-X", 2, 2, 2, 2),
    ("S-X S-X", "B-X E-X", 0, 1, 2, 0),
    ("E-X E-X", "I-X B-X", 2, 2, 2, 0),
    ("S-X O", "U-X O", 1, 1, 1, 2),  # L is E and U is S to the oracle, also as tokens
    ("B-X L-X I-X", "B-X E-X I-Y", 1, 2, 2, 2),
]


def sentences(text: str) -> list[list[str]]:
    return [sentence.split() for sentence in text.split("/")]


@pytest.mark.parametrize(("gold", "predicted", "correct", "found", "wanted", "right"), BY_HAND)
def test_counts_by_hand(gold: str, predicted: str, correct: int, found: int, wanted: int, right: int) -> None:
    pair = sentences(gold), sentences(predicted)
    for counts in (ours(pair), oracle(pair, "2004"), oracle(pair, "bioes")):
        assert [sum(table.values()) for table in counts[:3]] == [correct, found, wanted]
        assert counts[3] == right


@pytest.mark.parametrize(("gold", "predicted", "correct", "found", "wanted", "right"), BY_HAND_BIOES)
def test_bioes_counts_by_hand(gold: str, predicted: str, correct: int, found: int, wanted: int, right: int) -> None:
    pair = sentences(gold), sentences(predicted)
    for counts in (ours(pair), oracle(pair, "bioes")):
        assert [sum(table.values()) for table in counts[:3]] == [correct, found, wanted]
    assert oracle(pair, "bioes")[3] == right


@given(pairs("BI"))
def test_equal_to_conlleval_of_2004_on_iob1_and_bio2_letters(pair: Pair) -> None:
    assert ours(pair) == oracle(pair, "2004") == oracle(pair, "bioes")


@given(pairs("BIES"))
def test_equal_to_later_conlleval_on_bioes_letters(pair: Pair) -> None:
    assert ours(pair) == oracle(pair, "bioes")


@given(st.lists(st.tuples(apart_spans(), apart_spans()), max_size=3))
def test_equal_to_conlleval_of_2004_on_valid_bioes_without_touching_spans(
    drawn: list[tuple[list[Span], list[Span]]],
) -> None:
    sides: Pair = ([], [])
    for both in drawn:
        length = max([0, *(span.end for result in both for span in result)])
        for side, result in zip(sides, both, strict=True):
            side.append(to_labels(result, length, "bioes"))
    assert ours(sides) == oracle(sides, "2004")


@given(pairs("BIESLU"))
def test_chunks_of_all_mixtures_are_those_of_later_conlleval(pair: Pair) -> None:
    assert ours(pair)[:3] == oracle(pair, "bioes")[:3]  # tokens differ: the oracle takes L for E


@given(pairs("BIESLU", extra=("NN", "-X-", "O-X", "B-")))
def test_chunks_are_the_spans_of_schemes(pair: Pair) -> None:
    alignment = align(*pair)
    counts = count_chunks(alignment, plain=False)
    result: dict[str, list[set[tuple[int, int, str]]]] = {"gold": [], "predicted": [], "correct": []}
    for name, chunks in (("gold", counts.gold), ("predicted", counts.predicted), ("correct", counts.correct)):
        for begin, end in zip(alignment.offsets[:-1], alignment.offsets[1:], strict=True):
            rows = zip(chunks.starts - begin, chunks.ends - begin, chunks.types, strict=True)
            result[name].append({(int(s), int(e), counts.types[t]) for s, e, t in rows if s >= 0 and e <= end - begin})
    expected = [[set(spans(labels)) for labels in side] for side in pair]
    assert result["gold"] == expected[0]
    assert result["predicted"] == expected[1]
    assert result["correct"] == [one & other for one, other in zip(*expected, strict=True)]
    assert len(counts.gold) == sum(map(len, expected[0]))
    table = [[len(one & other), len(other), len(one)] for one, other in zip(*expected, strict=True)]
    assert counts.by_sentence().tolist() == table
    assert (counts.by_type().sum(axis=0) == np.sum(table, axis=0)).all()


@pytest.mark.parametrize(
    ("labels", "ours_count", "count_2004"),
    [
        ("B-X E-X B-X E-X", 2, 1),
        ("S-X S-X", 2, 1),
        ("B-X S-X", 2, 1),
        ("S", 1, 0),
        ("U-X U-X", 2, 1),
        ("B-X L-X B-X", 2, 1),
        ("-X- O", 0, 1),
        ("B NN I", 2, 1),
        ("B-X E-X O S-X", 2, 2),
        ("B-X E-X S-Y B-X I-X E-X", 3, 3),
    ],
)
def test_where_conlleval_of_2004_differs(labels: str, ours_count: int, count_2004: int) -> None:
    pair = [labels.split()], [labels.split()]
    assert sum(ours(pair)[2].values()) == ours_count
    assert sum(oracle(pair, "2004")[2].values()) == count_2004


@given(st.data())
def test_plain_counts_are_those_of_conlleval_r(data: st.DataObject) -> None:
    pair = data.draw(pairs("BI", extra=("NN", "VB")))
    counts = count_chunks(align(*pair), plain=True)
    expected = conlleval(*pair, raw=True)
    by_type = dict(zip(counts.types, counts.by_type().tolist(), strict=True))
    assert by_type == {
        kind: [expected.correct[kind], expected.guessed[kind], expected.gold[kind]]
        for kind in expected.guessed.keys() | expected.gold.keys()
    }


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_rates_are_conllevals(correct: int, more_predicted: int, more_gold: int) -> None:
    predicted, gold = correct + more_predicted, correct + more_gold
    precision = correct / predicted if predicted else 0.0
    recall = correct / gold if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert [float(rate) for rate in rates(correct, predicted, gold)] == pytest.approx([precision, recall, f1])


def test_zero_divided_by_zero_is_zero() -> None:
    memory = np.full(1000, 7.0)
    del memory  # the next array of this size would contain its numbers
    assert not ratio(np.zeros(1000), np.zeros(1000)).any()
    assert ratio(0, 0) == 0
    assert ratio(1, 4) == 0.25
    assert ratio(np.array([1, 2, 3]), 2).tolist() == [0.5, 1.0, 1.5]


def test_types_are_those_of_chunks() -> None:
    labels = [["O", "B-Y", "O", "B-X"]]
    assert count_chunks(align(labels, labels)).types == ("Y", "X")
    assert count_chunks(align(labels, labels), plain=True).types == ("B-Y", "B-X")
