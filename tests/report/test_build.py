"""The report as a file: complete, escaped, small, and the same on every run."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tagpool import CRF, SGD, BaggingPool, Corpus, InputError, builtin_corpus, make_report
from tagpool.report.build import read_log

TRAIN, TEST = builtin_corpus(100), builtin_corpus(80, part="test")
TAGGER = CRF("word[0]\nshape(word)[0]", trainer=SGD(epochs=3)).fit(TRAIN, dev=builtin_corpus(40, part="dev"))
HOSTILE = [
    "<script>alert(1)</script>",
    "</script>",
    "<!--",
    '"><img src=x onerror=alert(1)>',
    "\u202eabc",
    "مدينة",
    "👨‍👩‍👧",
    "a b",
    "a\tb",
]


def data_of(html: str) -> dict[str, Any]:
    """The data of the page; only the first script element has it."""
    match = re.search(r'<script type="application/json" id="tp-data">(.*?)</script>', html, re.DOTALL)
    assert match
    result: dict[str, Any] = json.loads(match[1])
    return result


def labels_of(data: dict[str, Any], runs: list[int]) -> list[str]:
    pairs = zip(runs[::2], runs[1::2], strict=True)
    return list(chain.from_iterable([data["labels"][number]] * count for number, count in pairs))


def words_of(record: list[Any]) -> list[str]:
    return record[5].split(" ") if isinstance(record[5], str) else record[5]


class Tags(HTMLParser):
    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_every_wrong_sentence_is_listed() -> None:
    report = make_report(TAGGER, TEST, train=TRAIN, draws=200)
    data = data_of(report.html)
    predicted = TAGGER.predict(TEST)
    wrong = [n for n, (one, other) in enumerate(zip(TEST.labels, predicted, strict=True)) if one != other]
    assert [record[0] for record in data["items"]] == wrong
    for record in data["items"]:
        assert words_of(record) == TEST[record[0]].words
        assert labels_of(data, record[6]) == TEST[record[0]].labels
        assert labels_of(data, record[7]) == predicted[record[0]]
    assert report.html.count("<article") == len(wrong)
    assert report.left_out == report.figures["left_out"] == 0
    assert "log" in report.figures


def test_nothing_is_loaded_and_nothing_runs_from_the_text() -> None:
    words = [[*HOSTILE, "plain"]] * 4
    gold = [[f"B-{word}" for word in HOSTILE] + ["O"]] * 4
    corpus = Corpus.from_lists(word=words, label=gold)
    report = make_report([["O"] * 10] * 4, corpus, compare={HOSTILE[0]: gold}, train=corpus, draws=100)
    tags = Tags(report.html).tags
    assert [tag for tag, _ in tags].count("script") == 2
    assert not {"img", "iframe", "link", "object", "embed"} & {tag for tag, _ in tags}
    for _, attributes in tags:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
        assert str(attributes.get("href", "#")).startswith("#")
    data = data_of(report.html)
    assert words_of(data["items"][0]) == words[0]
    assert "<script>" not in report._repr_html_()


def test_a_small_size_leaves_errors_out_and_says_so() -> None:
    corpus = builtin_corpus(1500, part="test")
    predicted = [["O"] * len(row) for row in corpus.labels]
    report = make_report(predicted, corpus, draws=100, size=200_000)
    assert 0 < report.left_out < report.figures["systems"][0]["sentences_with_errors"]
    assert len(report.html.encode()) <= 200_000
    assert f"{report.left_out:,} sentences left out" in report.html
    assert report.html.count("<article") == len(data_of(report.html)["items"])


def test_reasons_are_left_out_before_sentences() -> None:
    full = make_report(TAGGER, TEST, draws=100)
    less = make_report(TAGGER, TEST, draws=100, size=len(full.html.encode()) - 20_000)
    assert less.left_out == 0
    assert less.html.count("<article") == full.html.count("<article")
    assert 0 < less.html.count("<details") < full.html.count("<details")
    assert "without all reasons" in less.html


def test_errors_without_features_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagpool.report.browser.MOST", 3)
    report = make_report(TAGGER, TEST, draws=100)
    errors = sum(report.figures["systems"][0]["errors"].values())
    assert report.html.count("Features are listed for 3 errors") == errors - 3
    assert 0 < report.figures["without_reasons"] < report.figures["systems"][0]["sentences_with_errors"]


def test_the_same_report_on_every_run() -> None:
    reports = [make_report(TAGGER, TEST, train=TRAIN, draws=100, seed=3) for _ in range(2)]
    pages = [re.sub(r"<tr><th scope=\"row\">measured speed</th>.*?</tr>", "", report.html) for report in reports]
    assert pages[0] == pages[1]


def test_figures_are_json() -> None:
    pool = BaggingPool(CRF("[one]\nword[0]\n[two]\nshape(word)[0]\n", trainer=SGD(epochs=2))).fit(TRAIN)
    report = make_report(pool, TEST, compare={"crf": TAGGER}, draws=100)
    figures = json.loads(json.dumps(report.figures, allow_nan=False))
    assert [row["name"] for row in figures["experts"]["members"]] == ["one", "two"]
    assert figures["comparisons"][0]["name"] == "crf"
    assert ">Members<" in report.html


def test_labels_without_spans() -> None:
    gold = [["DT", "NN", "VB"]] * 10
    corpus = Corpus.from_lists(word=[["the", "cat", "sat"]] * 10, label=gold)
    report = make_report([["DT", "VB", "VB"]] * 10, corpus, draws=100)
    assert report.figures["plain"]
    assert report.figures["systems"][0]["errors"]["type"] == 10
    assert "By label" in report.html
    assert make_report(gold, corpus, draws=100).html.count("<article") == 0


def test_experts_of_labels() -> None:
    gold = TEST.labels
    report = make_report(gold, TEST, experts={"a": gold, "b": TAGGER.predict(TEST)}, draws=100)
    assert ">Experts<" in report.html
    assert report.figures["experts"]["members"][0]["f1"] == 1.0


def test_a_notebook_shows_the_figures(tmp_path: Path) -> None:
    report = make_report(TAGGER, TEST, draws=100)
    shown = report._repr_html_()
    assert "Calibration" in shown
    assert "<script" not in shown
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == report.html


def test_wrong_input() -> None:
    with pytest.raises(InputError, match="expected sentences with tokens"):
        make_report([], Corpus.from_lists(word=[], label=[]))
    with pytest.raises(InputError, match="no label column"):
        make_report(TAGGER, Corpus.from_lists(word=[["a"]]))
    with pytest.raises(InputError, match=r"model: expected .* for 80 sentences, as in the test sentences, got 1 sentence"):
        make_report([["O"]], TEST)
    with pytest.raises(InputError, match="is the name of the first system"):
        make_report(TAGGER, TEST, compare={"model": TAGGER})
    with pytest.raises(InputError, match="dict of systems"):
        make_report(TAGGER, TEST, compare=[TAGGER])  # type: ignore[arg-type]


@pytest.mark.parametrize("line", ["{", "[1]", '{"number": 0, "total": 1, "loss": 1}', '{"loss": "a"}', "7", '"a"'])
def test_a_damaged_log_names_its_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"number": 1, "total": 2, "loss": 0.5}}\n{line}\n')
    with pytest.raises(InputError, match=r"log\.jsonl:2: expected an epoch"):
        read_log(path)
    path.write_text("\n")
    with pytest.raises(InputError, match="the log has no epochs"):
        read_log(path)


def test_a_very_long_sentence_does_not_displace_the_others() -> None:
    long = [f"word{number}" for number in range(20_000)]
    corpus = Corpus.from_lists(word=[long, *[["Ann", "left"]] * 30], label=[["B-X", *["O"] * 19_999], *[["B-X", "O"]] * 30])
    predicted = [["O"] * 20_000, *[["O", "B-X"]] * 30]
    report = make_report(predicted, corpus, draws=100, size=150_000)
    assert report.left_out == 1
    assert report.html.count("<article") == 30
    assert "1 sentence left out (very long ones and the last ones" in report.html


def test_without_spans_the_report_says_so() -> None:
    corpus = Corpus.from_lists(word=[["a", "b"]] * 3, label=[["O", "O"]] * 3)
    report = make_report([["O", "O"]] * 3, corpus, draws=100)
    assert "There are no spans, neither gold nor predicted" in report.html
    assert "There is nothing to plot" in report.html
    assert "By type" not in report.html
