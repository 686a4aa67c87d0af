"""Figures equal slow counts of the same, and the scores of tagpool.score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import Corpus, score
from tagpool.corpus.schemes import spans
from tagpool.report.figures import NOTHING, Draws, Evaluation, compare
from tagpool.report.systems import System, from_rows

DRAWS = Draws(100, 1)
LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
TOKENS = st.tuples(st.sampled_from("abc"), LABELS, LABELS, st.floats(0, 1))
SENTENCES = st.lists(st.lists(TOKENS, max_size=6), min_size=1, max_size=5)


def evaluate(sentences: list[list[tuple[str, str, str, float]]]) -> Evaluation | None:
    words, gold, predicted, values = ([[token[at] for token in sentence] for sentence in sentences] for at in range(4))
    if not any(words) or all(label == "O" for rows in (gold, predicted) for row in rows for label in row):
        return None
    corpus = Corpus.from_lists(word=words, label=gold)
    return Evaluation(corpus, System("a", predicted, values), plain=False, draws=DRAWS)


@given(SENTENCES)
def test_groups_and_errors_add_up_to_the_score(sentences: list[list[tuple[str, str, str, float]]]) -> None:
    one = evaluate(sentences)
    if one is None:
        return
    expected = score(one.gold, one.system.labels, plain=False)
    train = Corpus.from_lists(word=[["a", "b"]], label=[["B-X", "O"]])
    for groups in (one.by_length(), one.by_type(), one.by_frequency(train)):
        for name in ("gold", "predicted", "correct"):
            assert sum(group[name] for group in groups) == getattr(expected, name)
    errors = one.error_counts()
    assert sum(errors.values()) - errors["spurious"] == expected.gold - expected.correct
    assert sum(errors.values()) - errors["missed"] == expected.predicted - expected.correct
    confusion = one.confusion()
    counts = np.array(confusion["counts"])
    names = confusion["types"]
    assert counts.sum() == expected.correct + sum(errors.values())
    for name, row in zip(names, counts, strict=True):
        if name != NOTHING:
            assert row.sum() == expected.types[name].gold


@given(SENTENCES)
def test_confidences_are_those_of_a_loop(sentences: list[list[tuple[str, str, str, float]]]) -> None:
    one = evaluate(sentences)
    if one is None or not len(one.counts.predicted):
        return
    assert one.system.probabilities is not None
    expected = []
    for gold, predicted, values in zip(one.gold, one.system.labels, one.system.probabilities, strict=True):
        right = set(spans(gold))
        expected += [(min(values[span.start : span.end]), span in right) for span in spans(predicted)]
    confidence, correct = one.confidences() or ((), ())
    assert list(zip(confidence, correct, strict=True)) == expected
    calibration, coverage = one.calibration(), one.coverage()
    assert calibration is not None
    assert coverage is not None
    assert sum(row[2] for row in calibration["bins"]) == len(expected)
    gap = sum(row[2] * abs(row[0] - row[1]) for row in calibration["bins"]) / len(expected)
    assert calibration["ece"] == pytest.approx(gap)
    assert coverage[-1][1:] == [1.0, pytest.approx(one.score.precision)]
    lowest = [row[0] for row in coverage]
    assert lowest == sorted(lowest, reverse=True)
    for low, share, precision in coverage:
        chosen = [is_right for value, is_right in expected if value >= low]
        assert share == pytest.approx(len(chosen) / len(expected))
        assert precision == pytest.approx(sum(chosen) / len(chosen))


def test_training_frequency_counts_spans_of_the_same_text() -> None:
    train = Corpus.from_lists(word=[["New", "York"], ["York"], ["York"]], label=[["B-L", "I-L"], ["O"], ["B-L"]])
    corpus = Corpus.from_lists(word=[["New", "York", "York", "Oslo"]], label=[["B-L", "I-L", "B-L", "B-L"]])
    one = Evaluation(corpus, from_rows("a", corpus, [["B-L", "I-L", "O", "O"]]), plain=False, draws=DRAWS)
    assert [(row["name"], row["gold"], row["correct"]) for row in one.by_frequency(train)] == [("never", 1, 0), ("once", 2, 1)]


def test_plain_labels_are_compared_by_token() -> None:
    corpus = Corpus.from_lists(word=[["a", "b", "c"]], label=[["DT", "NN", "VB"]])
    one = Evaluation(corpus, from_rows("a", corpus, [["DT", "VB", "VB"]]), plain=True, draws=DRAWS)
    other = Evaluation(corpus, from_rows("b", corpus, [["DT", "NN", "VB"]]), plain=True, draws=DRAWS)
    assert one.error_counts() == {"missed": 0, "spurious": 0, "boundary": 0, "type": 1, "both": 0}
    assert compare(one, other)["difference"] == pytest.approx(-1 / 3)
    assert compare(one, other)["tokens_right_only_there"] == 1


def test_many_types_show_those_with_errors() -> None:
    kinds = [f"T{number}" for number in range(30)]
    corpus = Corpus.from_lists(word=[["a"]] * 30, label=[[f"B-{kind}"] for kind in kinds])
    predicted = [[f"B-{kind}"] for kind in [*kinds[:28], "T29", "T28"]]
    confusion = Evaluation(corpus, from_rows("a", corpus, predicted), plain=False, draws=DRAWS).confusion()
    assert {"T28", "T29"} <= set(confusion["types"])
    assert len(confusion["types"]) + confusion["left_out"] == 30
