"""Members of a pool: agreement, who is right where, and what each adds."""

from __future__ import annotations

import pytest

from tagpool import Corpus, score
from tagpool.corpus.schemes import Span
from tagpool.evaluation.error_kinds import SpanError
from tagpool.report.members import majority, member_figures, votes_for
from tagpool.report.systems import System, from_rows

GOLD = [["B-X", "I-X", "O", "B-Y"]]
CORPUS = Corpus.from_lists(word=[["a", "b", "c", "d"]], label=GOLD)
ROWS = {
    "first": ["B-X", "I-X", "O", "O"],
    "second": ["O", "O", "O", "B-Y"],
    "third": ["B-X", "O", "O", "B-Y"],
}


def pool(labels: list[str]) -> System:
    system = from_rows("pool", CORPUS, [labels])
    system.members = [from_rows(name, CORPUS, [row]) for name, row in ROWS.items()]
    return system


def test_what_each_member_adds() -> None:
    figures = member_figures(CORPUS, pool(["B-X", "I-X", "O", "O"]), plain=False)
    rows = {row["name"]: row for row in figures["members"]}
    assert {name: row["only"] for name, row in rows.items()} == {"first": 1, "second": 0, "third": 0}
    assert {name: row["saves"] for name, row in rows.items()} == {"first": 1, "second": 0, "third": 0}
    assert {name: row["overruled"] for name, row in rows.items()} == {"first": 0, "second": 1, "third": 1}
    assert rows["first"]["types"] == {"X": 1.0, "Y": 0.0}
    assert figures["any"] == 1.0
    assert figures["vote"] == score(GOLD, majority([[row] for row in ROWS.values()])).f1
    others = [[ROWS["second"]], [ROWS["third"]]]
    assert rows["first"]["vote_without"] == score(GOLD, majority(others)).f1


def test_agreement_counts_tokens_with_a_span() -> None:
    table = member_figures(CORPUS, pool(GOLD[0]), plain=False)["agreement"]
    assert [table[number][number] for number in range(3)] == [1.0, 1.0, 1.0]
    assert table[0][1] == 0.0  # three tokens with a span, none with equal labels
    assert table[0][2] == table[2][0] == pytest.approx(1 / 3, abs=1e-6)


def test_votes_name_the_spans_at_the_error() -> None:
    error = SpanError("missed", Span(3, 4, "Y"), None)
    votes = votes_for(pool(["B-X", "I-X", "O", "O"]), 0, error, CORPUS.words[0], plain=False)
    assert [(vote.member, vote.label) for vote in votes] == [
        ("first", "no span"),
        ("second", "Y “d”"),
        ("third", "Y “d”"),
    ]
