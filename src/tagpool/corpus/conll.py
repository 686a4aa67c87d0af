"""CoNLL columns and CoNLL-U: one token per line, blank lines between sentences.

Columns are separated by blanks, or by single tabs if the first token line has one. ``-DOCSTART-`` lines (and ``# newdoc``
comments) begin documents. In plain columns a line that begins with ``#`` may be a token. It is a comment if it precedes the
first token of a sentence and reads ``# key = value`` or ``# newdoc``, or begins with ``# `` and has a different number of
columns than a token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from tagpool import _native
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import protect_mark, read_bytes, source_name
from tagpool.corpus.schemes import Scheme, detect
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError
from tagpool.wording import counted

DEFAULT_COLUMNS: dict[int, tuple[str, ...]] = {
    1: (WORD,),
    2: (WORD, LABEL),
    3: (WORD, "pos", LABEL),
    4: (WORD, "pos", "chunk", LABEL),
}
CONLLU_COLUMNS = (WORD, "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_SPACY_COLUMNS = {"upos": "pos", "xpos": "tag", "feats": "morph", "deprel": "dep"}
DOCUMENT_START = "-DOCSTART-"
_SURE_COMMENT = re.compile(r"#[ \t]*[^ \t=]+[ \t]+= |# [ \t]*newdoc( |$)")
DOCUMENT_COMMENT = re.compile(r"#[ \t]*newdoc( |$)")


def read_conll(path: str | Path, *, columns: Sequence[str] | None = None, encoding: str = "utf-8") -> Corpus:
    """Read CoNLL columns.

    Without names, 1 to 4 columns are called word; word, label; word, pos, label; word, pos, chunk, label.
    """
    source = source_name(path)
    data = read_bytes(path, encoding=encoding)
    names = default_names(data, source) if columns is None else column_names(columns, source)
    try:
        return _read(data, names, source, LABEL, conllu=False)
    except InputError as error:
        if columns is not None or not re.search(r" columns?, got ", error.message):
            raise
        hint = f'{error.message}; if this is plain text, read it as such (format="text", --format text, convert --from text)'
        raise InputError(hint, source=error.source, line=error.line) from None


def read_conllu(path: str | Path, *, encoding: str = "utf-8") -> Corpus:
    """Read CoNLL-U: the columns word (FORM), lemma, upos, xpos, feats, head, deprel, deps and misc. The label is upos.

    Comments, multiword ranges and empty nodes are no tokens; :func:`format_conllu` writes them back.
    """
    return _read(read_bytes(path, encoding=encoding), CONLLU_COLUMNS, source_name(path), "upos", conllu=True)


def column_names(columns: Sequence[str], source: str) -> tuple[str, ...]:
    """Return column names without surrounding blanks; raise an error if one is invalid."""
    names = tuple(name.strip() if isinstance(name, str) else name for name in columns)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"column name {name!r}: expected letters, digits and _, such as word or pos", source=source)
    if len(set(names)) != len(names):
        raise InputError(f"a column name occurs twice in {','.join(names)}", source=source)
    if not names:
        raise InputError("expected at least one column name, got none", source=source)
    return names


def last_columns(path: str | Path, last: Sequence[str], *, encoding: str = "utf-8") -> list[str]:
    """Return names for the columns of a file whose ``last`` names are known; the first of the others is the word.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("Ann NNP B-PER\\n")
    >>> last_columns(path, ["label"])
    ['word', 'column1', 'label']
    """
    count = _native.count_columns(read_bytes(path, encoding=encoding), False)
    least = len(last) + (list(last) == [LABEL])
    if 0 < count < least:
        expected = f"expected at least {counted(least, 'column')}, got {count}"
        message = f"{expected}; add the missing ones: the last must be {' and '.join(last)}"
        raise InputError(message, source=source_name(path), line=1)
    names = [WORD, *(f"column{i}" for i in range(1, max(count, len(last)) - len(last)))]
    return [*names[: max(count - len(last), 0)], *last]


def default_names(data: bytes, source: str) -> tuple[str, ...]:
    """Return names for the columns of a text."""
    count = _native.count_columns(data, False)
    if count <= max(DEFAULT_COLUMNS):
        return DEFAULT_COLUMNS[max(count, 1)]  # the reader raises an error for an empty file
    advice = "name them with columns=... (--columns word,pos,...,label)"
    raise InputError(f"{counted(count, 'column')}, and only 1 to 4 have default names; {advice}", source=source)


def _read(data: bytes, names: Sequence[str], source: str, label: str, *, conllu: bool) -> Corpus:
    with NameFaults(source, purpose=f"read {source}"):
        native = _native.read_conll(data, list(names), conllu)
    if native.sentence_count == 0:
        raise InputError("expected sentences, got none: the file is empty or has only blank lines and comments", source=source)
    return Corpus(native, label_column=label, source=source)


def format_conll(corpus: Corpus, *, columns: Sequence[str] | None = None, separator: str = " ") -> str:
    """Return columns (default: all but the blanks between tokens), with ``-DOCSTART-`` lines if documents are marked.

    A document that begins with a comment ``# newdoc`` has no such line. Sentences without tokens are left out: CoNLL does
    not have them.
    """
    if separator not in (" ", "\t"):
        raise InputError(f"separator {separator!r}: expected a blank or a tab")
    corpus = corpus.drop_empty()
    names = [name for name in corpus.columns if name != SPACE] if columns is None else list(columns)
    lists = [corpus.column(name) for name in names]
    if any(DOCUMENT_START in words for words in lists[0]):
        raise InputError(f"the word {DOCUMENT_START!r} would begin a document in a CoNLL file; replace it", source=corpus.source)
    for name in names:
        # A single column has no tab from which the reader could infer the separator.
        check_separable(corpus, name, separator if len(names) > 1 else " ")
    documents = set(corpus.document_starts)
    fillers = ["-X-"] * (len(names) - 2) + ["O"] if len(names) > 1 else []
    asides = comments_by_sentence(corpus)
    lines: list[str] = []
    for number, sentence in enumerate(zip(*lists, strict=True)):
        comments = [line for _, _, line in asides.get(number, ()) if _is_safe_comment(line, len(names))]
        if number in documents and not any(map(DOCUMENT_COMMENT.match, comments)):
            lines += [separator.join([DOCUMENT_START, *fillers]), ""]
        lines += comments
        lines += map(separator.join, zip(*sentence, strict=True))
        lines.append("")
    return protect_mark("\n".join(lines) + "\n")


def comments_by_sentence(corpus: Corpus) -> dict[int, list[tuple[int, int, str]]]:
    """Return the lines that are no tokens by sentence: (sentence, position, line)."""
    return {sentence: list(rows) for sentence, rows in groupby(corpus.native.asides, key=itemgetter(0))}


def _is_safe_comment(line: str, columns: int) -> bool:
    """Return whether a line would be read as a comment again, and not as a token."""
    if _SURE_COMMENT.match(line):
        return True
    return line.startswith("# ") and columns not in (len(line.split("\t")), len(re.findall(r"[^ \t]+", line)))


def lost_in_conll(corpus: Corpus) -> list[str]:
    """Return the lines that are no tokens and that columns do not have: multiword tokens, empty nodes, and unsafe comments."""
    columns = len([name for name in corpus.columns if name != SPACE])
    return [line for _, _, line in corpus.native.asides if not _is_safe_comment(line, columns)]


def check_separable(corpus: Corpus, name: str, separator: str) -> None:
    """Raise an error if a column has a string that would not be read as one field."""
    bad = "\t\n\r\0" if separator == "\t" else " \t\n\r\0"
    strings = corpus.strings(name)  # may include strings of a larger corpus that this one was selected from
    for text in (strings[number] for number in corpus.native.distinct(name)):
        if not text.strip(" ") or any(character in text for character in bad):
            advice = "; write it with tabs (--separator tab)" if separator != "\t" and text.strip(bad) else ""
            what = f"{text!r}, which has a blank inside" if text else "an empty string"
            raise InputError(f"column {name!r} has {what}: it does not fit into one column{advice}", source=corpus.source)


def format_conllu(corpus: Corpus) -> str:
    """Return CoNLL-U: columns by their names, plain labels as UPOS, ``_`` for the rest. Sentences without tokens are left out."""
    corpus = corpus.drop_empty()
    for name in (*CONLLU_COLUMNS, *_SPACY_COLUMNS.values(), LABEL):
        if name in corpus.columns:
            check_separable(corpus, name, "\t")
    sources = _conllu_sources(corpus)
    lists = [corpus.column(sources[name]) if name in sources else None for name in CONLLU_COLUMNS]
    asides = {number: [one for one in rows if _fits_conllu(one[2])] for number, rows in comments_by_sentence(corpus).items()}
    return "\n".join(numbered_lines(corpus, lists, asides)) + "\n"


def _fits_conllu(line: str) -> bool:
    """Return whether a line is a comment, or has the columns of CoNLL-U; those of CoNLL-U Plus are others."""
    return line.startswith("#") or line.count("\t") == len(CONLLU_COLUMNS)


def numbered_lines(
    corpus: Corpus, lists: Sequence[list[list[str]] | None], asides: Mapping[int, list[tuple[int, int, str]]]
) -> list[str]:
    """Return the lines of sentences with numbered tokens, ``_`` for columns that are None, and ``asides`` at their places."""
    documents = set(corpus.document_starts)
    lines: list[str] = []
    for number in range(len(corpus)):
        length = corpus.native.length(number)
        columns = [column[number] if column is not None else ["_"] * length for column in lists]
        around: dict[int, list[str]] = {}
        for _, position, line in asides.get(number, ()):
            around.setdefault(position, []).append(line)
        if number in documents and not any(map(DOCUMENT_COMMENT.match, around.get(0, ()))):
            lines.append("# newdoc")
        for position, fields in enumerate(zip(*columns, strict=True)):
            lines += around.get(position, ())
            lines.append("\t".join([str(position + 1), *fields]))
        lines += around.get(length, ())
        lines.append("")
    return lines


def lost_lines_of_conllu(corpus: Corpus) -> list[str]:
    """Return the lines that are no tokens and that CoNLL-U does not have."""
    return [line for _, _, line in corpus.native.asides if not _fits_conllu(line)]


def lost_in_conllu(corpus: Corpus) -> list[str]:
    """Return the columns that CoNLL-U does not have."""
    return [name for name in corpus.columns if name != SPACE and name not in _conllu_sources(corpus).values()]


def _conllu_sources(corpus: Corpus) -> dict[str, str]:
    """Map columns of CoNLL-U to columns of the corpus."""
    sources = {name: name for name in CONLLU_COLUMNS if name in corpus.columns}
    if "tag" in corpus.columns:  # the names of spaCy
        sources = {name: other for name, other in _SPACY_COLUMNS.items() if other in corpus.columns} | sources
    elif "pos" in corpus.columns:
        sources.setdefault("xpos", "pos")
    if corpus.label_column == LABEL and detect(corpus.labels).scheme is Scheme.PLAIN:  # span labels are no UPOS
        sources.setdefault("upos", LABEL)
    return sources
