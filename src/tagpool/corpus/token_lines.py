"""Lines of tokens: the number of the line that each token of a file was read from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tagpool.corpus.annotations.detection import is_tool_file, is_webanno
from tagpool.corpus.conll import DOCUMENT_START
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import Format, format_of

_DOCUMENT_LINE = re.compile(rf"[ \t]*{DOCUMENT_START}([ \t]|$)")


def token_lines(path: str | Path, corpus: Corpus, *, format: Format | None = None, encoding: str = "utf-8") -> list[list[int]]:  # noqa: A002
    """Return the line of every token of a corpus that was read from a file.

    The result is empty for files without lines, such as Parquet, and for most of annotation tools.

    >>> import tempfile, pathlib
    >>> from tagpool import read_corpus
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("# id = 1\\nAnn B-PER\\nleft O\\n\\n\\nRain O\\n")
    >>> token_lines(path, read_corpus(path))
    [[2, 3], [6]]
    """
    kind = format_of(path) if format is None else format
    if format is None and (is_webanno(path) or (kind is Format.JSONL and is_tool_file(path, encoding=encoding))):
        return []
    if kind in (Format.CONLL, Format.CONLLU):
        lines = _conll_lines(read_lines(path, encoding=encoding), corpus)
    elif kind in (Format.JSONL, Format.SPANS):
        numbered = enumerate(read_lines(path, encoding=encoding), 1)
        records = [number for number, line in numbered if line.strip()]
        if len(records) != len(corpus):  # a list of records, or texts of several sentences
            return []
        return [[number] * len(words) for number, words in zip(records, corpus.words, strict=True)]
    else:
        return []
    return [[next(lines) for _ in words] for words in corpus.words]


def _conll_lines(lines: list[str], corpus: Corpus) -> Iterator[int]:
    """Yield the numbers of the lines that are tokens; the corpus has the lines that are not, such as comments."""
    offsets = corpus.offsets().tolist()
    others = [(offsets[sentence] + position, line) for sentence, position, line in corpus.native.asides]
    others.reverse()
    tokens = 0
    for number, line in enumerate(lines, 1):
        if others and (tokens, line) == others[-1]:
            others.pop()
        elif line.strip(" \t") and not _DOCUMENT_LINE.match(line):
            tokens += 1
            yield number
