"""Token-classification pipelines and GLiNER models as experts: functions from lists of words to labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tagpool.corpus.annotations.dialects import DIALECTS
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertSource
from tagpool.wording import counted

Words = Sequence[Sequence[str]]
Expert = Callable[[Words], list[list[str]]]
_NAME = "expert"


def from_pipeline(pipeline: Any, **options: Any) -> Expert:
    """Return a token-classification pipeline of transformers as an expert, for :func:`tagpool.predictions_of` and pools.

    Args:
        pipeline: The result of ``transformers.pipeline("token-classification", ...)``, with or without aggregation.
        options: Further arguments of each call, such as ``batch_size=16``.

    Words are passed with blanks between them. Types become BIO2 labels; a span that ends inside a word is extended to it.

    >>> pipeline = lambda texts: [[{"entity_group": "PER", "score": 0.9, "word": "Ann", "start": 0, "end": 3}] for _ in texts]
    >>> from_pipeline(pipeline)([["Ann", "left"]])
    [['B-PER', 'O']]
    """
    if not callable(pipeline):
        raise InputError(f"expected a pipeline, got {type(pipeline).__name__}")
    return partial(_label, lambda texts: pipeline(texts, **options))


def from_gliner(model: Any, types: Iterable[str], **options: Any) -> Expert:
    """Return a GLiNER model as an expert, for :func:`tagpool.predictions_of` and pools.

    Args:
        model: A model with ``predict_entities(text, types)``.
        types: The types of entities to look for.
        options: Further arguments of each call, such as ``threshold=0.5``.
    """
    if not hasattr(model, "predict_entities"):
        raise InputError(f"expected a model with predict_entities, got {type(model).__name__}")
    names = [types] if isinstance(types, str) else list(types)
    return partial(_label, lambda texts: [model.predict_entities(text, names, **options) for text in texts])


def _label(predict: Callable[[list[str]], Any], sentences: Words) -> list[list[str]]:
    """Return the labels of sentences; empty ones are not passed."""
    full = [list(words) for words in sentences if len(words)]
    outputs = predict([" ".join(words) for words in full]) if full else []
    if not isinstance(outputs, list) or len(outputs) != len(full):
        got = counted(len(outputs), "list") if isinstance(outputs, list) else type(outputs).__name__
        raise InputError(f"expected a list of entities for {counted(len(full), 'sentence')}, got {got}")
    rows = iter(_read(full, outputs))
    return [next(rows) if len(words) else [] for words in sentences]


def _read(sentences: list[list[str]], outputs: Sequence[Any]) -> list[list[str]]:
    """Return BIO2 labels of the spans in outputs."""
    annotations = []
    for number, (words, output) in enumerate(zip(sentences, outputs, strict=True), 1):
        entities = json.loads(json.dumps(output, default=float))  # scores are numbers of NumPy
        fail = partial(InputError, source=f"output {number}")
        record = Record({"text": " ".join(words), "entities": entities}, fail, "output", number)
        dialect = next(one for one in DIALECTS if one.matches(record.value))
        annotations.append(dialect.read(record))
    corpus = Corpus.from_lists(word=sentences)
    labels = collect_labels([ExpertSource("output", {_NAME: ""}, annotations)], corpus).labels[_NAME]
    return [[label or "O" for label in row or ()] for row in labels]
