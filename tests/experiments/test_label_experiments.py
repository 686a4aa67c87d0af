"""The experiments about labels: right rows of likely mistakes, and labels that a learning curve needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagpool import Corpus, builtin_corpus
from tagpool.auditing.mistakes import Mistake
from tagpool.corpus.schemes import Span
from tagpool.experiments import mistakes, suggestions
from tagpool.experiments.corpora import Split
from tagpool.experiments.study import Setting


def test_a_row_is_right_if_the_overlapping_spans_differ() -> None:
    one = Mistake(0, "missed", None, Span(2, 4, "PER"), 0.9)
    same = [Span(0, 2, "LOC"), Span(4, 5, "ORG")]
    assert not mistakes._differs(one, same, [Span(4, 5, "ORG")])
    assert mistakes._differs(one, same, [*same, Span(3, 4, "PER")])
    assert mistakes._differs(one, [Span(2, 4, "LOC")], [Span(2, 4, "PER")])


def test_the_precision_of_planted_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = builtin_corpus(60).with_columns(["word", "label"])
    noisy = [["O"] * len(row) if number % 6 == 0 else row for number, row in enumerate(corpus.labels)]
    both = corpus.with_column("careless", noisy)
    monkeypatch.setattr(mistakes, "SOURCES", ("careless",))
    monkeypatch.setattr(mistakes, "noisebench_corpus", lambda _: Corpus(both.native))
    study = mistakes.run(Setting(quick=True))
    values = {row.metric: row.ours for row in study.rows}
    assert values["wrong spans, %"] == 0  # spans are missing, none is wrong
    assert 0 < values["random disagreements"] <= values["first 100"] <= 100
    by_order = dict(zip(study.tables[1].header, study.tables[1].lines[0], strict=True))
    assert float(by_order["only missed"]) > float(by_order["only spurious"]) == 0


def test_needed_labels_are_interpolated() -> None:
    curve = suggestions._Curve([100, 150, 225], [1000, 1500, 2500], [50.0, 60.0, 70.0])
    assert curve.needed(65.0, curve.sentences) == 187.5
    assert curve.needed(65.0, curve.tokens) == 2000
    assert (curve.needed(40.0, curve.sentences), curve.needed(80.0, curve.sentences)) == (100, 225)


def test_curves_of_all_orders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    split = Split(builtin_corpus(300), builtin_corpus(10), builtin_corpus(60, part="test"))
    for name in ("conll2003", "gene_mentions", "spanish"):
        monkeypatch.setattr(suggestions, name, lambda *_: split)
    study = suggestions.run(Setting(quick=True, plots=tmp_path))
    assert study.tables[0].title == "Labels that are needed"
    assert study.tables[1].header == ["", "100", "150", "225"]
    assert [line[0] for line in study.tables[1].lines] == ["as suggested", "by expected errors", "random"]
    assert len({line[1] for line in study.tables[1].lines}) == 1  # the first sentences are the same
    assert {path.name for path in tmp_path.iterdir()} == {"suggest.svg", "suggest.png"}
