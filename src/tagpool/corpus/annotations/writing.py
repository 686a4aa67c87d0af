"""Writing of the files of annotation tools; everything that they have no place for is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tagpool.corpus.annotations.brat_writing import write_brat
from tagpool.corpus.annotations.conllu_plus import format_conllu_plus, lost_lines
from tagpool.corpus.annotations.inception import write_inception
from tagpool.corpus.annotations.json_writing import format_doccano, format_label_studio, format_prodigy
from tagpool.corpus.annotations.losses import Losses, count_lines
from tagpool.corpus.annotations.text_documents import EMPTY_SENTENCES
from tagpool.corpus.annotations.webanno_writing import format_webanno
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_text
from tagpool.corpus.formats import Format

_FORMATTED: dict[Format, Callable[[Corpus, Losses], str]] = {
    Format.PRODIGY: format_prodigy,
    Format.DOCCANO: format_doccano,
    Format.LABEL_STUDIO: format_label_studio,
    Format.WEBANNO: format_webanno,
    Format.CONLLUP: lambda corpus, losses: _format_conllu_plus(corpus, losses),
}
_WRITTEN: dict[Format, Callable[[Corpus, str | Path, Losses], None]] = {
    Format.BRAT: write_brat,
    Format.INCEPTION: write_inception,
}


def write_tool_corpus(corpus: Corpus, path: str | Path, kind: str, losses: Losses) -> None:
    """Write a corpus in the format ``kind``.

    >>> import tempfile, pathlib
    >>> path, losses = pathlib.Path(tempfile.mkdtemp(), "a.jsonl"), Losses()
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], pos=[["NNP", "VBD"]], label=[["B-PER", "O"]])
    >>> write_tool_corpus(corpus, path, "doccano", losses)
    >>> path.read_text(), losses.describe()
    ('{"text": "Ann left", "label": [[0, 3, "PER"]]}\\n', 'column pos (2)')
    """
    known = Format(kind)
    if known in _WRITTEN:
        _WRITTEN[known](corpus, path, losses)
    else:
        write_text(path, _FORMATTED[known](corpus, losses))


def _format_conllu_plus(corpus: Corpus, losses: Losses) -> str:
    losses[EMPTY_SENTENCES] += len(corpus) - len(corpus.drop_empty())
    losses.update(count_lines(lost_lines(corpus)))
    return format_conllu_plus(corpus)
