"""Explanation of an inducing tagger's labels: contributions of features and of conjunctions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.experts.inducing.names import OUTSIDE, conjunction_name, label_name
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.explanation import (
    Contribution,
    Explanation,
    TokenExplanation,
    as_lines,
    by_difference,
    check_instead,
    contributions_table,
    describe_other,
)
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.inside.sentence_weights import Features, describe_features, summed_values
from tagpool.experts.memory_limit import demand_memory
from tagpool.views.html import Html
from tagpool.wording import counted


@dataclass(frozen=True)
class ScoreExplanation(TokenExplanation):
    """A label compared with the ``runner_up``; the labels before it stay the same.

    The runner-up is the label with the next score, or the label ``chosen`` by the caller.

    ``lead`` is the difference of the two scores; it may be negative with a beam. ``contributions`` are those of the token's
    features and conjunctions that have weights, largest absolute difference first; they add up to the lead.
    ``feature_count`` does not include conjunctions.
    """

    runner_up: str
    lead: float
    feature_count: int
    contributions: list[Contribution]
    chosen: bool = False

    @property
    def distance(self) -> str:
        """The place of the runner-up: behind the label, or ahead of it if the labels after the token decided."""
        return f"{'behind' if self.lead >= 0 else 'ahead'} by {abs(self.lead):.3f}"

    @property
    def heading(self) -> str:
        """The label and the runner-up."""
        return f"{self.label}  ({describe_other(self.runner_up, chosen=self.chosen)}, {self.distance})"

    def lines(self, top: int = 8, *, by_template: bool = True) -> list[str]:
        """Contributions."""
        return as_lines(self.contributions, top, by_template=by_template)

    def html(self, top: int = 8) -> Html:
        """Contributions."""
        return contributions_table(self.contributions, label=self.label, instead=self.runner_up, top=top)


def explain(
    tagger: InducingTagger, corpus: Corpus, sentence: int = 0, instead: str | Sequence[str | None] | None = None
) -> Explanation:
    """Explains the labels of a sentence of a corpus; ``instead`` are labels to compare with in place of the runner-up.

    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"], ["Snow"]], label=[["PER"], ["O"], ["O"]])
    >>> first = explain(InducingTagger("word[0]").fit(corpus), corpus)[0]
    >>> first.label, first.runner_up, [one.feature for one in first.contributions]
    ('PER', 'O', ['word[0]=Ann'])
    """
    model = tagger._fitted()
    document, place = corpus.document_of(sentence)
    features, history = describe_features(tagger, document, place)
    labels = [model.labels.index(label) for label in tagger.predict(document)[place]]
    words = document[place].words
    for row, before in zip(features, history, strict=True):
        needed = (len(row) + len(before)) ** 2 / 2 * (12 * len(model.labels) + 300)
        what = f"the conjunctions of a token with {counted(len(row), 'feature')}"
        demand_memory(tagger, needed, what, "explain a sentence of shorter words")
    others = [None if one is None else model.labels.index(one) for one in check_instead(instead, model.labels, len(words))]
    with NameFaults():
        return Explanation(
            [
                _token(model, words[t], features[t], [name for name, _ in history[t]], labels, t, others[t])
                for t in range(len(words))
            ]
        )


def _token(
    model: _native.OnlineModel,
    word: str,
    features: Features,
    history: list[str],
    labels: list[int],
    t: int,
    instead: int | None,
) -> ScoreExplanation:
    names, numbers, values = _active(model, features, history, labels, t)
    weights = model.weights_at(numbers).reshape(-1, len(model.labels)).astype(np.float64) * values[:, None]
    first, second = np.triu_indices(len(names), 1)  # all conjunctions of two features
    conjunction_weights = model.conjunction_weights_at(numbers[first], numbers[second])
    all_weights = np.concatenate([weights, conjunction_weights.reshape(-1, len(model.labels)).astype(np.float64)])
    scores = weights.sum(axis=0) + all_weights[len(weights) :].sum(axis=0)
    label = labels[t]
    runner_up, chosen = instead, True
    if runner_up is None or runner_up == label:
        runner_up, chosen = int(np.argmax(np.where(np.arange(len(scores)) == label, -np.inf, scores))), False
    all_names = [*names, *(conjunction_name(names[a], names[b]) for a, b in zip(first, second, strict=True))]
    contributions = [
        Contribution(name, float(row[label]), float(row[label] - row[runner_up]))
        for name, row in zip(all_names, all_weights, strict=True)
        if row.any()
    ]
    return ScoreExplanation(
        word=word,
        label=model.labels[label],
        runner_up=model.labels[runner_up],
        lead=float(scores[label] - scores[runner_up]),
        feature_count=len(names),
        contributions=by_difference(contributions),
        chosen=chosen,
    )


def _active(
    model: _native.OnlineModel, row: Features, history: list[str], labels: list[int], t: int
) -> tuple[list[str], NDArray[np.uint32], NDArray[np.float64]]:
    """The features of a token: names, numbers in the model, values."""
    values = summed_values(row)
    backs = dict(zip(model.history_template_keys, model.backs, strict=True))
    befores = [[labels[t - back] if back <= t else len(model.labels) for back in backs[template_of(name)]] for name in history]
    texts = [*model.labels, OUTSIDE]
    with_labels = [label_name(name, [texts[y] for y in before]) for name, before in zip(history, befores, strict=True)]
    numbers = np.concatenate([model.numbers_of(list(values)), model.labelled_numbers_of(history, befores)])
    return [*values, *with_labels], numbers, np.array([*values.values(), *[1.0] * len(with_labels)])
