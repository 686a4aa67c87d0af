"""The page of the server in a browser: typing, clicking, choosing, switching off, dropping, with the keyboard, on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import OpenPage, check_accessibility, check_width, expecting, take_screenshot
from serve.served import ServerProcess, running

from tagpool import CRF, Corpus, builtin_corpus

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that are hard to show: many labels, labels with markup, plain labels, further columns."""
    folder = tmp_path_factory.mktemp("models")
    words = [[f"word{number}"] for number in range(300)]
    many = Corpus.from_lists(word=words, label=[[f"B-TYPE{number}"] for number in range(300)])
    CRF("word[0]").fit(many).save(folder / "many.tagpool")
    markup = Corpus.from_lists(word=[[SCRIPT, "left"]], label=[[f"B-{SCRIPT}", "O"]])
    CRF("word[0]").fit(markup).save(folder / "markup.tagpool")
    plain = Corpus.from_lists(word=[["the", "cat"]], pos=[["DT", "NN"]], label=[["DET", "NOUN"]])
    CRF("word[0]\npos[0]").fit(plain).save(folder / "columns.tagpool")
    return folder


@pytest.fixture(scope="module")
def server(models: Path) -> Iterator[ServerProcess]:
    arguments = [f"{name}={models}/{name}.tagpool" for name in ("many", "markup", "columns")]
    with running("--demo", *arguments) as one:
        yield one


@pytest.fixture
def page(server: ServerProcess, open_page: OpenPage) -> Any:
    one = open_page(f"{server.facts['url']}/")
    choose(one, "usual")
    return one


def choose(page: Any, model: str, other: str = "") -> None:
    page.select_option("#model", model)
    page.select_option("#other", other)
    page.wait_for_selector(f".side[data-model='{model}'] .tp-w")


def spans(page: Any, side: str = "usual") -> list[str]:
    """Return the spans of a side as texts such as ``Ann Smith PER``, without the confidence."""
    texts = page.locator(f".side[data-model='{side}'] .tp-e").all_inner_texts()
    return [re.sub(r"\s+", " ", re.sub(r"\s*\d+%", "", text)).strip() for text in texts]


def expect_spans(page: Any, expected: list[str], side: str = "usual") -> None:
    for _ in range(100):
        if spans(page, side) == expected:
            return
        page.wait_for_timeout(50)
    assert spans(page, side) == expected


def test_typing(page: Any) -> None:
    page.fill("#text", "")
    page.locator("#text").press_sequentially("Ann Smith left Oslo.", delay=15)
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    assert page.inner_text("#status") == "5 tokens, 2 spans"


def test_clicking_a_token_and_choosing_another_label(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])  # before a click: the text before has the word "Oslo" too
    page.click(".tp-w:text-is('Oslo')")
    page.wait_for_selector("#why h3")
    assert page.inner_text("#why h3") == "Why B-LOC for “Oslo”?"
    page.wait_for_function("document.querySelector('#why .tp-why i')?.getBoundingClientRect().width > 5")
    page.select_option("#instead", "B-PER")
    page.wait_for_selector("#why caption b:text-is('B-PER')")
    assert page.locator("[aria-pressed=true]").inner_text() == "Oslo"
    page.click("#why summary")
    assert page.locator("#why details .tp-why tr").count() > 10
    page.fill("#text", "Ann Smith left.")  # the token is not there any more
    page.wait_for_selector("#why", state="hidden")


class Held:
    """Answers to one path that the server has sent, but the page has not received."""

    def __init__(self, page: Any, path: str) -> None:
        self.page, self.pattern = page, f"**/{path}"
        self.routes: list[Any] = []
        page.route(self.pattern, lambda route: self.routes.append(route))

    def wait(self) -> None:
        for _ in range(200):
            if self.routes:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("no request")

    def release(self) -> None:
        for route in self.routes:
            route.continue_()
        self.page.unroute(self.pattern)


