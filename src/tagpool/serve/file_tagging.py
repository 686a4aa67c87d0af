"""Tagging of a part of a file that a reader drops on the page; the result has the format of the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tagpool.corpus.formats import FORMATS, Format
from tagpool.errors import InputError
from tagpool.serve.forms import Form
from tagpool.serve.limits import invalid
from tagpool.tagging.files import create_tagger
from tagpool.tagging.labeller import Labeller

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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part"
        path.write_bytes(content)
        try:
            result = b"".join(create_tagger(Labeller(form.fast), path, kind))
        except InputError as error:
            line = "" if error.line is None else f"line {error.line + before}: "
            raise invalid(f"{line}{error.message}") from None
    return result, ".conll" if kind is Format.TEXT else f".{kind.value}"


def _format_of(name: str) -> Format:
    """Return the format of a file name; text if it means none."""
    suffix = Path(name).suffix.lower()
    if suffix in _COLUMNS:
        return Format.CONLL
    return next((kind for kind in (Format.CONLLU, Format.JSONL) if suffix in FORMATS[kind].suffixes), Format.TEXT)
