"""Dictionaries with the keys of seqeval and Evaluate, against seqeval."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import accuracy_score, classification_report

import tagpool
from tagpool.evaluation.scores import score

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
PAIRS = st.lists(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=9), min_size=1, max_size=4)


def evaluate_seqeval(gold: list[list[str]], predicted: list[list[str]]) -> dict[str, Any]:
    """The dictionary that ``evaluate.load("seqeval").compute`` returns."""
    report = classification_report(gold, predicted, output_dict=True, zero_division=0)
    report.pop("macro avg")
    report.pop("weighted avg")
    overall = report.pop("micro avg")
    scores: dict[str, Any] = {
        name: {"precision": one["precision"], "recall": one["recall"], "f1": one["f1-score"], "number": one["support"]}
        for name, one in report.items()
    }
    for rate, key in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
        scores[f"overall_{rate}"] = overall[key]
    return scores | {"overall_accuracy": accuracy_score(gold, predicted)}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return one == pytest.approx(float(other))


@pytest.mark.filterwarnings("ignore")  # of seqeval, for types without predictions
@given(PAIRS)
def test_dictionaries_are_those_of_the_libraries(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = ([[pair[side] for pair in row] for row in pairs] for side in (0, 1))
    if not any(label != "O" for row in gold + predicted for label in row):
        return  # seqeval has no report without spans
    result = score(gold, predicted, plain=False)
    assert same(result.to_seqeval(), classification_report(gold, predicted, output_dict=True, zero_division=0))
    assert same(result.to_evaluate(), evaluate_seqeval(gold, predicted))


def test_without_spans() -> None:
    assert score([["O"]], [["O"]]).to_evaluate()["overall_f1"] == 0
    assert score([["O"]], [["O"]]).to_seqeval()["macro avg"] == {"precision": 0, "recall": 0, "f1-score": 0, "support": 0}
    assert tagpool.score([["NN"]], [["NN"]]).to_evaluate()["NN"]["number"] == 1
