"""Taggers of files by their format. A start-up file: it imports the tagger of one format only."""

from __future__ import annotations

from pathlib import Path

from tagpool.corpus.blocks import Blocks
from tagpool.corpus.files import source_name
from tagpool.corpus.formats import Format, format_to_read
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from tagpool.tagging.docbin import DocbinTagger
    from tagpool.tagging.labeller import Labeller, StreamTagger
    from tagpool.tagging.parquet import ParquetTagger


def create_tagger(
    labeller: Labeller,
    path: Path,
    kind: Format | None = None,
    *,
    columns: str | None = None,
    encoding: str = "utf-8",
    keep_going: bool = False,
) -> StreamTagger | ParquetTagger | DocbinTagger:
    """Return the tagger of a file; iteration yields its bytes with labels. ``kind`` defaults to the format of its name."""
    kind = format_to_read(kind, path)
    if columns is not None and kind not in (Format.CONLL, Format.PARQUET):
        advice = "use --format conll"
        raise InputError(f"--columns is for CoNLL and Parquet, not for {kind.value}; {advice}", source=source_name(path))
    if kind is Format.PARQUET:
        from tagpool.tagging.parquet import ParquetTagger

        return ParquetTagger(labeller, path, columns)
    if kind is Format.SPACY:
        from tagpool.tagging.docbin import DocbinTagger

        return DocbinTagger(labeller, path)
    by_line = kind not in (Format.CONLL, Format.CONLLU)
    by_document = labeller.by_document and not by_line
    blocks = Blocks(path, encoding=encoding, by_line=by_line, by_document=by_document, keep_going=keep_going)
    if kind is Format.CONLL:
        from tagpool.tagging.conll import ConllTagger

        return ConllTagger(labeller, blocks, columns)
    if kind is Format.CONLLU:
        from tagpool.tagging.conll import ConlluTagger, conllu_column

        return ConlluTagger(labeller, blocks, conllu_column(labeller))
    if kind is Format.TEXT:
        from tagpool.tagging.text import TextTagger

        return TextTagger(labeller, blocks)
    if kind not in (Format.JSONL, Format.SPANS):
        advice = f"convert the file first: tagpool convert {path} --from {kind.value} -o FILE.conll"
        raise InputError(f"tagpool tag does not write the format {kind.value}; {advice}", source=source_name(path))
    from tagpool.tagging.jsonl import JsonlTagger

    return JsonlTagger(labeller, blocks)
