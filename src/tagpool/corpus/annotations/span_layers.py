"""Layers of INCEpTION and WebAnno: which of them has the spans that are read as labels."""

from __future__ import annotations

from collections.abc import Mapping

ENTITY_LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
CHUNK_LAYER = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.chunk.Chunk"
LINGUISTIC = "de.tudarmstadt.ukp.dkpro.core.api."  # parts of speech, lemmas, metadata and the like
_VALUE_NAMES = ("value", "label", "chunkValue")


def choose_layer(sizes: Mapping[str, int]) -> str | None:
    """Return the layer of the labels: named entities, else the first layer of the project with annotations, else chunks.

    ``sizes`` are the numbers of annotations by layer.

    >>> choose_layer({"de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS": 9, "webanno.custom.Term": 2})
    'webanno.custom.Term'
    """
    custom = [name for name in sizes if not name.startswith(LINGUISTIC)]
    order = [name for name in (ENTITY_LAYER, *custom, CHUNK_LAYER) if name in sizes]
    return next((name for name in order if sizes[name]), order[0] if order else None)


def choose_feature(sizes: Mapping[str, int]) -> str | None:
    """Return the feature with the types of spans: one of the usual name, else the first with values.

    >>> choose_feature({"identifier": 3, "value": 1}), choose_feature({"note": 0, "kind": 2})
    ('value', 'kind')
    """
    named = [name for name in _VALUE_NAMES if sizes.get(name)]
    return next(iter(named), next((name for name, size in sizes.items() if size), None))


def layer_title(name: str) -> str:
    """Return the short name of a layer; it is the type of spans without a value."""
    return name.rpartition(".")[2]
