"""Lines of CoNLL files get their labels natively; the result is that of the Python code for lines that are not simple."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagpool
from tagpool import CRF, SGD, InducingTagger, InputError
from tagpool.corpus.blocks import Blocks
from tagpool.tagging.conll import ConllTagger
from tagpool.tagging.labeller import Labeller

CORPUS = tagpool.builtin_corpus(40)
TAGGERS = [CRF("word[0]", trainer=SGD(epochs=2)).fit(CORPUS), InducingTagger("word[0]\nlabel[-1]", epochs=1).fit(CORPUS)]
TOKENS = ["Ann", "Oslo x", "Oslo\tx", "left\r", "\ufeffAnn", "-DOCSTART-x"]
OTHERS = ["", " ", "\t", "# a comment", "#", "-DOCSTART-", " -DOCSTART- x"]


def tagged(text: str, tagger: object, columns: str | None, *, simple: bool) -> bytes | str:
    with TemporaryDirectory() as folder:
        path = Path(folder, "text")
        path.write_bytes(text.encode())
        stream = ConllTagger(Labeller(tagger), Blocks(path), columns)
        stream.simple = simple
        try:
            return b"".join(stream)
        except InputError as error:
            return str(error).replace(folder, "")


@given(st.lists(st.sampled_from(TOKENS + OTHERS), max_size=12), st.booleans(), st.sampled_from([None, "word", "word,other"]))
@settings(max_examples=400, deadline=None)
@pytest.mark.parametrize("tagger", TAGGERS, ids=["crf", "inducing"])
def test_lines_are_those_of_the_careful_way(tagger, lines, ends, columns) -> None:
    text = "\n".join(lines) + "\n" * ends
    assert tagged(text, tagger, columns, simple=True) == tagged(text, tagger, columns, simple=False)


def test_simple_files_stay_simple(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("-DOCSTART- x\n\nAnn x\nleft x\n\n\nOslo x\n")
    stream = ConllTagger(Labeller(TAGGERS[0]), Blocks(path), "word,other")
    lines = b"".join(stream).decode().splitlines()
    assert stream.simple
    assert [line.split()[:2] for line in lines if line] == [["-DOCSTART-", "x"], ["Ann", "x"], ["left", "x"], ["Oslo", "x"]]
    assert [line.split()[2:] for line in lines if line][1:] == [
        [y] for row in TAGGERS[0].predict([["Ann", "left"], ["Oslo"]]) for y in row
    ]
