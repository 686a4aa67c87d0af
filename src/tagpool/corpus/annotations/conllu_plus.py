"""CoNLL-U Plus: CoNLL-U with other columns, which its first line names: ``# global.columns = ID FORM UPOS TAGPOOL:LABEL``."""

from __future__ import annotations

import re
from pathlib import Path

from tagpool import _native
from tagpool.corpus.conll import CONLLU_COLUMNS, check_separable, comments_by_sentence, numbered_lines
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import decode_lines, read_bytes, source_name
from tagpool.corpus.text import SPACE, blanks_of
from tagpool.errors import InputError

GLOBAL_COLUMNS = "# global.columns ="
_ID, _FORM, _OWN = "ID", "FORM", "TAGPOOL:"
_MISC, _NO_SPACE = "misc", "SpaceAfter=No"
_HEADER = re.compile(r"#[ \t]*global\.columns[ \t]*=[ \t]*(.*)")


def read_conllu_plus(path: str | Path, *, encoding: str = "utf-8") -> Corpus:
    """Read a file.

    ``FORM`` is the column ``word``; other columns have their names in small letters, without the prefix ``TAGPOOL:``. The labels
    are the column ``label``, else the only column that CoNLL-U does not have, else ``upos``.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllup")
    >>> _ = path.write_text("# global.columns = ID FORM EXAMPLE:NER\\n1\\tAnn\\tB-PER\\n2\\tleft\\tO\\n")
    >>> read_conllu_plus(path).labels
    [['B-PER', 'O']]
    """
    source = source_name(path)
    data = read_bytes(path, encoding=encoding)
    first = next(iter(decode_lines(data.partition(b"\n")[0], source)), "")
    header = _HEADER.fullmatch(first)
    if header is None:
        raise InputError(
            f"expected the names of the columns, {GLOBAL_COLUMNS} ID FORM ..., got {first[:60]!r}", source=source, line=1
        )
    titles = header[1].split()
    if _FORM not in titles:
        raise InputError(f"expected a column FORM, got {header[1]}", source=source, line=1)
    has_ids = titles[0] == _ID
    names = [_column(title) for title in titles[has_ids:]]
    if len(set(names)) < len(names):
        raise InputError(f"a column name occurs twice in {header[1]}", source=source, line=1)
    with NameFaults(source, purpose=f"read {source}"):
        native = _native.read_conll(b"\n" + data.partition(b"\n")[2], names, has_ids)  # the header is no comment
    if native.sentence_count == 0:
        raise InputError("expected sentences, got none: the file has only blank lines and comments", source=source)
    others = [name for name in names if name not in CONLLU_COLUMNS]
    label = LABEL if LABEL in others else others[0] if len(others) == 1 else "upos"
    return Corpus(native, label_column=label, source=source)


def _column(title: str) -> str:
    return WORD if title == _FORM else title.removeprefix(_OWN).lower()


def _title(name: str) -> str:
    """Return the name of a column in the file."""
    return name.upper() if name in CONLLU_COLUMNS else _OWN + "_".join(name.upper().split())


def format_conllu_plus(corpus: Corpus) -> str:
    """Return all columns; those that CoNLL-U does not have get the prefix ``TAGPOOL:``. Sentences without tokens are left out.

    Blanks that are known are ``SpaceAfter=No`` in the column ``MISC``. Comments are written, and ranges of tokens if they have
    the same columns.
    """
    corpus = corpus.drop_empty()
    form = WORD if WORD in corpus.columns else corpus.columns[0]
    names = [form, *(name for name in corpus.columns if name not in (form, SPACE))]
    for name in names:
        check_separable(corpus, name, "\t")
    lists = [corpus.column(name) for name in names]
    if _has_blanks_only(corpus):
        names.append(_MISC)
        blanks = blanks_of(corpus)
        lists.append([["_" if space or at == len(row) else _NO_SPACE for at, space in enumerate(row, 1)] for row in blanks])
    lines = comments_by_sentence(corpus)
    asides = {number: [one for one in rows if _is_kept(one[2], len(names) + 1)] for number, rows in lines.items()}
    header = " ".join([GLOBAL_COLUMNS, _ID, _FORM, *map(_title, names[1:])])
    return "\n".join([header, *numbered_lines(corpus, lists, asides)]) + "\n"


def _has_blanks_only(corpus: Corpus) -> bool:
    """Return whether the blanks are known, and are written as ``MISC``."""
    return SPACE in corpus.columns and _MISC not in corpus.columns


def lost_lines(corpus: Corpus) -> list[str]:
    """Return the other lines that the file does not have: ranges of tokens with other columns."""
    columns = len([name for name in corpus.columns if name != SPACE]) + 1 + _has_blanks_only(corpus)
    return [line for _, _, line in corpus.native.asides if not _is_kept(line, columns) and not _HEADER.fullmatch(line)]


def _is_kept(line: str, columns: int) -> bool:
    """Return whether a line is a comment, or a range of tokens with as many columns as the file."""
    return not _HEADER.fullmatch(line) if line.startswith("#") else len(line.split("\t")) == columns