def test_a_click_before_the_answer_explains_the_token_that_is_shown(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    held = Held(page, "view/tag")
    page.fill("#text", "Yesterday Ann Smith left Oslo.")
    held.wait()
    page.click(".tp-w:text-is('Oslo')")
    page.wait_for_selector("#why h3")
    assert page.inner_text("#why h3") == "Why B-LOC for “Oslo”?"
    held.release()
    page.wait_for_selector("#why", state="hidden")  # the place of the token has another word


def test_answers_do_not_replace_an_explanation_that_is_still_true(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    page.click(".tp-w:text-is('Oslo')")
    page.click("#why summary")
    page.evaluate("document.querySelector('#why h3').dataset.mark = 'the same element'")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.fill("#threshold", "100")
    page.wait_for_selector("#status:has-text('2 hidden below 100%')")
    assert page.locator("[aria-pressed=true]").inner_text() == "Oslo"
    assert [url.rpartition("/")[2] for url in requests] == ["tag"]
    assert page.get_attribute("#why h3", "data-mark") == "the same element"
    page.uncheck("#groups input[value=lists]")  # another explanation: its list of features stays open
    page.wait_for_selector("#why h3:not([data-mark])")
    assert page.is_visible("#why details table")


def test_an_answer_keeps_the_token_with_the_focus(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    held = Held(page, "view/tag")
    page.fill("#text", "Ann Smith left Geneva.")
    held.wait()
    page.focus(".tp-w:text-is('left')")
    held.release()
    expect_spans(page, ["Ann Smith PER", "Geneva LOC"])
    assert focused(page) == "left"


def test_typing_before_the_models_are_known(page: Any) -> None:
    held = Held(page, "v1/models")
    page.reload()
    held.wait()
    page.fill("#text", "Ann Smith left Oslo.")
    page.wait_for_timeout(500)  # longer than the page waits after a key
    assert page.inner_text("#status") == ""
    held.release()
    page.wait_for_selector(".side .tp-w:text-is('left')")


def test_switching_off_the_lists_shows_undertraining(page: Any) -> None:
    choose(page, "usual", "robust")
    page.fill("#text", "Ann Smith from Oslo visited France on Monday.")
    for side in ("usual", "robust"):
        expect_spans(page, ["Ann Smith PER", "Oslo LOC", "France LOC"], side)
    page.uncheck("#groups input[value=lists]")
    expect_spans(page, ["Oslo LOC", "France LOC"], "usual")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC", "France LOC"], "robust")
    page.check("#groups input[value=lists]")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC", "France LOC"], "usual")


def test_the_explanation_follows_the_groups(page: Any) -> None:
    page.fill("#text", "Ann Smith from Oslo visited France on Monday.")
    page.click(".tp-w:text-is('Ann')")
    page.wait_for_selector("#why:has-text('gazetteer')")
    page.uncheck("#groups input[value=lists]")
    page.wait_for_selector("#why h3:has-text('Why O')")
    assert "gazetteer" not in page.inner_text("#why")


def test_the_slider_hides_uncertain_spans(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    page.fill("#threshold", "100")
    expect_spans(page, [])
    page.wait_for_selector("#status:has-text('2 hidden below 100%')")


def test_members_of_a_pool_side_by_side(page: Any) -> None:
    choose(page, "pool", "pool/*")
    page.wait_for_selector(".side[data-model='pool/member 2'] .tp-w")
    assert page.locator(".side h2").all_inner_texts() == ["pool", "pool/member 1", "pool/member 2"]
    page.click(".side[data-model=pool] .tp-w >> nth=0")
    page.wait_for_selector("#why h4:has-text('Votes of the members')")
    take_screenshot(page, "page-members")


def drop(page: Any, name: str, content: str) -> None:
    script = """([name, content]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content], name));
        for (const kind of ["dragover", "drop"]) {
            const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
            document.getElementById("drop").dispatchEvent(event);
        }
    }"""
    page.evaluate(script, [name, content])


def test_dropping_a_file_and_downloading_the_result(page: Any) -> None:
    sentences = [["Ann", "Smith", "left", "Oslo", "."], ["It", "rained", "."]] * 4000
    drop(page, "news.conll", "\n\n".join("\n".join(words) for words in sentences) + "\n")
    page.wait_for_selector("#download:visible")
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename == "news.tagged.conll"
    lines = Path(download.value.path()).read_text().strip().split("\n\n")
    assert [[row.split()[0] for row in sentence.split("\n")] for sentence in lines] == sentences
    assert list(dict.fromkeys(lines)) == ["Ann B-PER\nSmith I-PER\nleft O\nOslo B-LOC\n. O", "It O\nrained O\n. O"]


def test_choosing_a_file_of_json_lines(page: Any) -> None:
    content = json.dumps({"text": "Ann left."}) + "\n"
    page.set_input_files("#file", {"name": "a.jsonl", "mimeType": "application/jsonl", "buffer": content.encode()})
    page.wait_for_selector("#download:visible")
    with page.expect_download() as download:
        page.click("#download")
    assert json.loads(Path(download.value.path()).read_text())["spans"] == [[0, 3, "PER"]]


def test_bad_files_have_a_message(page: Any) -> None:
    for name, content, message in (
        ("a.bin", b"\xff\xfe", "expected text in UTF-8"),
        ("a.txt", b"\n\n", "the file has no text"),
    ):
        page.set_input_files("#file", {"name": name, "mimeType": "", "buffer": content})
        page.wait_for_selector(f"#file-status.error:has-text('{message}')")
    with expecting(page.problems, "422"):
        page.set_input_files("#file", {"name": "a.jsonl", "mimeType": "", "buffer": b'{"text": "a"}\n{\n'})
        page.wait_for_selector("#file-status.error:has-text('line 2: ')")


def test_the_keyboard_alone(page: Any) -> None:
    page.fill("#text", "Ann Smith left Oslo.")
    expect_spans(page, ["Ann Smith PER", "Oslo LOC"])
    page.focus("#text")
    page.keyboard.press("Tab")
    assert focused(page) == "Ann"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "Smith"
    page.keyboard.press("Enter")
    page.wait_for_selector("#why h3:has-text('Smith')")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "instead":
            break
    before = page.input_value("#instead")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("value => document.querySelector('#why caption b:last-of-type').textContent !== value", arg=before)
    assert page.evaluate("document.activeElement.id") == "instead"
    page.keyboard.press("Escape")
    assert focused(page) == "Smith"
    assert page.is_hidden("#why")


def focused(page: Any) -> str:
    text: str = page.evaluate("document.activeElement.textContent")
    return text


@pytest.mark.parametrize("mode", ["light", "dark", "narrow"])
def test_the_page_is_accessible(server: ServerProcess, open_page: OpenPage, mode: str) -> None:
    page = open_page(f"{server.facts['url']}/", mode)
    choose(page, "usual", "robust")
    page.uncheck("#groups input[value=lists]")
    expect_spans(page, ["Oslo LOC", "France LOC", "Geneva LOC", "Maria Novak LOC"])
    page.click(".tp-w:text-is('Oslo') >> nth=0")
    page.wait_for_selector("#why h3")
    take_screenshot(page, f"page-{mode}")
    check_accessibility(page)
    check_width(page)


@pytest.mark.parametrize("mode", ["light", "narrow"])
def test_hostile_text(server: ServerProcess, open_page: OpenPage, mode: str) -> None:
    page = open_page(f"{server.facts['url']}/", mode)
    choose(page, "markup", "usual")
    text = f'{SCRIPT}\n&lt;b&gt; "quoted" \'\nשלום עולם Ann Smith\n👩‍👩‍👧‍👦 🙂 left\n{"x" * 3000}\n' + "word " * 200
    page.fill("#text", text)
    page.wait_for_selector(".side .tp-w:text-is('🙂')")
    assert page.locator("#sides script, #why script").count() == 0
    page.click(".side[data-model=usual] .tp-w >> nth=0")
    page.wait_for_selector("#why h3")
    take_screenshot(page, f"page-hostile-{mode}")
    check_width(page)
    check_accessibility(page)


def test_labels_with_markup_and_many_labels(page: Any) -> None:
    choose(page, "markup")
    page.fill("#text", "left")
    page.wait_for_selector("#status:has-text('1 token,')")
    page.click(".tp-w")
    page.wait_for_selector("#why h3")
    assert page.locator("#instead option").all_inner_texts() == [f"B-{SCRIPT}"]
    choose(page, "many")
    page.fill("#text", "word7 word250")
    page.wait_for_selector(".tp-e:has-text('TYPE250')")
    page.click(".tp-w:text-is('word7')")
    page.wait_for_selector("#why h3:has-text('B-TYPE7')")
    assert page.locator("#instead option").count() == 299
    take_screenshot(page, "page-many")


def test_a_model_with_further_columns_says_how_to_write_them(page: Any) -> None:
    with expecting(page.problems, "422"):
        page.select_option("#model", "columns")
        page.wait_for_selector("#status.error:has-text('write every token as word/pos')")
    page.fill("#text", "the/DT cat/NN")
    page.wait_for_selector(".tp-e:has-text('NOUN')")
    page.click(".tp-w:text-is('cat')")
    page.wait_for_selector("#why h3:has-text('NOUN')")


def test_the_token_of_the_server(tmp_path: Path, open_page: OpenPage) -> None:
    CRF("word[0]").fit(builtin_corpus(100)).save(tmp_path / "ner.tagpool")
    (tmp_path / "token").write_text("secret\n")
    with running(tmp_path / "ner.tagpool", "--token-file", tmp_path / "token") as server:
        page = open_page(f"{server.facts['url']}/")
        with expecting(page.problems, "401"):
            page.wait_for_selector("#login:visible")
            page.fill("#token", "wrong")
            page.click("text=Use token")
            page.wait_for_timeout(200)
            page.fill("#token", "secret")
            page.keyboard.press("Enter")
            page.wait_for_selector(".tp-w")
        assert page.is_hidden("#login")


def test_a_server_that_ends_is_noticed(models: Path, open_page: OpenPage) -> None:
    with running(models / "markup.tagpool") as server:
        page = open_page(f"{server.facts['url']}/")
        page.wait_for_selector(".tp-w")
        server.end()
        with expecting(page.problems, "ERR_CONNECTION_REFUSED"):
            page.fill("#text", "left")
            page.wait_for_selector("#status.error:has-text('does not answer')")
