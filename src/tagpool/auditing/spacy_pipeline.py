"""Labels of a spaCy pipeline. Words are given as they are, one document per sentence."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

from tagpool.auditing.labellers import Labeller, Rows, TaggerError, call_tagger
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, detect, to_labels
from tagpool.errors import InputError, check_type

SpacyLabels: TypeAlias = Literal["auto", "entities", "tag", "pos"]
"""Labels of a pipeline: entities as BIO2, fine or coarse parts of speech; "auto" chooses them by the gold labels."""


class SpacyLabeller(Labeller):
    """Labels of a spaCy pipeline: entities in BIO2, or parts of speech."""

    def __init__(self, pipeline: Any, name: str, mapping: Mapping[str, str] | None = None, *, what: SpacyLabels = "auto") -> None:
        super().__init__(name, mapping)
        if what not in get_args(SpacyLabels):
            raise InputError(f"what={what!r}: expected one of {', '.join(get_args(SpacyLabels))}")
        if not hasattr(pipeline, "vocab") or not hasattr(pipeline, "pipe"):
            raise InputError(f"expected a spaCy pipeline, got {type(pipeline).__name__}")
        self.pipeline = pipeline
        self.what: SpacyLabels = what

    @classmethod
    def load(cls, name: str, mapping: Mapping[str, str] | None = None, *, what: SpacyLabels = "auto") -> SpacyLabeller:
        """Return the labeller of an installed pipeline or of a folder."""
        check_type(name, str, "the name of a spaCy pipeline or its folder")
        try:
            import spacy
        except ImportError:
            raise InputError("spaCy is missing; pip install spacy", source=name) from None
        try:
            pipeline = spacy.load(name)
        except MemoryError:
            raise
        except Exception as error:
            message = f"spaCy cannot load this pipeline: {str(error).strip() or type(error).__name__}"
            raise InputError(message, source=name) from error
        return cls(pipeline, name, mapping, what=what)

    def _label(self, corpus: Corpus) -> Rows:
        if self.what == "auto":
            self.what = self._choose(corpus)
        return [self._row(document) for document in self._documents(corpus)]

    def _documents(self, corpus: Corpus) -> list[Any]:
        from spacy.tokens import Doc

        words = corpus.words
        inputs = (Doc(self.pipeline.vocab, words=row, sent_starts=[True, *[False] * (len(row) - 1)]) for row in words)
        documents = call_tagger(lambda: list(self.pipeline.pipe(inputs)))
        if [len(document) for document in documents] != [len(row) for row in words]:
            raise TaggerError("documents with other words than it was given")
        return list(documents)

    def _row(self, document: Any) -> list[str]:
        if self.what == "entities":
            return to_labels([Span(one.start, one.end, one.label_) for one in document.ents], len(document), Scheme.BIO2)
        return [getattr(token, f"{self.what}_") or "_" for token in document]

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
