"""Component: the base of the components, which label documents in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import srsly
from spacy.scorer import Scorer, get_ner_prf
from spacy.util import raise_error

from tagpool import _native
from tagpool.bridges.spacy.sentence_labels import SentenceLabels
from tagpool.bridges.spacy.writing import write_labels
from tagpool.corpus.files import write_bytes
from tagpool.corpus.spacy.annotations import ENTITIES, POS, SPANS, Annotation
from tagpool.corpus.spacy.sentences import sentence_tokens
from tagpool.errors import InputError, ModelError
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.pools.loading import load, read
from tagpool.pools.stacked.pool import StackedPool

MODEL, DATA = "model.tagpool", "data.msgpack"
_Sentences = list[list[int]]


class Component:
    """Sets entities, span groups or tags of documents, with probabilities.

    ``tagpool_model`` is the loaded tagger or pool (``model`` has another meaning in spaCy). A model file that does not exist is
    an error at the first use only: a saved pipeline contains the model, and may be loaded where the file is missing.
    """

    def __init__(self, name: str, *, model: str | None, annotates: str, spans_key: str | None, overwrite: bool) -> None:
        self.name = name
        self.path = model
        self.overwrite = overwrite
        try:
            self.annotation = Annotation(annotates, spans_key or name)
        except InputError as error:
            raise InputError(f"component {name!r}: annotates = {error}") from None
        self._model: Any = None
        self._error_handler: Callable[..., Any] = raise_error
        if model is not None and Path(model).exists():
            self.tagpool_model = load(model)

    @property
    def where(self) -> str:
        """Name of the component for messages."""
        return f"component {self.name!r}"

    @property
    def tagpool_model(self) -> Any:
        """The tagger or pool."""
        if self._model is None:
            if self.path is None:
                raise InputError(f"{self.where}: it has no model; {self._advice()}")
            raise ModelError("there is no such file; give the component another model", source=self.path)
        return self._model

    @tagpool_model.setter
    def tagpool_model(self, model: Any) -> None:
        self._check_model(model)
        self._model = model

    def _advice(self) -> str:
        return 'name its file: config={"model": "names.pool"}'

    def _check_model(self, model: Any) -> None:
        """Raise an InputError for a model that the component does not take."""
        raise NotImplementedError

    @property
    def labels(self) -> tuple[str, ...]:
        """Types of spans, or tags."""
        if self._model is None:
            return ()
        names = label_names(self._model)
        return tuple(sorted({label.partition("-")[2] for label in names} - {""})) if self.annotation.is_spans else names

    # Labelling ----------------------------------------------------------------------------------------------------------

    def __call__(self, document: Any) -> Any:
        """Annotate a document, and return it."""
        try:
            self.annotate([document])
        except Exception as error:
            self._error_handler(self.name, self, [document], error)
        return document

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 128) -> Iterator[Any]:
        """Annotate a stream of documents in batches. A document that fails is left out if the error handler continues."""
        documents = iter(stream)
        while batch := list(islice(documents, batch_size)):
            try:
                self.annotate(batch)
                yield from batch
            except Exception:
                for document in batch:  # one by one: an error names its document, and costs no other one
                    try:
                        self.annotate([document])
                    except Exception as error:
                        self._error_handler(self.name, self, [document], error)
                    else:
                        yield document

    def set_error_handler(self, handler: Callable[..., Any]) -> None:
        """Set the function that receives errors, as spaCy's components do."""
        self._error_handler = handler

    def get_error_handler(self) -> Callable[..., Any]:
        """Return the function that receives errors."""
        return self._error_handler

    def annotate(self, documents: Sequence[Any]) -> None:
        """Annotate documents with one call of the model."""
        sentences = [sentence_tokens(document) for document in documents]
        results = iter(self._label(documents, sentences))
        for document, numbers in zip(documents, sentences, strict=True):
            write_labels(document, self.annotation, numbers, list(islice(results, len(numbers))), overwrite=self.overwrite)

    def _label(self, documents: Sequence[Any], sentences: Sequence[_Sentences]) -> list[SentenceLabels]:
        """Return the labels of all sentences of all documents."""
        raise NotImplementedError

    # Scores -------------------------------------------------------------------------------------------------------------

    def score(self, examples: Iterable[Any], **_: Any) -> dict[str, Any]:
        """Return spaCy's scores of the annotation, and the main one of them as ``tagpool_score``."""
        key = self.annotation.key
        if self.annotation.kind == ENTITIES:
            scores, main = get_ner_prf(examples), "ents_f"
        elif self.annotation.kind == SPANS:
            options: dict[str, Any] = {"getter": lambda document, _: document.spans.get(key, []), "allow_overlap": True}
            options["has_annotation"] = lambda document: key in document.spans
            scores, main = Scorer.score_spans(examples, f"spans_{key}", **options), f"spans_{key}_f"
        else:
            kind = "pos" if self.annotation.kind == POS else "tag"
            scores, main = Scorer.score_token_attr(examples, kind), f"{kind}_acc"
        return {**scores, "tagpool_score": scores.get(main)}

    # Files --------------------------------------------------------------------------------------------------------------

    def _data(self) -> dict[str, Any]:
        """Return further content as values for msgpack."""
        return {}

    def _set_data(self, data: dict[str, Any]) -> None:
        """Set the content of :meth:`_data`."""

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the component with its model."""
        content = {"model": None if self._model is None else model_bytes(self._model), "data": self._data()}
        packed: bytes = srsly.msgpack_dumps(content)
        return packed

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Component:
        """Set the model to that of :meth:`to_bytes`."""
        content = srsly.msgpack_loads(data)
        self._restore(content["model"], content["data"])
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the component with its model into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self._model is not None:
            write_bytes(folder / MODEL, model_bytes(self._model))
        write_bytes(folder / DATA, srsly.msgpack_dumps(self._data()))

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Component:
        """Set the model to that of a folder."""
        folder = Path(path)
        file = folder / MODEL
        data = srsly.msgpack_loads((folder / DATA).read_bytes()) if (folder / DATA).exists() else {}
        self._restore(file.read_bytes() if file.exists() else None, data)
        return self

    def _restore(self, model: bytes | None, data: dict[str, Any]) -> None:
        if model is not None:
            self.tagpool_model = model_of_bytes(model, self.where)
        self._set_data(data)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for another process: the model as bytes."""
        return {**self.__dict__, "_model": None if self._model is None else model_bytes(self._model)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.pop("_model")
        self.__dict__.update(state, _model=None)
        if model is not None:
            self.tagpool_model = model_of_bytes(model, self.where)


def label_names(model: Any) -> tuple[str, ...]:
    """Return the labels of a tagger or a pool."""
    return tuple((model.fitted.stack if isinstance(model, StackedPool) else model).labels_)


def model_bytes(model: Any) -> bytes:
    """Return the content of the file of a model."""
    data: bytes = model.to_bytes(SaveOptions())
    return data


def model_of_bytes(data: bytes, source: str) -> Any:
    """Return the model of the content of its file."""
    try:
        container = _native.Container.read(data)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None
    return read(ModelFile(container, source))
