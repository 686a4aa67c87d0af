"""Agreement is compared with the definition, with the package krippendorff, and with the F1 of conlleval."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import krippendorff
import numpy as np
import pytest

from tagpool import InputError, agreement, score
from tagpool.corpus.schemes import spans

LABELS = ["O", "O", "B-PER", "I-PER", "B-LOC", None]


def rows(seed: int, lengths: list[int], labels: list[str | None] = LABELS, missing: float = 0.2) -> list[list[str | None] | None]:
    draw = random.Random(seed)
    return [None if draw.random() < missing else [draw.choice(labels) for _ in range(length)] for length in lengths]


def annotators(count: int = 4, sentences: int = 12) -> dict[str, list[list[str | None] | None]]:
    lengths = [random.Random(number).randint(1, 6) for number in range(sentences)]
    return {f"a{seed}": rows(seed, lengths) for seed in range(count)}


def values(row: list[str | None] | None, length: int, kind: str) -> list[str | None]:
    """The value of each token for all types, or for one."""
    if row is None:
        return [None] * length
    result: list[str | None] = [None if label is None else "O" for label in row]
    for span in spans(["O" if label is None else label for label in row]):
        result[span.start : span.end] = [span.type] * (span.end - span.start)
    return [value if value is None or not kind or value == kind else "O" for value in result]


def table(labels: dict[str, list[list[str | None] | None]], kind: str) -> list[list[str | None]]:
    lengths = [next((len(row) for row in column if row is not None), 0) for column in zip(*labels.values(), strict=True)]
    return [
        [value for row, length in zip(mine, lengths, strict=True) for value in values(row, length, kind)]
        for mine in labels.values()
    ]


def alpha_by_definition(rows: list[list[str | None]]) -> float:
    """1 - observed / expected disagreement, with ordered pairs of values that are counted one by one."""
    units = [[value for value in unit if value is not None] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    everything = Counter(value for unit in units for value in unit)
    n = sum(everything.values())
    observed = sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    expected = sum(everything[a] * everything[b] for a, b in permutations(everything, 2)) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("count", [2, 3, 5])
def test_alpha_is_that_of_the_definition_and_of_another_library(count):
    labels = annotators(count)
    result = agreement(labels, draws=10)
    assert {one.type for one in result.types} == {"PER", "LOC"}
    for one in (result.overall, *result.types):
        data = table(labels, one.type)
        domain = sorted({value for row in data for value in row if value is not None})
        numbers = [[np.nan if value is None else domain.index(value) for value in row] for row in data]
        assert one.alpha == pytest.approx(alpha_by_definition(data))
        assert one.alpha == pytest.approx(krippendorff.alpha(np.array(numbers), level_of_measurement="nominal"))
        assert one.tokens == sum(len([value for value in unit if value is not None]) > 1 for unit in zip(*data, strict=True))


def test_alpha_of_the_example_of_krippendorff():
    """Four observers and twelve units, as in Krippendorff (2011), section C: nominal alpha 0.743."""
    cells = [
        ["1", "2", "3", "3", "2", "1", "4", "1", "2", None, None, None],
        ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", None, "3"],
    ]
    cells += [
        [None, "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", None],
        ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", None],
    ]
    named = {str(number): [[None if cell is None else f"T{cell}" for cell in row]] for number, row in enumerate(cells)}
    assert agreement(named, draws=10).overall.alpha == pytest.approx(0.743, abs=5e-4)


def test_f1_of_a_pair_is_that_of_conlleval():
    lengths = [random.Random(number).randint(1, 6) for number in range(30)]
    known = [label for label in LABELS if label is not None]
    first, second = rows(1, lengths, known, 0), rows(2, lengths, known, 0)
    (pair,) = agreement({"a": first, "b": second}, draws=10).pairs
    assert (pair.first, pair.second, pair.sentences) == ("a", "b", 30)
    assert pair.f1 == pytest.approx(score(first, second).f1)


def test_spans_over_unknown_labels_of_the_other_do_not_count():
    first, second = [["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", None, "O", "B-LOC"]]
    result = agreement({"a": first, "b": second}, draws=10)
    assert result.pairs[0].f1 == pytest.approx(2 * 1 / (1 + 2))
    assert agreement({"a": first, "b": [["B-PER", "?", "O", "B-LOC"]]}, draws=10) == result


def test_order_of_annotators_has_no_effect():
    labels = annotators(3)
    one, other = agreement(labels, draws=50), agreement(dict(reversed(labels.items())), draws=50)
    assert one.overall.alpha == pytest.approx(other.overall.alpha)
    assert {frozenset((pair.first, pair.second)): pair.f1 for pair in one.pairs} == {
        frozenset((pair.first, pair.second)): pair.f1 for pair in other.pairs
    }
    assert [dispute.sentence for dispute in one.disputes] == [dispute.sentence for dispute in other.disputes]


def test_intervals_contain_the_score_and_the_seed_decides_them():
    labels = annotators(3, 40)
    result = agreement(labels, draws=300, seed=3)
    assert result == agreement(labels, draws=300, seed=3)
    assert result != agreement(labels, draws=300, seed=4)
    for value, interval in [(one.alpha, one.interval) for one in result.types] + [(one.f1, one.interval) for one in result.pairs]:
        assert interval.low < value < interval.high


def test_equal_annotators_agree_and_scores_without_spans_are_undefined():
    labels = rows(1, [4] * 10, ["O", "B-PER", "I-PER"], 0)
    result = agreement({"a": labels, "b": labels}, draws=20)
    assert (result.pairs[0].f1, result.overall.alpha, result.types[0].alpha, result.disputes) == (1.0, 1.0, 1.0, ())
    empty = agreement({"a": [["O"]], "b": [["O"]]}, draws=20)
    assert (empty.pairs[0].f1, empty.pairs[0].interval, empty.overall.alpha, empty.types) == (None, None, None, ())


def test_disputes_are_sorted_and_name_who_has_a_span():
    first = [["B-PER", "O"], ["B-PER", "B-LOC"], ["O", "O"]]
    second = [["B-PER", "O"], ["O", "B-PER"], ["B-LOC", "O"]]
    third = [None, ["O", "B-PER"], None]
    result = agreement({"a": first, "b": second, "c": third}, draws=10)
    assert [(one.sentence, one.differences) for one in result.disputes] == [(1, 2.0), (2, 1.0)]
    assert [(span.start, span.end, span.type, span.annotators) for span in result.disputes[0].spans] == [
        (0, 1, "PER", ("a",)),
        (1, 2, "LOC", ("a",)),
        (1, 2, "PER", ("b", "c")),
    ]


def test_plain_labels_are_compared_token_by_token():
    first, second = [["NN", "VB", "NN"]], [["NN", "NN", "NN"]]
    result = agreement({"a": first, "b": second}, draws=10)
    assert result.pairs[0].f1 == pytest.approx(2 / 3)
    assert {one.type for one in result.types} == {"NN", "VB"}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"a": [["O"]]}, "expected two annotators or more, got 1"),
        ({"a": [["O"]], "b": []}, "different numbers of sentences: a 1, b 0"),
        ({"a": [["O"]], "b": [["O", "O"]]}, "sentence 0: the annotators have 1 and 2 labels"),
        ({"a": [["O"], None], "b": [None, ["O"]]}, "no two annotators have labelled the same sentence"),
        ({"a": [[3]], "b": [["O"]]}, "a: expected labels as strings, or None, got 3"),
        ([["O"]], "a dict of labels by annotator"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        agreement(labels)
