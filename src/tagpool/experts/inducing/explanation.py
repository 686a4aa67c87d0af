"""Why an inducing tagger gives a sentence its labels: what each feature of a token adds, and each pair of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.inducing.names import OUTSIDE, joined_name, labelled_name
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.explanation import Contribution


@dataclass(frozen=True)
class ScoredToken:
    """Why a token has its label rather than the ``runner_up``, which scores most of the others.

    The labels before it are as they were given. ``lead`` is by how much the label's score is larger; with a beam it may be less
    than nothing. ``contributions`` are those of the token's features and pairs of features that have weights, the largest
    differences (of either sign) first; they add up to the lead. ``feature_count`` is how many features it has, without pairs.
    """

    word: str
    label: str
    runner_up: str
    lead: float
    feature_count: int
    contributions: list[Contribution]


def explain_scores(tagger: InducingTagger, corpus: Corpus, sentence: int = 0) -> list[ScoredToken]:
    """Explains the labels of a sentence of a corpus.

    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"], ["Snow"]], label=[["PER"], ["O"], ["O"]])
    >>> first = explain_scores(InducingTagger("word[0]").fit(corpus), corpus)[0]
    >>> first.label, first.runner_up, [each.feature for each in first.contributions]
    ('PER', 'O', ['word[0]=Ann'])
    """
    model = tagger._fitted()
    if model.given:
        raise InputError("the model was trained on given features: only features of templates can be explained")
    document, place = corpus.document_of(sentence)
    given = tagger.predict(document)[place]
    number = {label: index for index, label in enumerate(model.labels)}
    labels = [number[label] for label in given]
    try:
        features = model.encoder(1).describe(document.native, place)
        history = model.history_encoder(1).describe(document.native, place) if model.has_history else [[] for _ in features]
    except _native.InputFault as fault:
        raise tagger._explained(fault, document) from None
    words = document[place].words
    return [_token(model, words[t], features[t], [name for name, _ in history[t]], labels, t) for t in range(len(words))]


def _token(
    model: _native.OnlineModel, word: str, row: list[tuple[str, float]], history: list[str], labels: list[int], t: int
) -> ScoredToken:
    names, numbers, values = _active(model, row, history, labels, t)
    weights = model.weights_at(numbers).reshape(-1, len(model.labels)).astype(np.float64) * values[:, None]
    both = list(combinations(range(len(names)), 2))
    first, second = (numbers[[pair[side] for pair in both]] for side in (0, 1))
    of_pairs = model.pair_weights_at(first, second).reshape(-1, len(model.labels)).astype(np.float64)
    scores = weights.sum(axis=0) + of_pairs.sum(axis=0)
    label = labels[t]
    runner_up = int(np.argmax(np.where(np.arange(len(scores)) == label, -np.inf, scores)))
    every = [*names, *(joined_name(names[a], names[b]) for a, b in both)]
    found = [
        Contribution(name, float(of[label]), float(of[label] - of[runner_up]))
        for name, of in zip(every, np.concatenate([weights, of_pairs]), strict=True)
        if of.any()
    ]
    return ScoredToken(
        word=word,
        label=model.labels[label],
        runner_up=model.labels[runner_up],
        lead=float(scores[label] - scores[runner_up]),
        feature_count=len(names),
        contributions=sorted(found, key=lambda each: -abs(each.difference)),
    )


def _active(
    model: _native.OnlineModel, row: list[tuple[str, float]], history: list[str], labels: list[int], t: int
) -> tuple[list[str], NDArray[np.uint32], NDArray[np.float64]]:
    """The features of a token: names, numbers in the model, values."""
    values: dict[str, float] = {}
    for name, value in row:
        values[name] = values.get(name, 0.0) + value
    backs = dict(zip(model.history_template_keys, model.backs, strict=True))
    befores = [
        [labels[t - back] if back <= t else len(model.labels) for back in backs[name.partition("=")[0]]] for name in history
    ]
    texts = [*model.labels, OUTSIDE]
    labelled = [labelled_name(name, [texts[y] for y in before]) for name, before in zip(history, befores, strict=True)]
    numbers = np.concatenate([model.numbers_of(list(values)), model.labelled_numbers_of(history, befores)])
    return [*values, *labelled], numbers, np.array([*values.values(), *[1.0] * len(labelled)])
