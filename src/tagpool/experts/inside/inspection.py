"""Top features, transitions and transition features of a model, by weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, has_history_names, history_names
from tagpool.experts.tagger import Tagger

_CHUNK = 1 << 16  # features whose weights are read at once: the [features][labels] matrix of a large model would not fit


class TopFeatures(NamedTuple):
    """Features with the largest positive and the largest negative weights for a label, strongest first."""

    positive: list[tuple[str, float]]
    negative: list[tuple[str, float]]

    def __str__(self) -> str:
        return "\n".join(f"{weight:+9.3f}  {name}" for name, weight in (*self.positive, *reversed(self.negative)))


class Transition(NamedTuple):
    """The weight of a label after another; ``before`` is None at the start of a sentence, ``after`` None at its end."""

    before: str | None
    after: str | None
    weight: float


class TransitionFeature(NamedTuple):
    """The weight of a feature for a label after another."""

    feature: str
    before: str
    after: str
    weight: float


def template_of(name: str) -> str:
    """The template of a feature.

    >>> template_of("word[0]=a=b")
    'word[0]'
    """
    return name.partition("=")[0]


def features_by_template(tagger: Tagger) -> dict[str, int]:
    """The number of features of each template, in the order of the templates; transition features come last.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]\\nshape[0]").fit(Corpus.from_lists(word=[["Ann", "Bob"]], label=[["PER", "O"]]))
    >>> features_by_template(crf)
    {'word[0]': 2, 'shape(word)[0]': 1}
    """
    counts = Counter(map(template_of, filter(None, feature_names(tagger))))
    known = [key for key in dict.fromkeys(tagger._fitted().template_keys) if key in counts]
    transitions = Counter(map(template_of, history_names(tagger))) if has_history_names(tagger) else Counter()
    return {key: counts[key] for key in known or sorted(counts)} | dict(sorted(transitions.items()))


def top_features(
    tagger: Tagger, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None
) -> dict[str, TopFeatures]:
    """The ``top`` features of either sign for each label, of all templates or of one; equal weights in the order of names.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> [name for name, _ in top_features(crf)["PER"].positive]
    ['word[0]=Ann']
    """
    wanted = label_numbers(tagger, labels)
    names = sorted(name for name in set(feature_names(tagger)) if name and (template is None or template_of(name) == template))
    if template is not None and not names and template not in (known := features_by_template(tagger)):
        raise InputError(f"no feature has the template {template!r}; the templates are {', '.join(known) or '(none)'}")
    best: dict[str, TopFeatures] = {label: TopFeatures([], []) for label in wanted}
    for chunk, weights in iterate_weights(tagger._fitted(), names):
        for label, number in wanted.items():
            columns = zip(best[label], (1, -1), strict=True)
            best[label] = TopFeatures(*(_largest(features, chunk, weights[:, number], top, sign) for features, sign in columns))
    return best


def top_transitions(tagger: Expert, *, top: int = 10, labels: Sequence[str] | None = None) -> list[Transition]:
    """The transitions with the largest absolute weights; none without a chain. With ``labels`` only from or to these.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> [(one.before, one.after) for one in top_transitions(crf) if one.weight > 0][0]
    ('PER', 'O')
    """
    wanted = label_numbers(tagger, labels)
    model = tagger._fitted()
    if not model.chain:
        return []
    names = list(model.labels)
    edges = model.edges().reshape(len(names) + 2, len(names)).tolist()
    transitions = [Transition(before, after, edges[i][j]) for i, before in enumerate(names) for j, after in enumerate(names)]
    transitions += [Transition(None, label, edges[-2][j]) for j, label in enumerate(names)]
    transitions += [Transition(label, None, edges[-1][j]) for j, label in enumerate(names)]
    chosen = [one for one in transitions if one.weight and (one.before in wanted or one.after in wanted)]
    return sorted(chosen, key=lambda one: -abs(one.weight))[:top]


def top_transition_features(
    tagger: Expert, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None
) -> list[TransitionFeature]:
    """The transition features with the largest absolute weights, of all templates or of one.

    With ``labels``, only from or to these.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"], ["Ann", "left"]], label=[["PER", "O"], ["PER", "O"]])
    >>> [one[:3] for one in top_transition_features(CRF("word[0]\\nlabel[-1] & word[0]").fit(corpus))]
    [('label[-1]&word[0]=left', 'PER', 'O')]
    """
    wanted = label_numbers(tagger, labels)
    model = tagger._fitted()
    known = list(model.labels)
    names = sorted(name for name in history_names(tagger) if template is None or template_of(name) == template)
    numbers, bigrams, weights = model.history_weights_of(names)
    befores, afters = np.divmod(bigrams.astype(np.int64), len(known))
    chosen = np.array([known.index(label) for label in wanted])
    rows = np.flatnonzero((np.isin(befores, chosen) | np.isin(afters, chosen)) & (weights != 0))
    best = rows[np.argsort(-np.abs(weights[rows]), kind="stable")[:top]].tolist()
    return [TransitionFeature(names[numbers[i]], known[befores[i]], known[afters[i]], float(weights[i])) for i in best]


def label_numbers(tagger: Tagger, labels: Sequence[str] | None) -> dict[str, int]:
    """The numbers of some labels, or of all; an error for an unknown one."""
    known = {label: number for number, label in enumerate(tagger.labels_)}
    for label in labels or ():
        if not isinstance(label, str) or label not in known:
            raise InputError(f"unknown label {label!r}; the model's labels are {', '.join(known)}")
    return known if labels is None else {label: known[label] for label in labels}


def iterate_weights(model: Any, names: Sequence[str]) -> Iterator[tuple[Sequence[str], NDArray[np.float32]]]:
    """Yield chunks of the names with their weights, a [names][labels] array each."""
    for begin in range(0, len(names), _CHUNK):
        chunk = list(names[begin : begin + _CHUNK])
        yield chunk, model.weights_of(chunk).reshape(-1, len(model.labels))


def _largest(
    features: list[tuple[str, float]], names: Sequence[str], column: NDArray[np.float32], top: int, sign: int
) -> list[tuple[str, float]]:
    """The features with the largest weights of this sign, of earlier features and of a column of weights."""
    order = np.argsort(-sign * column, kind="stable")[:top]
    candidates = [(names[i], float(column[i])) for i in order.tolist() if sign * column[i] > 0]
    return sorted([*features, *candidates], key=lambda feature: (-sign * feature[1], feature[0]))[:top]
