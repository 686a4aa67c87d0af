"""PoolComponent: pipelines and earlier components as experts, combined by a pool that is known by their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacy.util import get_lang_class
from thinc.api import Config

from tagpool.bridges.spacy.component import Component, label_names
from tagpool.bridges.spacy.sentence_labels import SentenceLabels, with_probabilities
from tagpool.bridges.spacy.writing import check_labels
from tagpool.corpus.schemes import is_plain, spans
from tagpool.corpus.spacy.annotations import ENTITIES, NAMES, SPANS, Annotation
from tagpool.corpus.spacy.library import load_pipeline
from tagpool.corpus.spacy.sentences import make_document
from tagpool.corpus.spacy.spans import number_tokens
from tagpool.errors import InputError
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.pool import VotePool

_Labels = list[list[str]]


class PoolComponent(Component):
    """Labels documents with a pool. Pipelines among the experts are saved with the component."""

    def __init__(
        self,
        name: str,
        *,
        model: str | None,
        experts: Mapping[str, str],
        mapping: Mapping[str, Mapping[str, str]],
        **options: Any,
    ) -> None:
        self.experts = dict(experts)
        self.mapping = {expert: dict(names) for expert, names in mapping.items()}
        self._pipelines: dict[str, Any] = {}
        if not experts:
            advice = 'name some: config={"experts": {"ner": "doc.ents", "other": "fr_core_news_sm"}}'
            raise InputError(f"component {name!r}: expected experts, got an empty table; {advice}")
        unknown = [expert for expert in mapping if expert not in experts]
        if unknown:
            known = ", ".join(experts)
            raise InputError(f"component {name!r}: mapping: there is no expert {unknown[0]!r}; the experts are {known}")
        super().__init__(name, model=model, **options)

    def _check_model(self, model: Any) -> None:
        if not isinstance(model, (StackedPool, UnsupervisedPool, VotePool)):
            raise InputError(f"{self.where}: expected a pool of labels (tagpool pool fit), got a {model.kind}; use tagpool")
        if isinstance(model, VotePool) and model.lengths != "same":
            raise InputError(f"{self.where}: expected a pool with one label per word; fit it with lengths='same'")
        labels = label_names(model)
        check_labels(self.annotation, labels, plain=is_plain(dict.fromkeys(labels, 1)), where=self.where)
        shown = ", ".join(model.experts_)
        same = set(self.experts) & set(model.experts_)
        if not same or (isinstance(model, VotePool) and set(self.experts) != set(model.experts_)):
            raise InputError(f"{self.where}: expected the experts of the pool ({shown}), got {', '.join(self.experts)}")

    def _pipeline(self, expert: str) -> Any:
        if expert not in self._pipelines:
            self._pipelines[expert] = load_pipeline(self.experts[expert])
        return self._pipelines[expert]

    # Labelling ----------------------------------------------------------------------------------------------------------

    def _label(self, documents: Sequence[Any], sentences: Sequence[list[list[int]]]) -> list[SentenceLabels]:
        words = [[document[i].text for i in row] for document, rows in zip(documents, sentences, strict=True) for row in rows]
        if not words:
            return []
        predictions = {expert: self._votes(expert, documents, sentences) for expert in self.experts}
        pool = self.tagpool_model
        if isinstance(pool, StackedPool):
            labels, probabilities = pool.predict_with_confidence(predictions, words=words)
            scored = pool.predict_spans(predictions, words=words)
            pairs = zip(labels, probabilities, scored, strict=True)
            return [SentenceLabels(row, [s for s, _ in one], p.tolist(), [v for _, v in one]) for row, p, one in pairs]
        if isinstance(pool, UnsupervisedPool):
            rows = pool.predict(predictions, words=words)
            return with_probabilities(rows, pool.lattices(predictions, words=words), pool.labels_)
        labels, confidences = pool.predict_with_confidence(predictions, words=words)
        return [_least(row, values.tolist()) for row, values in zip(labels, confidences, strict=True)]

    def _votes(self, expert: str, documents: Sequence[Any], sentences: Sequence[list[list[int]]]) -> _Labels:
        """Return the labels of an expert for all sentences."""
        read = Annotation.parse(self.experts[expert])
        source = f"the pipeline {self.experts[expert]}"
        if read is None:
            documents = self._run(expert, documents, sentences)
            read = Annotation(ENTITIES if self.annotation.kind == SPANS else self.annotation.kind)
            sentences = [number_tokens(rows) for rows in sentences]
        else:
            source = f"a component before {self.where}"
        labels: _Labels = []
        for document, rows in zip(documents, sentences, strict=True):
            if rows and not read.is_set(document):
                shown = f"doc.spans[{read.key!r}]" if read.kind == SPANS else NAMES[read.kind]
                raise InputError(
                    f"{self.where}: the expert {expert!r} reads {shown}, which {source} does not set; correct the experts"
                )
            labels += read.labels(document, rows, mapping=self.mapping.get(expert), longest=True)
        return labels

    def _run(self, expert: str, documents: Sequence[Any], sentences: Sequence[list[list[int]]]) -> list[Any]:
        """Return the documents with the annotation of a pipeline: the same words, without tokens of blanks."""
        pipeline = self._pipeline(expert)
        inputs = []
        for document, rows in zip(documents, sentences, strict=True):
            words = [[document[i].text for i in row] for row in rows]
            blanks = [[document[i].whitespace_ for i in row] for row in rows]
            inputs.append(make_document(pipeline.vocab, words, blanks))
        results = list(pipeline.pipe(inputs))
        if [len(one) for one in results] != [sum(map(len, rows)) for rows in sentences]:
            raise InputError(
                f"{self.where}: expected the same tokens from the pipeline {self.experts[expert]}; disable what merges them"
            )
        return results

    # Files --------------------------------------------------------------------------------------------------------------

    def _data(self) -> dict[str, Any]:
        names = [expert for expert, source in self.experts.items() if Annotation.parse(source) is None]
        pipelines = {name: self._pipeline(name) for name in names}
        return {name: [nlp.lang, nlp.config.to_str(), nlp.to_bytes()] for name, nlp in pipelines.items()}

    def _set_data(self, data: dict[str, Any]) -> None:
        for name, (language, config, content) in data.items():
            pipeline = get_lang_class(language).from_config(Config().from_str(config))
            self._pipelines[name] = pipeline.from_bytes(content)


def _least(labels: list[str], confidences: list[float]) -> SentenceLabels:
    """Return labels whose spans have the lowest confidence of their tokens."""
    whole = spans(labels)
    return SentenceLabels(labels, whole, confidences, [min(confidences[span.start : span.end]) for span in whole])
