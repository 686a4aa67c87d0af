"""LabelledFiles: a corpus in files that is read in blocks, for trainings with a memory budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tagpool import _native
from tagpool.corpus.blocks import Blocks
from tagpool.corpus.conll import CONLLU_COLUMNS, column_names, default_names
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import STANDARD_STREAM, check_path, name_read_errors, source_name
from tagpool.corpus.formats import Format, format_of
from tagpool.errors import InputError

_FORMATS = (Format.CONLL, Format.CONLLU)
_DOCUMENT_MARKS = {False: b"\n\n-DOCSTART-\n\n", True: b"\n\n# newdoc\n"}  # by whether the format is CoNLL-U


class LabelledFiles:
    """CoNLL or CoNLL-U files, read as one corpus in blocks of some megabytes, as often as needed.

    ``columns``, ``label``, ``format`` and ``encoding`` are those of :func:`read_corpus`.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("Ann B-PER\\nleft O\\n")
    >>> [block.labels for block in LabelledFiles(path).blocks()]
    [[['B-PER', 'O']]]
    """

    def __init__(
        self,
        *paths: str | Path,
        columns: Sequence[str] | str | None = None,
        label: str | None = None,
        format: Format | str | None = None,  # noqa: A002 - the usual word
        encoding: str = "utf-8",
    ) -> None:
        if not paths:
            raise InputError("expected at least one file")
        for one in paths:
            check_path(one)
        self.paths = [Path(one) for one in paths]
        self.names = columns.split(",") if isinstance(columns, str) else columns
        self.label = label
        self.encoding = encoding
        self.source = source_name(self.paths[0])
        for path in self.paths:
            kind = format_of(path) if format is None else Format(format)
            if kind not in _FORMATS:
                advice = "convert it with tagpool convert --to conll"
                raise InputError(f"a memory budget needs CoNLL files, and this is read as {kind.value}; {advice}", source=path)
            if str(path) == STANDARD_STREAM or path.is_fifo():
                raise InputError("a memory budget needs a file that can be read twice, not a stream", source=source_name(path))
        self.format = format
        self._with_documents: set[Path] = set()  # of those read so far

    def state(self) -> list[tuple[int, int]]:
        """Return the size and the time of each file, which tell whether it changed."""
        states = []
        for path in self.paths:
            with name_read_errors(source_name(path)):
                state = path.stat()
            states.append((state.st_size, state.st_mtime_ns))
        return states

    def blocks(self, *, by_document: bool = False) -> Iterator[Corpus]:
        """Yield the sentences; with ``by_document`` no document is divided.

        Sentences before the first mark of a file are a document if it was read before.
        """
        first: Corpus | None = None
        for path in self.paths:
            for corpus in self._read(path, by_document):
                if first is not None and (corpus.columns, corpus.label_column) != (first.columns, first.label_column):
                    columns, others = ", ".join(corpus.columns), ", ".join(first.columns)
                    advice = "name the columns of all files with --columns"
                    message = f"the columns are {columns}, those of {first.source} are {others}; {advice}"
                    raise InputError(message, source=corpus.source)
                first = first or corpus
                yield corpus

    def _read(self, path: Path, by_document: bool) -> Iterator[Corpus]:
        conllu = (format_of(path) if self.format is None else Format(self.format)) is Format.CONLLU
        source = source_name(path)
        names: Sequence[str] | None = CONLLU_COLUMNS if conllu else self.names and column_names(self.names, source)
        label = self.label or ("upos" if conllu else LABEL)
        is_empty = True
        in_document = by_document and path in self._with_documents
        for block in Blocks(path, encoding=self.encoding, by_document=by_document, in_document=in_document):
            block_names = names or default_names(block.text, source)
            with NameFaults(source, block.lines_before, f"read {source}"):
                native = _native.read_conll(block.text, list(block_names), conllu)
                if in_document and native.sentence_count and not native.documents:  # those before the first mark
                    native = _native.read_conll(block.text + _DOCUMENT_MARKS[conllu], list(block_names), conllu)
            if native.documents or (not native.sentence_count and block.has_document()):
                self._with_documents.add(path)
            if native.sentence_count:
                is_empty = False
                names = block_names  # a block without sentences does not show the columns
                yield Corpus(native, label_column=label, source=source).require_labels()
        if is_empty:
            message = "expected sentences, got none: the file is empty or has only blank lines and comments"
            raise InputError(message, source=source)
