"""Plain text: one sentence per line, tokenised by these rules.

At every position that is not a blank, the first rule that matches:

1. a web or e-mail address is one token;
2. a number with its inner ``. , : / -``, a sign directly before it, and an ordinal ending: ``1,000.5``, ``-3``, ``21st``;
3. letters with periods (``U.S.``, ``e.g.``) and one capital with a period before a blank (``J. Smith``) keep their last period;
4. a word is letters, digits and marks with single ``' ’ - _ &`` inside (``O'Brien``, ``so-called``, ``AT&T``), a period
   between small letters (``example.com``), and an ``@`` or ``#`` before it; the endings ``n't 's 're 've 'll 'd 'm`` are
   separate tokens, as in the Penn Treebank; common abbreviations (``Mr.``, ``Inc.``, ``Jan.``) keep their period;
5. a run of one punctuation mark (``...``, ``--``) is one token, and so is any other character.

Every character that is not a blank is in exactly one token.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tagpool import _native
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import protect_mark, read_lines, source_name
from tagpool.errors import InputError, check_type
from tagpool.wording import counted

LONGEST_LINE = 262_144
SPACE = "space"  # column of the blanks that follow each token, if the text is known


class Token(NamedTuple):
    """A token and its position: ``text[start:end]``."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Tokenise a text by the rules of this module.

    >>> [token.text for token in tokenize("Mr. O'Brien didn't pay $1,000.50 (yet)...")]
    ['Mr.', "O'Brien", 'did', "n't", 'pay', '$', '1,000.50', '(', 'yet', ')', '...']
    """
    return [Token(text[start:end], start, end) for start, end in token_places(text)]


def token_places(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of every token of :func:`tokenize`.

    >>> token_places("Ann left.")
    [(0, 3), (4, 8), (8, 9)]
    """
    check_type(text, str, "a text")
    with NameFaults():
        return _native.tokenize(text)


def spaces_after(text: str, tokens: list[Token]) -> list[str]:
    """Return the blanks after each token, from which the text can be restored."""
    following = [*(token.start for token in tokens[1:]), len(text)]
    return [text[token.end : start] for token, start in zip(tokens, following, strict=False)]


def tokenize_line(line: str, source: str, number: int) -> list[Token]:
    """Tokenise a line without the blanks at its end; raise an error with its number if it is too long."""
    if len(line) > LONGEST_LINE:
        message = (
            f"expected one sentence per line, got a line of {counted(len(line), 'character')} (the limit is {LONGEST_LINE:,})"
        )
        raise InputError(message, source=source, line=number)
    return tokenize(line.rstrip())  # a blank after "J." is significant, but not at the end of a line


def read_text(path: str | Path, *, encoding: str = "utf-8") -> Corpus:
    """Read plain text, one sentence per line; an empty line between sentences begins a new document."""
    source = source_name(path)
    words: list[list[str]] = []
    spaces: list[list[str]] = []
    documents = [0]
    gap = False
    for number, line in enumerate(read_lines(path, encoding=encoding), 1):
        tokens = tokenize_line(line, source, number)
        if not tokens:
            gap = bool(words)
            continue
        if gap:
            documents.append(len(words))
            gap = False
        words.append([token.text for token in tokens])
        spaces.append(spaces_after(line.rstrip(), tokens))
    if not words:
        raise InputError("expected sentences, got none: the file is empty", source=source)
    return Corpus.from_columns({WORD: words, SPACE: spaces}, documents=documents if len(documents) > 1 else (), source=source)


def format_text(corpus: Corpus) -> str:
    """Return text with one sentence per line, with the original blanks if they are known; labels are lost.

    A line end inside a sentence (of JSONL) becomes a blank. Sentences without tokens are left out: an empty line begins a
    document.
    """
    corpus = corpus.drop_empty()
    documents = set(corpus.document_starts) - {0}
    lines: list[str] = []
    for number, text in enumerate(texts(corpus)):
        if number in documents:
            lines.append("")
        lines.append(text.replace("\n", " ").replace("\r", " "))
    return protect_mark("\n".join(lines) + "\n")


def texts(corpus: Corpus) -> list[str]:
    """Return each sentence as running text."""
    rows = zip(corpus.words, blanks_of(corpus), strict=True)
    return ["".join(word + space for word, space in zip(*row, strict=True)) for row in rows]


def blanks_of(corpus: Corpus) -> list[list[str]]:
    """Return the blanks after each token: those of the text if known, SpaceAfter=No of CoNLL-U, else one blank."""
    if SPACE in corpus.columns:
        return corpus.column(SPACE)
    if "misc" in corpus.columns:
        blanks = [["" if "SpaceAfter=No" in misc.split("|") else " " for misc in sentence] for sentence in corpus.column("misc")]
    else:
        blanks = [[" "] * len(words) for words in corpus.words]
    for sentence in blanks:
        sentence[-1:] = [""] * bool(sentence)
    return blanks
