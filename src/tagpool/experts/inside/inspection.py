"""Looking into an expert: its strongest features, transitions, trigrams and features of transitions.

Not here: which of them decided the labels of a sentence (``explanation``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, has_history_names, history_names
from tagpool.experts.tagger import Tagger

_AT_ONCE = 1 << 16  # features whose weights are looked at together: the matrix of a large model would not fit


class Strongest(NamedTuple):
    """The features that speak most for a label, and most against it, with their weights, strongest first."""

    speaking_for: list[tuple[str, float]]
    speaking_against: list[tuple[str, float]]


class Transition(NamedTuple):
    """The weight of a label after another; ``before`` is None at the start of a sentence, ``after`` None at its end."""

    before: str | None
    after: str | None
    weight: float


class Trigram(NamedTuple):
    """What three labels weigh beside the transition from the second to the third; ``first`` is None before a sentence."""

    first: str | None
    before: str
    after: str
    weight: float


class TransitionFeature(NamedTuple):
    """The weight of a feature for a label after another."""

    feature: str
    before: str
    after: str
    weight: float


def template_of(name: str) -> str:
    """The template a feature comes from.

    >>> template_of("word[0]=a=b")
    'word[0]'
    """
    return name.partition("=")[0]


def features_by_template(expert: Tagger) -> dict[str, int]:
    """How many features each template has, in the order of the templates; those of transitions come last.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]\\nshape[0]").fit(Corpus.from_lists(word=[["Ann", "Bob"]], label=[["PER", "O"]]))
    >>> features_by_template(crf)
    {'word[0]': 2, 'shape(word)[0]': 1}
    """
    counts = Counter(map(template_of, filter(None, feature_names(expert))))
    known = [key for key in dict.fromkeys(expert._fitted().template_keys) if key in counts]
    steps = Counter(map(template_of, history_names(expert))) if has_history_names(expert) else Counter()
    return {key: counts[key] for key in known or sorted(counts)} | dict(sorted(steps.items()))


def strongest_features(
    expert: Tagger, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None
) -> dict[str, Strongest]:
    """For each label (or those named) the ``top`` features of either sign, of all templates or of one.

    Equal weights are in the order of the names.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> [name for name, _ in strongest_features(crf)["PER"].speaking_for]
    ['word[0]=Ann']
    """
    wanted = wanted_labels(expert, labels)
    names = sorted(name for name in set(feature_names(expert)) if name and (template is None or template_of(name) == template))
    if template is not None and not names and template not in (known := features_by_template(expert)):
        raise InputError(f"no feature comes from a template {template!r}; the templates are {', '.join(known) or 'none'}")
    kept: dict[str, Strongest] = {label: Strongest([], []) for label in wanted}
    for part, weights in _weights(expert, names):
        for label, number in wanted.items():
            column = weights[:, number]
            kept[label] = Strongest(
                _largest([*kept[label].speaking_for, *_candidates(part, column, top)], top),
                _largest([*kept[label].speaking_against, *_candidates(part, -column, top, -1.0)], top, -1.0),
            )
    return kept


def strongest_transitions(expert: Expert, *, top: int = 10, labels: Sequence[str] | None = None) -> list[Transition]:
    """The transitions with the largest weights of either sign, strongest first; none for experts without a chain.

    With ``labels``, only those from or to one of them.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> [(one.before, one.after) for one in strongest_transitions(crf) if one.weight > 0][0]
    ('PER', 'O')
    """
    wanted = wanted_labels(expert, labels)
    model = expert._fitted()
    if not model.chain:
        return []
    names = list(model.labels)
    edges = model.edges().reshape(len(names) + 2, len(names)).tolist()
    found = [Transition(before, after, edges[i][j]) for i, before in enumerate(names) for j, after in enumerate(names)]
    found += [Transition(None, label, edges[-2][j]) for j, label in enumerate(names)]
    found += [Transition(label, None, edges[-1][j]) for j, label in enumerate(names)]
    chosen = [one for one in found if one.weight and (one.before in wanted or one.after in wanted)]
    return sorted(chosen, key=lambda one: -abs(one.weight))[:top]


def strongest_trigrams(expert: Expert, *, top: int = 10, labels: Sequence[str] | None = None) -> list[Trigram]:
    """The trigrams with the largest weights of either sign, strongest first; only chains of order 2 have some.

    With ``labels``, only those with one of them.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Dr.", "Ann", "left"]], label=[["O", "PER", "O"]])
    >>> strongest_trigrams(CRF("word[0]", order=2).fit(corpus), top=1)[0].after in ("PER", "O")
    True
    """
    wanted = wanted_labels(expert, labels)
    model = expert._fitted()
    names = list(model.labels)
    rows: list[tuple[str | None, str]] = [(None, name) for name in names]
    rows += [(names[a], names[b]) for a, b in model.states().reshape(-1, 2).tolist()]
    weights = model.trigrams().reshape(-1, len(names))
    found = [Trigram(*rows[i], names[j], float(weights[i, j])) for i, j in np.argwhere(weights).tolist()]
    chosen = [one for one in found if not wanted.keys().isdisjoint(one[:3])]
    return sorted(chosen, key=lambda one: -abs(one.weight))[:top]


def strongest_transition_features(
    expert: Expert, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None
) -> list[TransitionFeature]:
    """The features of transitions with the largest weights of either sign, strongest first, of all templates or of one.

    With ``labels``, only those from or to one of them.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"], ["Ann", "left"]], label=[["PER", "O"], ["PER", "O"]])
    >>> [one[:3] for one in strongest_transition_features(CRF("word[0]\\nlabel[-1] & word[0]").fit(corpus))]
    [('label[-1]&word[0]=left', 'PER', 'O')]
    """
    wanted = wanted_labels(expert, labels)
    model = expert._fitted()
    known = list(model.labels)
    names = sorted(name for name in history_names(expert) if template is None or template_of(name) == template)
    numbers, pairs, weights = model.history_weights_of(names)
    befores, afters = np.divmod(pairs.astype(np.int64), len(known))
    chosen = np.array([known.index(label) for label in wanted])
    kept = np.flatnonzero((np.isin(befores, chosen) | np.isin(afters, chosen)) & (weights != 0))
    best = kept[np.argsort(-np.abs(weights[kept]), kind="stable")[:top]].tolist()
    return [TransitionFeature(names[numbers[i]], known[befores[i]], known[afters[i]], float(weights[i])) for i in best]


def wanted_labels(expert: Tagger, labels: Sequence[str] | None) -> dict[str, int]:
    """The numbers of some labels, or of all; an error for one that is not there."""
    known = {label: number for number, label in enumerate(expert.labels_)}
    for label in labels or ():
        if label not in known:
            raise InputError(f"{label!r} is none of the model's labels, which are {', '.join(known)}")
    return known if labels is None else {label: known[label] for label in labels}


def _weights(expert: Tagger, names: list[str]) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Names and their weights, a few at a time: names x labels."""
    model = expert._fitted()
    for begin in range(0, len(names), _AT_ONCE):
        part = names[begin : begin + _AT_ONCE]
        yield part, model.weights_of(part).reshape(-1, len(model.labels))


def _candidates(names: list[str], column: NDArray[np.float32], top: int, sign: float = 1.0) -> list[tuple[str, float]]:
    """The largest positive entries of a column, as they are with their sign."""
    order = np.argsort(-column, kind="stable")[:top]
    return [(names[i], sign * float(column[i])) for i in order.tolist() if column[i] > 0]


def _largest(found: list[tuple[str, float]], top: int, sign: float = 1.0) -> list[tuple[str, float]]:
    return sorted(found, key=lambda pair: (-sign * pair[1], pair[0]))[:top]
