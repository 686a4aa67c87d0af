"""Tagging of .spacy files: entities or tags of the documents are replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tagpool.corpus.files import source_name
from tagpool.corpus.schemes import is_plain, spans
from tagpool.corpus.spacy.columns import build_corpus, check_columns
from tagpool.corpus.spacy.files import docbin_bytes, read_documents
from tagpool.corpus.spacy.sentences import sentence_tokens
from tagpool.corpus.spacy.spans import place_spans
from tagpool.errors import InputError
from tagpool.tagging.labeller import Labeller


class DocbinTagger:
    """Tags a .spacy file: iteration yields the bytes of one whose documents have the labels as entities, or as tags."""

    skipped = 0  # documents are never skipped

    def __init__(self, labeller: Labeller, path: Path) -> None:
        self.on_error: Callable[[InputError], object] = lambda error: None
        self.sentences = 0
        self.tokens = 0
        self._labeller = labeller
        self._path = path
        if labeller.nbest or labeller.probabilities:
            advice = "use the component tagpool in a pipeline, which sets probabilities"
            raise InputError(f"--nbest and --probabilities are not for .spacy files; {advice}", source=source_name(path))
        check_columns(labeller.columns, source_name(path))

    def __iter__(self) -> Iterator[bytes]:
        source = source_name(self._path)
        documents = read_documents(self._path)
        sentences = [sentence_tokens(document) for document in documents]
        corpus = build_corpus(documents, sentences, self._labeller.columns, source)
        if not len(corpus):
            raise InputError("expected documents with words, got none", source=source)
        self.sentences, self.tokens = len(corpus), corpus.token_count
        rows = iter(self._labeller.labels(corpus.native))
        plain = is_plain(dict.fromkeys(self._labeller.names, 1))
        for document, numbers in zip(documents, sentences, strict=True):
            labels = [next(rows) for _ in numbers]
            if not plain:
                document.set_ents(place_spans(document, numbers, map(spans, labels)), default="outside")
                continue
            for number, label in zip((n for row in numbers for n in row), (one for row in labels for one in row), strict=True):
                document[number].tag_ = label
        yield docbin_bytes(documents)
