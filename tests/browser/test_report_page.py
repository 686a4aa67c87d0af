"""The report in a browser: filters, keys, search, address, export, dark mode, a narrow screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import OpenPage, check_accessibility, check_width, take_screenshot

from tagpool import CRF, SGD, BaggingPool, Corpus, builtin_corpus, make_report, read_corpus

HOSTILE = [
    "<script>document.title='run'</script>",
    "</script>",
    '"><img src=x onerror=document.title=1>',
    "مدينة",
    "👨‍👩‍👧",
    "w" * 300,
]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    train, test = builtin_corpus(100), builtin_corpus(150, part="test")
    tagger = CRF("word[0]\nshape(word)[0]", trainer=SGD(epochs=3)).fit(train, dev=builtin_corpus(40, part="dev"))
    bags = "[first]\nword[-1..1]\n[second]\nshape(word)[-1..1]\nsuffix(word, 2)[0]\n"
    pool = BaggingPool(CRF(bags, trainer=SGD(epochs=3))).fit(train)
    path = tmp_path_factory.mktemp("report") / "report.html"
    make_report(pool, test, compare={"crf": tagger}, train=train, draws=200).save(path)
    return path.as_uri()


def visible(page: Any) -> int:
    return int(page.locator("#tp-list article:visible").count())


def test_filters_with_counts(report: str, open_page: OpenPage) -> None:
    page = open_page(report)
    every = visible(page)
    assert every > 20
    for kind in ("missed", "spurious", "boundary", "type", "both"):
        box = page.locator(f"input[value={kind}]")
        if not box.count():
            continue
        for other in page.locator("input[name=k]").all():
            other.set_checked(other.get_attribute("value") == kind)
        count = int(page.locator(f"[data-count={kind}]").inner_text())
        assert visible(page) == count
        assert page.locator(f"#tp-list article:visible .tp-k:text-matches('^{kind}')").count() == count
        assert f"k={kind}" in page.url
    for box in page.locator("input[name=k]").all():
        box.check()
    assert visible(page) == every
    page.locator("select[name=t]").select_option(index=1)
    assert 0 < visible(page) < every
    page.locator("select[name=t]").select_option("")
    right, wrong = [], []
    for value, result in (("right0", right), ("wrong0", wrong)):
        page.locator("select[name=o]").select_option(value)
        result.append(visible(page))
    assert right[0] + wrong[0] == every


def test_search_sort_and_address(report: str, open_page: OpenPage) -> None:
    page = open_page(report)
    word = page.locator("#tp-list article .tp-s").first.text_content().split()[0]
    page.locator("input[type=search]").fill(word.upper())
    few = visible(page)
    assert few > 0
    page.locator("select[name=s]").select_option("low")
    texts = page.locator("#tp-list article:visible .tp-head .tp-soft").all_text_contents()
    values = [int(text.split("%")[0]) for text in texts]
    assert values == sorted(values)
    page.reload()
    assert visible(page) == few
    assert page.locator("select[name=s]").input_value() == "low"
    page.locator("input[type=search]").fill("no sentence has this text")
    assert visible(page) == 0
    assert page.locator("#tp-shown").inner_text().startswith("0 of ")


def test_the_keyboard_is_enough(report: str, open_page: OpenPage) -> None:
    page = open_page(report)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("ArrowDown")
    current = page.locator("article[aria-current]")
    assert current.count() == 1
    number = page.locator("#tp-list article:visible .tp-head a").nth(1).text_content().split()[-1]
    assert current.locator(".tp-head a").inner_text() == f"sentence {number}"
    assert page.url.endswith(f"n={number}")
    assert not current.locator("table").first.is_visible()
    page.keyboard.press("o")
    assert current.locator("table").first.is_visible()
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.locator("input[type=search]").input_value() == "jk"
    # The address leads to the sentence.
    again = open_page(report)
    again.goto(f"{report}#n={number}")
    for _ in range(2):
        assert again.locator("article[aria-current] .tp-head a").inner_text() == f"sentence {number}"
        again.reload()
    again.locator("nav a", has_text="Plots").click()
    assert again.locator("article[aria-current]").count() == 1


def test_export_of_what_is_shown(report: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(report)
    page.locator("select[name=t]").select_option(index=1)
    count = visible(page)
    files = {}
    for kind in ("jsonl", "conll"):
        with page.expect_download() as download:
            page.locator(f"#tp-{kind}").click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])
    rows = [json.loads(line) for line in files["jsonl"].read_text().splitlines()]
    corpus = read_corpus(files["conll"], columns="word,gold,predicted")
    assert len(rows) == len(corpus) == count
    test = builtin_corpus(150, part="test")
    for row, sentence in zip(rows, corpus, strict=True):
        assert row["words"] == sentence["word"] == test[row["sentence"] - 1].words
        assert row["gold"] == sentence["gold"] == test[row["sentence"] - 1].labels
        assert row["predicted"] == sentence["predicted"]


@pytest.mark.parametrize("mode", ["light", "dark", "narrow"])
def test_it_is_legible(report: str, open_page: OpenPage, mode: str) -> None:
    page = open_page(report, mode)
    check_width(page)
    page.keyboard.press("j")
    page.keyboard.press("o")
    check_accessibility(page)
    check_width(page)
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (mode != "dark")
    take_screenshot(page, f"report-{mode}")


@pytest.mark.parametrize("mode", ["light", "narrow"])
def test_hostile_text_stays_text(open_page: OpenPage, tmp_path: Path, mode: str) -> None:
    kinds = [*HOSTILE, *(f"T{number}" for number in range(300))]
    words = [[*HOSTILE, "plain"] for _ in kinds] + [[f"w{number}" for number in range(3000)]]
    gold = [[f"B-{kind}"] * len(HOSTILE) + ["O"] for kind in kinds] + [["B-T1", *["I-T1"] * 2999]]
    predicted = [["O"] * len(HOSTILE) + [f"B-{kind}"] for kind in kinds] + [["O", "B-T2", *["I-T2"] * 2998]]
    path = tmp_path / "hostile.html"
    make_report(predicted, Corpus.from_lists(word=words, label=gold), compare={HOSTILE[0]: gold}, draws=100).save(path)
    page = open_page(path.as_uri(), mode)
    assert "report on" in page.title()
    assert visible(page) == len(words)
    check_width(page)
    page.locator("select[name=t]").select_option(HOSTILE[0])
    assert visible(page) == 1
    take_screenshot(page, f"hostile-{mode}")
