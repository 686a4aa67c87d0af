"""ExampleReader: a corpus of the examples that spaCy trains with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.schemes import Scheme, Span, convert_many, spans
from tagpool.corpus.spacy.annotations import ENTITIES, SPANS, Annotation, span_labels
from tagpool.corpus.spacy.attributes import ATTRIBUTES, EMPTY
from tagpool.corpus.spacy.columns import check_columns, document_starts, token_values
from tagpool.corpus.spacy.sentences import sentence_tokens
from tagpool.errors import InputError
from tagpool.experts.training_data import UNKNOWN

_BOUNDARIES = {"doc.sents", "token.is_sent_start"}


class ExampleReader:
    """Reads the gold annotation of examples, aligned with the tokens of the pipeline. Labels that do not align are unknown.

    Sentences and columns are those that the component gets later: the sentences of the gold documents if an earlier component
    sets sentences, else whole documents; columns from the gold documents, or from the ``annotating_components`` of
    spaCy's configuration.
    """

    def __init__(self, annotation: Annotation, columns: Sequence[str], where: str, nlp: Any = None) -> None:
        check_columns(columns, where)
        self.annotation = annotation
        self.columns = columns
        self.where = where
        self._has_sentences = False
        self._annotating: list[Any] = []
        if nlp is not None:
            names = list(nlp.component_names)
            name = next((one for one in names if where == f"component {one!r}"), None)
            earlier = names[: names.index(name)] if name is not None else names
            metas = [nlp.get_pipe_meta(one) for one in earlier]
            self._has_sentences = any(_BOUNDARIES & set(meta.assigns) for meta in metas)
            chosen = nlp.config["training"].get("annotating_components", [])
            pipes = dict(nlp.components)
            self._annotating = [pipes[one] for one in earlier if one in chosen]

    def read(self, examples: Iterable[Any]) -> Corpus:
        """Return the corpus of the examples that have the annotation; each is a document."""
        columns: dict[str, list[list[str]]] = {name: [] for name in self.columns}
        labels: list[list[str]] = []
        places: list[list[list[int]]] = []
        for example in examples:
            if not len(example.predicted) or not self._is_annotated(example.reference):
                continue
            for pipe in self._annotating:
                example.predicted = pipe(example.predicted)
            sentences, rows = self._sentences_and_labels(example)
            for name in self.columns:
                columns[name] += self._values(example, sentences, name)
            labels += rows
            places.append(sentences)
        if not any(label not in (UNKNOWN, "O") for row in labels for label in row):
            shown = f"doc.spans[{self.annotation.key!r}]" if self.annotation.kind == SPANS else self.annotation.kind
            raise InputError(f"{self.where}: expected examples with {shown}, and no example has any; annotate the documents")
        return Corpus.from_columns({**columns, LABEL: labels}, documents=document_starts(places))

    def _is_annotated(self, reference: Any) -> bool:
        return self.annotation.is_set(reference)

    def _sentences_and_labels(self, example: Any) -> tuple[list[list[int]], list[list[str]]]:
        if not self.annotation.is_spans:
            tags = example.get_aligned(self.annotation.kind.upper(), as_string=True)
            sentences = self._sentences(example, ())
            return sentences, [[tags[number] or UNKNOWN for number in sentence] for sentence in sentences]
        whole, unknown = self._entities(example) if self.annotation.kind == ENTITIES else self._group(example)
        sentences = self._sentences(example, whole)
        rows = [span_labels(whole, sentence) for sentence in sentences]
        for row, sentence in zip(rows, sentences, strict=True):
            for place, number in enumerate(sentence):
                if number in unknown:
                    row[place] = UNKNOWN
        return sentences, rows

    def _entities(self, example: Any) -> tuple[list[Span], set[int]]:
        """Return the aligned entities, and the tokens whose label is unknown."""
        tags = example.get_aligned_ner()
        unknown = {number for number, tag in enumerate(tags) if tag in (None, "-")}
        known = ["O" if number in unknown else tag for number, tag in enumerate(tags)]
        rows, _ = convert_many([known], Scheme.BILOU, Scheme.BIO2, repair=True)
        return spans(rows[0]), unknown

    def _group(self, example: Any) -> tuple[list[Span], set[int]]:
        """Return the aligned spans of the group, and the tokens of spans that do not align."""
        reference = example.reference
        self.annotation.spans(reference)  # raises an error if they overlap
        aligned, unknown = [], set()
        for span in reference.spans[self.annotation.key]:
            matches = example.get_aligned_spans_y2x([span])
            aligned += [Span(one.start, one.end, one.label_) for one in matches]
            if not matches:
                unknown |= {int(number) for number in example.alignment.y2x[span.start : span.end]}
        return sorted(aligned), unknown

    def _sentences(self, example: Any, whole: Sequence[Span]) -> list[list[int]]:
        starts = example.get_aligned_sent_starts() if self._has_sentences else [None]
        if starts and starts[0] is not None:
            return sentence_tokens(example.predicted, whole, {number for number, start in enumerate(starts) if start})
        return sentence_tokens(example.predicted, whole)

    def _values(self, example: Any, sentences: list[list[int]], name: str) -> list[list[str]]:
        attribute = ATTRIBUTES[name].name
        if attribute and example.reference.has_annotation(attribute) and not example.predicted.has_annotation(attribute):
            values = example.get_aligned(attribute, as_string=True)
            return [[values[number] or EMPTY for number in sentence] for sentence in sentences]
        return token_values(example.predicted, sentences, name, self.where)
