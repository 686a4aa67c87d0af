"""Drift: how new text differs from the text that a tagger was tested on, without gold labels."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from tagpool.auditing.comparison import Comparison, TextSums
from tagpool.auditing.drift_result import Drift
from tagpool.auditing.known_words import KnownWords, ModelWords, TextWords, word_column
from tagpool.auditing.labellers import Labeller, labeller_of
from tagpool.auditing.resampling import Resampler, has_documents, sentence_lengths, units_of
from tagpool.auditing.text_measures import TextMeasures
from tagpool.auditing.unweighted import counts_unweighted
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, check_type
from tagpool.wording import counted

FEWEST = 100
"""Smallest number of sentences of a reference: ten runs of ten sentences."""


def measure_drift(
    tagger: Any,
    new: Mapping[str, Corpus] | Corpus,
    reference: Corpus,
    *,
    train: Corpus | None = None,
    level: float = 0.99,
    seed: int = 0,
    on_text: Callable[[int, int], object] | None = None,
) -> Drift:
    """Measure how new texts differ from a reference that the tagger works well on, without gold labels.

    The measures are the share of unknown words, the share of features that the model has no weight for, the mean confidence of
    labels and of spans, and the change of the shares of labels. Each has an alarm level for the size of the text.

    Args:
        tagger: A tagger, a labeller, or a function of a list of lists of words that returns their labels.
        new: Texts by name, such as one per file or day; or one corpus.
        reference: Text like the one that the tagger was tested on, such as the dev set; labels are not needed. It must not be
            the training text, on which a tagger is too sure.
        train: The training text, whose words are known. By default the words are known that the model has weights for; for
            other taggers those of one half of the reference, which is then compared with the other half only.
        level: Probability that no text raises an alarm if all are like the reference.
        seed: Seed of the samples of the reference.
        on_text: Function that is called with the number of finished texts, and of all texts.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[0]\\nsuffix(word, 2)[0]").fit(builtin_corpus(200))
    >>> upper = Corpus.from_lists(word=[[word.upper() for word in row] for row in builtin_corpus(100, part="test").words])
    >>> drift = measure_drift(crf, {"test": builtin_corpus(100, part="test"), "upper": upper}, builtin_corpus(300, part="dev"))
    >>> sorted({row.text for row in drift.alarms})
    ['upper']
    """
    texts = _check_texts(new)
    _check_corpus(reference, "the reference")
    if not isinstance(level, float) or not 0.5 <= level < 1:
        raise InputError(f"level={level!r}: expected a number from 0.5 to below 1, such as 0.99")
    labeller = labeller_of(tagger)
    notes: list[str] = []
    reference = _without_labels(reference)
    known, reference = _known_words(labeller, train, reference, seed, notes)
    _check_size(labeller, reference, notes)
    features = labeller.model is not None and counts_unweighted(labeller.model, reference)
    measures = TextMeasures(labeller, known, reference, features=features)
    units, description = units_of(reference)
    documents = has_documents(reference)
    sampler = Resampler(measures.reference, sentence_lengths(reference), units, documents=documents, seed=seed)
    sums: dict[str, TextSums | None] = {}
    for number, (name, corpus) in enumerate(texts.items(), 1):
        sums[name] = None
        if corpus.token_count:
            part = _without_labels(corpus)
            sums[name] = TextSums(measures.table(part).sum(axis=0), len(part.document_starts) or None)
        if on_text is not None:
            on_text(number, len(texts))
    rows = Comparison(measures, sampler).rows(sums, level)
    return Drift(rows, level, description, known.source, [*notes, *labeller.notes])


def _check_texts(new: Any) -> dict[str, Corpus]:
    texts = {"new": new} if isinstance(new, Corpus) else new
    check_type(texts, Mapping, "a dict of texts by name, such as {'monday': read_corpus(path)}")
    if not texts:
        raise InputError("expected at least one new text, got none")
    for name, corpus in texts.items():
        _check_corpus(corpus, f"the text {name!r}")
    if not any(corpus.token_count for corpus in texts.values()):
        raise InputError("the new texts have no words; give texts with sentences")
    return {str(name): corpus for name, corpus in texts.items()}


def _check_corpus(corpus: Any, name: str) -> None:
    check_type(corpus, Corpus, f"{name} as a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")


def _without_labels(corpus: Corpus) -> Corpus:
    """Return the sentences with words; gold labels, if there are some, do not matter."""
    return Corpus(corpus.drop_empty().native, label_column=None, source=corpus.source)


def _check_size(labeller: Labeller, reference: Corpus, notes: list[str]) -> None:
    """Raise an error for a reference that is too small; note one of the size of the training text."""
    if len(reference) < FEWEST:
        message = f"expected at least {FEWEST} sentences in the reference, got {len(reference)}"
        raise InputError(f"{message}; add sentences, since fewer do not show what chance does", source=reference.source)
    summary = {} if labeller.model is None else labeller.model.single_taggers()[0].summary_
    if (summary.get("sentences"), summary.get("tokens")) == (len(reference), reference.token_count):
        notes.append(
            "the reference is as large as the training text; if it is this text, every other text raises alarms: use a dev set"
        )


def _known_words(
    labeller: Labeller, train: Corpus | None, reference: Corpus, seed: int, notes: list[str]
) -> tuple[KnownWords, Corpus]:
    """Return the known words, and the part of the reference to compare with."""
    if train is not None:
        _check_corpus(train, "the training text")
        return TextWords(train, "the training text"), reference
    words = None if labeller.model is None else ModelWords.of(labeller.model, word_column(reference))
    if words is not None:
        return words, reference
    bounds, _ = units_of(reference)
    order = list(range(len(bounds) - 1))
    random.Random(seed).shuffle(order)
    halves = [
        [sentence for unit in sorted(part) for sentence in range(bounds[unit], bounds[unit + 1])]
        for part in (order[: len(order) // 2], order[len(order) // 2 :])
    ]
    if len(reference) >= FEWEST > len(halves[1]):
        message = f"expected at least {counted(2 * FEWEST, 'sentence')} in the reference, one half of which has the known words"
        advice = "add sentences, or give the training text (--train, train=...)"
        raise InputError(f"{message}; got {len(reference)}; {advice}", source=reference.source)
    notes.append(
        "the words that the tagger knows are not known: those of one half of the reference count as known, and the texts are "
        "compared with the other half; --train FILE (train=...) has the words of the training text"
    )
    return TextWords(reference.select(halves[0]), "half of the reference"), reference.select(halves[1])
