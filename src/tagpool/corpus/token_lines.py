"""Lines of tokens: the number of the line that each token of a file was read from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tagpool.corpus.conll import DOCUMENT_START
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import Format, format_of

_DOCUMENT_LINE = re.compile(rf"[ \t]*{DOCUMENT_START}([ \t]|$)")


def token_lines(path: str | Path, corpus: Corpus, *, format: Format | None = None, encoding: str = "utf-8") -> list[list[int]]:  # noqa: A002
    """Return the line of every token of a corpus that was read from a file; empty for files without lines, such as Parquet.

    >>> import tempfile, pathlib
    >>> from tagpool import read_corpus
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("# id = 1\\nAnn B-PER\\nleft O\\n\\n\\nRain O\\n")
    >>> token_lines(path, read_corpus(path))
    [[2, 3], [6]]
    """
    kind = format_of(path) if format is None else format
    if kind in (Format.CONLL, Format.CONLLU):
        lines = _conll_lines(read_lines(path, encoding=encoding), corpus)
    elif kind in (Format.JSONL, Format.SPANS):
        numbered = enumerate(read_lines(path, encoding=encoding), 1)
        lines = (number for number, line in numbered if line.strip())
        return [[number] * len(words) for number, words in zip(lines, corpus.words, strict=False)]
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
