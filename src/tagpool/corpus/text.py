"""Plain text: one sentence a line, cut into tokens by one documented rule.

The rule; at every place that is not a blank, the first that fits:

1. a web or e-mail address is one token;
2. a number with its inner ``. , : / -``, a sign directly before it, and an ordinal ending: ``1,000.5``, ``-3``, ``21st``;
3. letters with periods (``U.S.``, ``e.g.``) and one capital with a period before a blank (``J. Smith``) keep their last period;
4. a word is letters, digits and marks with single ``' ’ - _ &`` inside (``O'Brien``, ``so-called``, ``AT&T``), a period
   between small letters (``example.com``), and an ``@`` or ``#`` before it; the endings ``n't 's 're 've 'll 'd 'm`` are
   tokens of their own, as in the Penn Treebank; common abbreviations (``Mr.``, ``Inc.``, ``Jan.``) keep their period;
5. a run of one punctuation mark (``...``, ``--``) is one token, and so is any other character.

Every character that is no blank ends up in exactly one token, whose place in the text is known.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tagpool import _native
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.files import read_lines, source_name, write_text
from tagpool.errors import InputError

LONGEST_LINE = 262_144
SPACE = "space"
"""The column of the blanks that follow each token, kept where the text they came from is known."""


class Token(NamedTuple):
    """A token and its place: ``text[start:end]``."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Cuts text into tokens by the rule above.

    >>> [token.text for token in tokenize("Mr. O'Brien didn't pay $1,000.50 (yet)...")]
    ['Mr.', "O'Brien", 'did', "n't", 'pay', '$', '1,000.50', '(', 'yet', ')', '...']
    """
    try:
        places = _native.tokenize(text)
    except _native.InputFault as fault:
        raise InputError(str(fault.args[0])) from None
    return [Token(text[start:end], start, end) for start, end in places]


def spaces_after(text: str, tokens: list[Token]) -> list[str]:
    """The blanks behind each token, so that the text can be put together again."""
    nexts = [*(token.start for token in tokens[1:]), len(text)][: len(tokens)]
    return [text[token.end : following] for token, following in zip(tokens, nexts, strict=True)]


def read_text(path: str | Path, *, encoding: str = "utf-8") -> Corpus:
    """Reads plain text, one sentence a line; an empty line begins a new document if text stands on both sides of it."""
    source = source_name(path)
    words: list[list[str]] = []
    spaces: list[list[str]] = []
    documents: list[int] = []
    gap = False
    for number, line in enumerate(read_lines(path, encoding=encoding), 1):
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"expected one sentence a line, got a line of {len(line):,} characters (the limit is {LONGEST_LINE:,})",
                source=source,
                line=number,
            )
        text = line.rstrip()  # a blank behind "J." would mean something, and at the end of a line it does not
        tokens = tokenize(text)
        if not tokens:
            gap = bool(words)
            continue
        if gap:
            documents.append(len(words))
            gap = False
        words.append([token.text for token in tokens])
        spaces.append(spaces_after(text, tokens))
    if not words:
        raise InputError("expected sentences, got none: the file is empty", source=source)
    starts = [0, *documents] if documents else []
    return Corpus.from_columns({WORD: words, SPACE: spaces}, documents=starts, source=source)


def write_text_lines(corpus: Corpus, path: str | Path) -> None:
    """Writes one sentence a line, as it was where that is known, else with one blank between tokens; labels are lost."""
    write_text(path, format_text(corpus))


def format_text(corpus: Corpus) -> str:
    """What :func:`write_text_lines` writes. A line end inside a sentence (of a JSONL text) becomes a blank."""
    documents = set(corpus.document_starts) - {0}
    lines: list[str] = []
    for number, text in enumerate(texts(corpus)):
        if number in documents:
            lines.append("")
        lines.append(text.replace("\n", " ").replace("\r", " "))
    return "\n".join(lines) + "\n"


def texts(corpus: Corpus) -> list[str]:
    """Each sentence as running text."""
    pairs = zip(corpus.words, blanks_of(corpus), strict=True)
    return ["".join(word + space for word, space in zip(*pair, strict=True)) for pair in pairs]


def blanks_of(corpus: Corpus) -> list[list[str]]:
    """What stands behind each token: the blanks of the text where they are known, SpaceAfter=No of CoNLL-U, else one blank."""
    if SPACE in corpus.columns:
        return corpus.column(SPACE)
    if "misc" in corpus.columns:
        found = [["" if "SpaceAfter=No" in misc.split("|") else " " for misc in sentence] for sentence in corpus.column("misc")]
    else:
        found = [[" "] * len(words) for words in corpus.words]
    for sentence in found:
        sentence[-1] = ""
    return found
