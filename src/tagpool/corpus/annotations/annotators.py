"""Records of one text by several annotators, or with one span each, as one annotation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer


def merge_records(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Merge the records of a text by other annotators, and those of partial labels by the same one.

    The n-th record of a text by an annotator is merged with the n-th ones of others, since a sentence may occur several times.
    The unnamed layer is that of the first annotator.

    >>> spans = {"": Layer(spans=[])}
    >>> records = [Annotation("a.jsonl", line, spans, text="Ann left", annotator=name) for line, name in ((1, "x"), (2, "y"))]
    >>> [list(one.layers) for one in merge_records(records)]
    [['', 'x', 'y']]
    """
    merged: dict[Hashable, Annotation] = {}
    counts: Counter[tuple[str | None, str]] = Counter()
    for number, one in enumerate(annotations):
        layer = one.layers.get(DEFAULT_LAYER)
        is_partial = layer is not None and layer.partial
        if one.text is None or (one.annotator is None and not is_partial):
            merged[number] = one
            continue
        name = (one.annotator, one.text)
        counts[name] += not is_partial
        key = (one.text, 0 if is_partial else counts[name])
        if key not in merged:
            named = {} if one.annotator is None or layer is None else {one.annotator: layer}
            merged[key] = replace(one, layers={**one.layers, **named})
        elif layer is not None:
            _add(merged[key], one, layer)
        if key in merged and merged[key].line != one.line:
            merged[key].notes.extend(one.notes)
            merged[key].losses.update(one.losses)
    return list(merged.values())


def _add(first: Annotation, other: Annotation, layer: Layer) -> None:
    name = DEFAULT_LAYER if other.annotator is None else other.annotator
    known = first.layers.get(name)
    if known is not None and layer.partial:
        layer = replace(layer, spans=sorted({*(known.spans or ()), *(layer.spans or ())}, key=lambda span: span[:3]))
        if first.layers.get(DEFAULT_LAYER) is known:
            first.layers[DEFAULT_LAYER] = layer
    first.layers[name] = layer
    first.layers.setdefault(DEFAULT_LAYER, layer)
