"""Top features, transitions and transition features of a model, by weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool.errors import InputError, ModelError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.memory_limit import demand_memory
from tagpool.experts.saving import has_history_names, history_names, name_chunks
from tagpool.experts.states import States
from tagpool.experts.tagger import Tagger
from tagpool.wording import counted

_CELLS = 1 << 20  # weights that are read at once: the [features][labels] matrix of a large model would not fit
_MOST_CELLS = 1 << 33  # weights that are compared: a minute or two
_MOST_TEMPLATES = 10_000  # that are counted, if the model does not name its templates
_ENTRY_BYTES = 400  # of a listed feature, beside three times its name: values and lines of text


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
    keys = dict.fromkeys(tagger._fitted().template_keys)
    counts = _count_templates(chain.from_iterable(name_chunks(tagger)), keys)
    known = [key for key in keys if key in counts]
    transitions = _count_templates(history_names(tagger), ()) if has_history_names(tagger) else {}
    return {key: counts[key] for key in known or sorted(counts)} | dict(sorted(transitions.items()))


def _count_templates(names: Iterable[str], known: Collection[str]) -> dict[str, int]:
    """Count names by template; none if there are too many templates that are not known, as in a damaged file."""
    counts: Counter[str] = Counter()
    for name in filter(None, names):
        counts[template_of(name)] += 1
        if len(counts) > _MOST_TEMPLATES + len(known):
            return {}
    return counts


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
    columns = np.fromiter(wanted.values(), np.int64, len(wanted))
    best = [_Largest(top, len(wanted), sign) for sign in (1, -1)]
    count = 0
    states = States(tagger._fitted().labels)
    for names in _of_template(name_chunks(tagger), template):
        for chunk, state_weights in iterate_weights(tagger._fitted(), names):
            weights = states.strongest(state_weights)
            chosen = weights if labels is None else weights[:, columns]
            for largest in best:
                largest.add(chosen, count)
            count += len(chunk)
        if count * len(wanted) > _MOST_CELLS and tagger._encoder is None:
            raise ModelError(
                f"too many to compare: {counted(count, 'feature')} and more for {counted(len(wanted), 'label')}; {_FEWER}"
            )
    if template is not None and not count and template not in (known := features_by_template(tagger)):
        raise InputError(f"no feature has the template {template!r}; the templates are {', '.join(known) or '(none)'}")
    listed = _listed_names(tagger, template, np.concatenate([largest.listed() for largest in best]))
    return {label: TopFeatures(*(largest.column(number, listed) for largest in best)) for number, label in enumerate(wanted)}


_FEWER = "name some labels (labels=[...], --label), or use a smaller top"


def _of_template(chunks: Iterator[list[str]], template: str | None) -> Iterator[list[str]]:
    """Yield the names of one template, or all."""
    for names in chunks:
        yield names if template is None else [name for name in names if template_of(name) == template]


def _listed_names(tagger: Tagger, template: str | None, numbers: NDArray[np.int32]) -> dict[int, str]:
    """The names of features by number; an error if the lists with these numbers need too much memory."""
    wanted, times = np.unique(numbers, return_counts=True)
    listed: dict[int, str] = {}
    needed, begin = 0, 0
    for names in _of_template(name_chunks(tagger), template):
        first, last = np.searchsorted(wanted, [begin, begin + len(names)]).tolist()
        for number, count in zip(wanted[first:last].tolist(), times[first:last].tolist(), strict=True):
            listed[number] = names[number - begin]
            needed += count * (_ENTRY_BYTES + 3 * len(listed[number]))
        demand_memory(tagger, needed, "the list of features", _FEWER)
        begin += len(names)
    return listed


def _sorted_names(names: Sequence[str], template: str | None) -> list[str]:
    """The distinct names of a template, or of all; a set would take as much memory as short names."""
    return [name for name, _ in groupby(sorted(names)) if name and (template is None or template_of(name) == template)]


class _Largest:
    """The features with the largest weights of one sign for every label, found chunk by chunk; equal weights in their order."""

    def __init__(self, top: int, labels: int, sign: int) -> None:
        self.top, self.sign = top, sign
        self.weights = np.zeros((0, labels), np.float32)  # [features][labels], times the sign, largest first
        self.numbers = np.zeros((0, labels), np.int32)

    def add(self, weights: NDArray[np.float32], begin: int) -> None:
        """Add the weights [features][labels] of features that are numbered from ``begin`` on."""
        values = weights if self.sign > 0 else -weights
        if len(self.weights) == self.top:
            rows = np.flatnonzero((values > (self.weights[-1] if self.top else np.inf)).any(axis=1))
        else:
            rows = np.flatnonzero((values > 0).any(axis=1))
        if not len(rows):
            return
        numbers = np.broadcast_to((begin + rows).astype(np.int32)[:, None], (len(rows), weights.shape[1]))
        values, numbers = np.concatenate([self.weights, values[rows]]), np.concatenate([self.numbers, numbers])
        order = np.argsort(-values, axis=0, kind="stable")[: self.top]
        self.weights, self.numbers = np.take_along_axis(values, order, axis=0), np.take_along_axis(numbers, order, axis=0)

    def listed(self) -> NDArray[np.int32]:
        """The numbers of all features of the lists; some occur for several labels."""
        return self.numbers[self.weights > 0]

    def column(self, label: int, names: Mapping[int, str]) -> list[tuple[str, float]]:
        """The list of one label."""
        pairs = zip(self.numbers[:, label].tolist(), self.weights[:, label].tolist(), strict=True)
        return [(names[number], self.sign * weight) for number, weight in pairs if weight > 0]


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
    states = States(model.labels)
    names = list(states.labels)
    count = len(names)
    is_wanted = np.zeros(count, bool)
    is_wanted[list(wanted.values())] = True
    edges = _edges_of_labels(model, states)  # bigrams by the label before, then first and last labels
    best: list[tuple[float, int]] = []
    rows = max(1, _CELLS // count)
    for begin in range(0, count + 2, rows):
        weights = edges[begin : begin + rows]
        from_wanted = np.concatenate([is_wanted, [False, False]])[begin : begin + rows]
        flat = np.where(from_wanted[:, None] | is_wanted, np.abs(weights), 0).ravel()
        order = np.argsort(-flat, kind="stable")[:top]
        best += [(-float(flat[i]), begin * count + i) for i in order.tolist() if flat[i]]
        best = sorted(best)[:top]
    cells = [divmod(cell, count) for _, cell in best]
    return [_transition(names, row, column, float(edges[row, column])) for row, column in cells]


def _edges_of_labels(model: Any, states: States) -> NDArray[np.float32]:
    """The strongest weight between the states of each two labels, [labels + 2][labels]; forbidden transitions count as 0."""
    count = len(states.names)
    edges: NDArray[np.float32] = model.edges().reshape(count + 2, count)
    if not states.merged:
        return edges
    forbidden = model.forbidden()
    if len(forbidden):
        edges = np.where(forbidden.reshape(count + 2, count), np.float32(0), edges)
    edges = states.strongest(edges)
    return np.concatenate([states.strongest(edges[:count], axis=0), edges[count:]])


def _transition(names: Sequence[str], row: int, column: int, weight: float) -> Transition:
    """The transition of a cell of the [labels + 2][labels] array."""
    if row < len(names):
        return Transition(names[row], names[column], weight)
    return Transition(None, names[column], weight) if row == len(names) else Transition(names[column], None, weight)


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
    is_wanted = np.isin(known, list(wanted))
    names = _sorted_names(history_names(tagger), template)
    best: list[tuple[float, int, TransitionFeature]] = []
    begin = 0
    while begin < len(names):
        end, numbers, bigrams, weights = model.history_weights_from(names, begin, _CELLS)
        befores, afters = np.divmod(bigrams, np.uint32(len(known)))
        rows = np.flatnonzero((is_wanted[befores] | is_wanted[afters]) & (weights != 0))
        for i in rows[np.argsort(-np.abs(weights[rows]), kind="stable")[:top]].tolist():
            feature = TransitionFeature(names[numbers[i]], known[befores[i]], known[afters[i]], float(weights[i]))
            best.append((-abs(feature.weight), len(best), feature))
        best = [(weight, place, feature) for place, (weight, _, feature) in enumerate(sorted(best)[:top])]
        begin = end
    return [feature for *_, feature in best]


def label_numbers(tagger: Tagger, labels: Sequence[str] | None) -> dict[str, int]:
    """The numbers of some labels, or of all; an error for an unknown one."""
    known = {label: number for number, label in enumerate(tagger.labels_)}
    for label in labels or ():
        if not isinstance(label, str) or label not in known:
            raise InputError(f"unknown label {label!r}; the model's labels are {', '.join(known)}")
    return known if labels is None else {label: known[label] for label in labels}


def iterate_weights(model: Any, names: Sequence[str]) -> Iterator[tuple[Sequence[str], NDArray[np.float32]]]:
    """Yield chunks of the names with their weights, a [names][labels] array each."""
    labels = len(model.labels)
    size = max(1, _CELLS // labels)
    for begin in range(0, len(names), size):
        chunk = list(names[begin : begin + size])
        yield chunk, model.weights_of(chunk).reshape(-1, labels)
