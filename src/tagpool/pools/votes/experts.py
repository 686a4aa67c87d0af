"""Experts from anywhere: taggers, functions, spaCy pipelines; and honest predictions where there is but one training set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, to_labels
from tagpool.errors import InputError
from tagpool.parameters import Parameters

Labels: TypeAlias = list[list[str | None]]


def predictions_of(experts: Mapping[str, Any], sentences: Corpus | Sequence[Sequence[str]]) -> dict[str, Labels]:
    """What each expert says of sentences: taggers (anything with ``predict``), or functions of a list of lists of words.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[0]").fit(builtin_corpus(50))
    >>> shout = lambda sentences: [["B-PER" if word.istitle() else "O" for word in words] for words in sentences]
    >>> found = predictions_of({"crf": crf, "capitals": shout}, builtin_corpus(5, part="test"))
    >>> {name: len(labels) for name, labels in found.items()}
    {'crf': 5, 'capitals': 5}
    """
    words = sentences.words if isinstance(sentences, Corpus) else [list(each) for each in sentences]
    found: dict[str, Labels] = {}
    for name, expert in experts.items():
        if hasattr(expert, "predict"):
            said = expert.predict(sentences)
        elif callable(expert):
            said = expert(words)
        else:
            raise InputError(f"expected a tagger or a function, got {type(expert).__name__}", source=name)
        try:
            labels = [list(each) for each in said]
        except TypeError:
            raise InputError(f"expected a list of labels for every sentence, got {said!r:.80}", source=name) from None
        if len(labels) != len(words):
            raise InputError(f"expected labels for {len(words)} sentences, got {len(labels)}", source=name)
        found[name] = labels
    return found


def from_spacy(pipeline: Any, *, what: str = "entities") -> Callable[[Sequence[Sequence[str]]], list[list[str]]]:
    """A spaCy pipeline as an expert on sentences that are cut into words already.

    ``what`` is ``entities`` (BIO2 labels), ``tag`` (fine parts of speech) or ``pos`` (coarse ones).
    """
    if what not in ("entities", "tag", "pos"):
        raise InputError(f"what={what!r}: expected entities, tag or pos")
    if not hasattr(pipeline, "vocab"):
        raise InputError(f"expected a spaCy pipeline, got {type(pipeline).__name__}")

    from spacy.tokens import Doc  # installed wherever a pipeline exists

    def label(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        found = []
        for words in sentences:
            document = pipeline(Doc(pipeline.vocab, words=list(words)))
            if what == "entities":
                spans = [Span(each.start, each.end, each.label_) for each in document.ents]
                found.append(to_labels(spans, len(words), Scheme.BIO2))
            else:
                found.append([getattr(token, f"{what}_") or "_" for token in document])
        return found

    return label


def cross_val_predict(
    experts: Mapping[str, Any], corpus: Corpus, folds: int = 5, *, seed: int = 1, say: Callable[[str], object] = lambda _: None
) -> dict[str, Labels]:
    """What experts say of sentences that they were not trained on: each is fitted ``folds`` times, on all but a part.

    ``experts`` are taggers, fitted or not; they are left as they are. ``say`` is told of every fit.

    >>> from tagpool import CRF, MaxEnt, builtin_corpus
    >>> corpus = builtin_corpus(40)
    >>> found = cross_val_predict({"crf": CRF("word[0]"), "maxent": MaxEnt("suffix(word, 1..3)[0]")}, corpus, 2)
    >>> [len(labels) for labels in found["crf"]] == [len(labels) for labels in corpus.labels]
    True
    """
    for name, expert in experts.items():
        if not isinstance(expert, Parameters) or not hasattr(expert, "fit"):
            raise InputError(f"expected a tagger of tagpool's, got {type(expert).__name__}", source=name)
    found: dict[str, Labels] = {name: [[] for _ in range(len(corpus))] for name in experts}
    for fold, (train, test) in enumerate(corpus.fold_numbers(folds, seed=seed), 1):
        for name, expert in experts.items():
            say(f"{name}: part {fold} of {folds}")
            fresh = type(expert)(**expert.get_params(deep=False))
            labels = fresh.fit(corpus.select(train)).predict(corpus.select(test))
            for number, each in zip(test, labels, strict=True):
                found[name][number] = each
    return found
