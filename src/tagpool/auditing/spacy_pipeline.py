"""Labels of a spaCy pipeline. Words are given as they are, one document per sentence."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

from tagpool.auditing.labellers import Labeller, Rows, TaggerError, call_tagger
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, detect
from tagpool.corpus.spacy.annotations import Annotation, document_labels, label_words
from tagpool.corpus.spacy.library import check_pipeline, load_pipeline
from tagpool.errors import InputError, check_type

SpacyLabels: TypeAlias = Literal["auto", "entities", "tag", "pos"]
"""Labels of a pipeline: entities as BIO2, fine or coarse parts of speech; "auto" chooses them by the gold labels."""


class SpacyLabeller(Labeller):
    """Labels of a spaCy pipeline: entities in BIO2, or parts of speech."""

    def __init__(self, pipeline: Any, name: str, mapping: Mapping[str, str] | None = None, *, what: SpacyLabels = "auto") -> None:
        super().__init__(name, mapping)
        if what not in get_args(SpacyLabels):
            raise InputError(f"what={what!r}: expected one of {', '.join(get_args(SpacyLabels))}")
        check_pipeline(pipeline)
        self.pipeline = pipeline
        self.what: SpacyLabels = what

    @classmethod
    def load(cls, name: str, mapping: Mapping[str, str] | None = None, *, what: SpacyLabels = "auto") -> SpacyLabeller:
        """Return the labeller of an installed pipeline or of a folder."""
        check_type(name, str, "the name of a spaCy pipeline or its folder")
        return cls(load_pipeline(name), name, mapping, what=what)

    def _label(self, corpus: Corpus) -> Rows:
        if self.what == "auto":
            self.what = self._choose(corpus)
        return [document_labels(document, Annotation(self.what)) for document in self._documents(corpus)]

    def _documents(self, corpus: Corpus) -> list[Any]:
        words = corpus.words
        documents = call_tagger(label_words, self.pipeline, words)
        if [len(document) for document in documents] != [len(row) for row in words]:
            raise TaggerError("documents with other words than it was given")
        return list(documents)

    def _choose(self, corpus: Corpus) -> SpacyLabels:
        """Return the labels that the gold labels have most words in common with; entities without gold labels."""
        if corpus.label_column is None or detect(corpus.labels).scheme is not Scheme.PLAIN:
            return "entities"
        gold = set(chain.from_iterable(corpus.labels))
        documents = self._documents(corpus[:100])
        common = {
            what: sum(getattr(token, f"{what}_") in gold for document in documents for token in document)
            for what in ("tag", "pos")
        }
        return "pos" if common["pos"] > common["tag"] else "tag"
