"""Tagging of a part of a file that a reader drops on the page; the result has the format of the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tagpool.corpus.blocks import Blocks
from tagpool.corpus.formats import FORMATS, Format
from tagpool.errors import InputError
from tagpool.serve.forms import Form
from tagpool.serve.limits import invalid
from tagpool.tagging.conll import ConllTagger, ConlluTagger, conllu_column
from tagpool.tagging.jsonl import JsonlTagger
from tagpool.tagging.labeller import Labeller, StreamTagger
from tagpool.tagging.text import TextTagger

_COLUMNS = (".conll", ".bio", ".iob", ".tsv", ".col")  # suffixes of files with a token per line; .txt is running text


def tag_file(form: Form, name: str, content: bytes, before: int = 0) -> tuple[bytes, str]:
    """Return labelled content, and the suffix of a file for it.

    ``name`` is the name of the file, whose suffix means the format; ``before`` is the number of lines before the content.

    >>> from tagpool import CRF, Corpus
    >>> form = Form(CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])))
    >>> tag_file(form, "names.txt", b"Ann left\\n")
    (b'Ann PER\\nleft O\\n\\n', '.conll')
    """
    kind = _format_of(name)
    by_line = kind in (Format.TEXT, Format.JSONL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part"
        path.write_bytes(content)
        labeller = Labeller(form.fast)
        blocks = Blocks(path, by_line=by_line, by_document=labeller.by_document and not by_line)
        try:
            result = b"".join(_tagger(kind, labeller, blocks))
        except InputError as error:
            line = "" if error.line is None else f"line {error.line + before}: "
            raise invalid(f"{line}{error.message}") from None
    return result, ".conll" if kind is Format.TEXT else f".{kind.value}"


def _tagger(kind: Format, labeller: Labeller, blocks: Blocks) -> StreamTagger:
    if kind is Format.CONLL:
        return ConllTagger(labeller, blocks, None)
    if kind is Format.CONLLU:
        return ConlluTagger(labeller, blocks, conllu_column(labeller))
    return JsonlTagger(labeller, blocks) if kind is Format.JSONL else TextTagger(labeller, blocks)


def _format_of(name: str) -> Format:
    """Return the format of a file name; text if it means none."""
    suffix = Path(name).suffix.lower()
    if suffix in _COLUMNS:
        return Format.CONLL
    return next((kind for kind in (Format.CONLLU, Format.JSONL) if suffix in FORMATS[kind].suffixes), Format.TEXT)
