"""TaggerComponent: a tagger, or a pool of taggers, as a component that labels documents and may be trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tagpool.bridges.spacy.component import Component
from tagpool.bridges.spacy.examples import ExampleReader
from tagpool.bridges.spacy.sentence_labels import Calibrations, SentenceLabels, label_corpus
from tagpool.bridges.spacy.training import TrainingSettings, calibrate_model, cross_calibrate
from tagpool.bridges.spacy.writing import check_labels
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.spacy.columns import build_corpus, check_columns
from tagpool.errors import InputError
from tagpool.tagging.models import fastest


class TaggerComponent(Component):
    """Labels documents with a tagger; ``initialize`` trains one if no model file is set."""

    def __init__(self, name: str, *, model: str | None, training: TrainingSettings, threads: int, **options: Any) -> None:
        if threads < 1:
            raise InputError(f"component {name!r}: threads = {threads}: expected a whole number from 1")
        self.training = training
        self.threads = threads
        self.calibrations = Calibrations()
        self._tagger: Any = None
        training.check(f"component {name!r}")
        super().__init__(name, model=model, **options)

    def _advice(self) -> str:
        return (
            'set a model file with config={"model": "names.tagpool"}, or train the component with nlp.initialize or spacy train'
        )

    def _check_model(self, model: Any) -> None:
        if not hasattr(model, "single_taggers"):
            raise InputError(
                f"{self.where}: the labels of other taggers are the input of a {model.kind}; use the component tagpool_pool"
            )
        if model.takes_features:
            raise InputError(f"{self.where}: the model was trained on features from Python; train it with templates")
        check_columns(model.columns, self.where)
        labels = model.labels_
        check_labels(self.annotation, labels, plain=is_plain(dict.fromkeys(labels, 1)), where=self.where)
        self._tagger = None

    def _label(self, documents: Sequence[Any], sentences: Sequence[list[list[int]]]) -> list[SentenceLabels]:
        if self._tagger is None:
            self._tagger = fastest(self.tagpool_model, self.threads)
        corpus = build_corpus(documents, sentences, self._tagger.columns, self.where)
        return [self.calibrations.apply(one) for one in label_corpus(self._tagger, corpus)]

    # Training -----------------------------------------------------------------------------------------------------------

    def initialize(self, get_examples: Callable[[], Iterable[Any]], *, nlp: Any = None) -> None:
        """Train a model on all examples, and calibrate its probabilities by cross-validation; a model file is loaded instead."""
        if self.path is not None:
            self.tagpool_model  # noqa: B018 - raises an error if the file is missing
            return
        reader = ExampleReader(self.annotation, self.training.columns(), self.where, nlp)
        corpus = reader.read(get_examples())
        self.tagpool_model = self.training.fit(corpus, self.threads)
        self.calibrations = cross_calibrate(self.training, corpus, self.threads)

    def calibrate(self, examples: Iterable[Any], *, nlp: Any = None) -> None:
        """Calibrate the probabilities of the model on examples that it was not trained on."""
        corpus = ExampleReader(self.annotation, self.tagpool_model.columns, self.where, nlp).read(examples)
        self.calibrations = calibrate_model(self.tagpool_model, corpus)

    # Files --------------------------------------------------------------------------------------------------------------

    def _data(self) -> dict[str, Any]:
        return {"calibrations": self.calibrations.to_dict()}

    def _set_data(self, data: dict[str, Any]) -> None:
        self.calibrations = Calibrations.from_dict(data.get("calibrations", {}))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the form of the model that tags."""
        return {**super().__getstate__(), "_tagger": None}
