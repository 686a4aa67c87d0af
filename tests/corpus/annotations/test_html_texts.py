"""HTML of Label Studio: tags are no text, and spans are at the offsets in the text without tags."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tagpool import Corpus, InputError, read_corpus

PAGE = '<div class="Ann">\n<p>Ann met <b>Bob</b> &amp; 😀.</p><p>Then<br>Ann&nbsp;left.</p></div>'


def region(start: int, end: int, text: str, label: str) -> dict[str, Any]:
    value = {"start": "/p[1]/text()[1]", "end": "/p[1]/text()[1]", "startOffset": 0, "endOffset": 3, "text": text}
    offsets = {"globalOffsets": {"start": start, "end": end}}
    return {"type": "hypertextlabels", "value": {**value, **offsets, "hypertextlabels": [label]}}


def task(html: str, *regions: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"html": html}, "annotations": [{"result": list(regions)}] if regions else []}


def read(folder: Path, *tasks: dict[str, Any]) -> tuple[Corpus, Counter[str]]:
    losses = Counter[str]()
    (folder / "a.json").write_text(json.dumps(tasks))
    return read_corpus(folder / "a.json", losses=losses), losses


def test_spans_are_at_their_global_offsets(tmp_path):
    # "\nAnn met Bob & 😀.Then" has 22 units in UTF-16, <br> is one more
    regions = [region(9, 12, "Bob", "PER"), region(15, 17, "😀", "X"), region(23, 26, "Ann", "PER")]
    corpus, losses = read(tmp_path, task(PAGE, *regions), task("<p>It rains</p>"))
    assert corpus.words == [["Ann", "met", "Bob", "&", "😀", "."], ["Then"], ["Ann", "left", "."], ["It", "rains"]]
    assert corpus.labels == [["O", "O", "B-PER", "O", "B-X", "O"], ["O"], ["B-PER", "O", "O"], ["?", "?"]]
    assert +losses == {"blanks before the first token": 2, "tokens whose label is unknown, read as ?": 2}


def test_a_span_over_two_blocks(tmp_path):
    corpus, _ = read(tmp_path, task("<p>Ann</p><p>Lee left</p>", region(0, 6, "Ann\\nLee", "PER")))
    assert (corpus.words, corpus.labels) == ([["Ann", "Lee", "left"]], [["B-PER", "I-PER", "O"]])


def test_text_that_is_not_displayed_has_no_offsets(tmp_path):
    html = "<html><head><title>Ann</title><style>p {}</style></head><body><pre>a\nAnn</pre></body></html>"
    corpus, _ = read(tmp_path, task(html, region(2, 5, "Ann", "PER")))
    assert (corpus.words, corpus.labels) == ([["a"], ["Ann"]], [["O"], ["B-PER"]])


def test_texts_with_offsets_keep_their_tags(tmp_path):
    value = {"start": 3, "end": 6, "text": "Ann", "labels": ["PER"]}
    corpus, _ = read(tmp_path, task("<p>Ann</p>", {"type": "labels", "value": value}))
    assert corpus.labels == [["O", "O", "O", "B-PER", "O", "O", "O", "O"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"globalOffsets": None}, "the span at '/p[1]/text()[1]' in HTML has no \"globalOffsets\"; export the task from a newer"),
        ({"text": "Bob"}, "the text at 0-3 of the HTML without tags is 'Ann', not 'Bob'; export the task again"),
        ({"globalOffsets": {"start": 0, "end": 99}}, "the text at 0-99 of the HTML without tags is '', not 'Ann'"),
    ],
)
def test_spans_without_a_place_are_refused(tmp_path, change, message):
    bad = region(0, 3, "Ann", "PER")
    bad["value"].update(change)
    with pytest.raises(InputError) as caught:
        read(tmp_path, task("<p>Ann left</p>", bad))
    assert message in str(caught.value)
