"""Predictions of taggers, functions and spaCy pipelines, also by cross-validation on a single training set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.rows import as_rows
from tagpool.corpus.spacy.annotations import Annotation, document_labels, label_words
from tagpool.corpus.spacy.library import check_pipeline
from tagpool.errors import InputError, check_type
from tagpool.experts.tasks import iterate_tasks
from tagpool.parameters import Parameters
from tagpool.wording import counted

Labels: TypeAlias = list[list[str | None]]


def predictions_of(experts: Mapping[str, Any], sentences: Corpus | Iterable[Iterable[str]]) -> dict[str, Labels]:
    """Return the labels of each expert: a tagger (anything with ``predict``), or a function of a list of lists of words.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[0]").fit(builtin_corpus(50))
    >>> rule = lambda sentences: [["B-PER" if word.istitle() else "O" for word in words] for words in sentences]
    >>> predictions = predictions_of({"crf": crf, "capitals": rule}, builtin_corpus(5, part="test"))
    >>> {name: len(labels) for name, labels in predictions.items()}
    {'crf': 5, 'capitals': 5}
    """
    _check_names(experts)
    if not isinstance(sentences, Corpus):
        sentences = as_rows(sentences)
        for sentence in sentences:
            check_type(sentence, Iterable, "a list of words for each sentence")
    words = sentences.words if isinstance(sentences, Corpus) else [list(sentence) for sentence in sentences]
    predictions: dict[str, Labels] = {}
    for name, expert in experts.items():
        if hasattr(expert, "predict"):
            output = expert.predict(sentences)
        elif callable(expert):
            output = expert(words)
        else:
            raise InputError(f"expected a tagger or a function, got {type(expert).__name__}", source=name)
        try:
            labels = [list(row) for row in output]
        except TypeError:
            raise InputError(f"expected a list of labels for every sentence, got {output!r:.80}", source=name) from None
        if len(labels) != len(words):
            raise InputError(f"expected labels for {counted(len(words), 'sentence')}, got {len(labels)}", source=name)
        predictions[name] = labels
    return predictions


def _check_names(experts: Any) -> None:
    if not isinstance(experts, Mapping):
        raise InputError(f"expected a dict of experts by name, such as {{'crf': crf}}, got {type(experts).__name__}")


def from_spacy(pipeline: Any, *, what: str = "entities") -> Callable[[Sequence[Sequence[str]]], list[list[str]]]:
    """Return a spaCy pipeline as an expert on tokenised sentences.

    ``what`` is ``entities`` (BIO2 labels), ``tag`` (fine parts of speech) or ``pos`` (coarse ones).
    """
    if what not in ("entities", "tag", "pos"):
        raise InputError(f"what={what!r}: expected entities, tag or pos")
    check_pipeline(pipeline)

    def label(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        return [document_labels(document, Annotation(what)) for document in label_words(pipeline, sentences)]

    return label


def cross_val_predict(
    experts: Mapping[str, Any], corpus: Corpus, folds: int = 5, *, seed: int = 1, on_fit: Callable[[str], object] = lambda _: None
) -> dict[str, Labels]:
    """Return the labels that experts give to sentences they were not trained on, by cross-validation.

    ``experts`` are taggers, fitted or not; copies of them are trained. ``on_fit`` is called with a message before each fit.

    >>> from tagpool import CRF, MaxEnt, builtin_corpus
    >>> corpus = builtin_corpus(40)
    >>> predictions = cross_val_predict({"crf": CRF("word[0]"), "maxent": MaxEnt("suffix(word, 1..3)[0]")}, corpus, 2)
    >>> [len(labels) for labels in predictions["crf"]] == [len(labels) for labels in corpus.labels]
    True
    """
    _check_names(experts)
    for name, expert in experts.items():
        if not isinstance(expert, Parameters) or not hasattr(expert, "fit"):
            raise InputError(f"expected a tagger of tagpool, got {type(expert).__name__}", source=name)
    check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
    predictions: dict[str, Labels] = {name: [[] for _ in range(len(corpus))] for name in experts}
    parts = [
        (name, fold, (expert, corpus, train, test))
        for fold, (train, test) in enumerate(corpus.fold_numbers(folds, seed=seed), 1)
        for name, expert in experts.items()
    ]
    labels = iterate_tasks(_fit_and_predict, [task for _, _, task in parts])
    for name, fold, (*_, test) in parts:
        on_fit(f"{name}: part {fold} of {folds}")
        for number, row in zip(test, next(labels), strict=True):
            predictions[name][number] = row
    return predictions


def _fit_and_predict(task: tuple[Any, Corpus, Sequence[int], Sequence[int]]) -> Labels:
    """Train a copy of a tagger on some sentences, and label others."""
    expert, corpus, train, test = task
    copy = type(expert)(**expert.get_params(deep=False))
    labels: Labels = copy.fit(corpus.select(train)).predict(corpus.select(test))
    return labels
