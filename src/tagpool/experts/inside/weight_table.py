"""All weights of a model as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from tagpool.experts.inside.inspection import (
    iterate_weights,
    label_numbers,
    template_of,
    top_transition_features,
    top_transitions,
)
from tagpool.experts.linear.expert import Expert
from tagpool.experts.memory_limit import demand_memory
from tagpool.experts.saving import has_history_names, name_chunks
from tagpool.experts.states import States
from tagpool.experts.tagger import Tagger

_ROW_BYTES = 120  # of a row while the table is made
_FEWER = "name some labels (labels=[...]) or a template"
_ALL = 1 << 31  # rows of a list of transitions


class WeightTable(TypedDict):
    """Columns of equal length: what :meth:`tagpool.CRF.weight_table` returns."""

    kind: list[str]
    template: list[str | None]
    feature: list[str | None]
    before: list[str | None]
    label: list[str | None]
    weight: NDArray[np.float32]


_Row = tuple[str, "str | None", "str | None", "str | None", "str | None"]


def weight_table(tagger: Tagger, *, labels: Sequence[str] | None = None, template: str | None = None) -> WeightTable:
    """Return the weights that are not 0, those with the largest absolute value first.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> table = weight_table(crf, labels=["PER"], template="word[0]")
    >>> table["feature"], table["label"], (table["weight"] > 0).tolist()
    (['word[0]=Ann', 'word[0]=left'], ['PER', 'PER'], [True, False])
    """
    rows: list[_Row] = []
    parts: list[NDArray[np.float32]] = []
    for names, values in chain(_features(tagger, labels, template), _transitions(tagger, labels, template)):
        rows += names
        parts.append(values)
        demand_memory(tagger, _ROW_BYTES * len(rows), "the table of weights", _FEWER)
    weights = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    order = np.argsort(-np.abs(weights), kind="stable")
    kind, templates, features, befores, afters = zip(*(rows[i] for i in order.tolist()), strict=True) if rows else ((),) * 5
    return {
        "kind": list(kind),
        "template": list(templates),
        "feature": list(features),
        "before": list(befores),
        "label": list(afters),
        "weight": weights[order],
    }


def _features(
    tagger: Tagger, labels: Sequence[str] | None, template: str | None
) -> Iterator[tuple[list[_Row], NDArray[np.float32]]]:
    wanted = label_numbers(tagger, labels)
    listed, numbers = list(wanted), np.fromiter(wanted.values(), np.int64, len(wanted))
    states = States(tagger._fitted().labels)
    for names in name_chunks(tagger):
        chosen = names if template is None else [name for name in names if template_of(name) == template]
        for chunk, state_weights in iterate_weights(tagger._fitted(), chosen):
            weights = states.strongest(state_weights)[:, numbers]
            places, columns = np.nonzero(weights)
            cells = zip(places.tolist(), columns.tolist(), strict=True)
            rows: list[_Row] = [("feature", template_of(chunk[i]), chunk[i], None, listed[j]) for i, j in cells]
            yield rows, weights[places, columns]


def _transitions(
    tagger: Tagger, labels: Sequence[str] | None, template: str | None
) -> Iterator[tuple[list[_Row], NDArray[np.float32]]]:
    if not isinstance(tagger, Expert):
        return
    if template is None:
        edges = top_transitions(tagger, top=_ALL, labels=labels)
        yield [("transition", None, None, one.before, one.after) for one in edges], _weights_of(edges)
    if has_history_names(tagger):
        steps = top_transition_features(tagger, top=_ALL, labels=labels, template=template)
        rows: list[_Row] = [("transition feature", template_of(one.feature), one.feature, one.before, one.after) for one in steps]
        yield rows, _weights_of(steps)


def _weights_of(rows: Sequence[object]) -> NDArray[np.float32]:
    return np.array([row.weight for row in rows], np.float32)  # type: ignore[attr-defined]
