"""Names of labels in tables of Hugging Face: their columns have numbers, and the metadata of the schema has the names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tagpool.corpus.arrow import LABELS
from tagpool.corpus.corpus import LABEL
from tagpool.errors import InputError

METADATA = b"huggingface"  # key of the metadata
NER_TAGS = "ner_tags"  # usual name of the labels, beside parts of speech and chunks
Names = Mapping[str, Sequence[str]]


def class_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return the names of labels by column; empty for tables without them.

    >>> feature = {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}, "_type": "Sequence"}
    >>> class_names({METADATA: json.dumps({"info": {"features": {"ner_tags": feature}}}).encode()})
    {'ner_tags': ['O', 'B-PER']}
    """
    try:
        features = json.loads((metadata or {}).get(METADATA, b"{}"))["info"]["features"]
        return {name: names for name, feature in features.items() if (names := _names(feature)) is not None}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # metadata of another kind
        return {}


def _names(feature: Any) -> list[str] | None:
    """Return the names of a list of labels, or of one label per row."""
    inner = feature[0] if isinstance(feature, list) and feature else feature.get("feature", feature)
    names = inner.get("names") if isinstance(inner, dict) and inner.get("_type") == "ClassLabel" else None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def label_column(columns: Sequence[str], names: Names) -> str | None:
    """Return the column whose names become the labels: ``ner_tags``, or the only one; None if a column has the labels already.

    >>> label_column(["tokens", "pos_tags", "ner_tags"], {"pos_tags": ["NN"], "ner_tags": ["O"]})
    'ner_tags'
    """
    if LABEL in columns or LABELS in columns:
        return None
    return NER_TAGS if NER_TAGS in names else next(iter(names)) if len(names) == 1 else None


def with_names(table: Any, names: Names, source: str | None = None, *, rename: bool) -> Any:
    """Return a table of pyarrow with names in place of numbers, without metadata.

    With ``rename``, the column of :func:`label_column` is called ``labels``.
    """
    import pyarrow

    columns, fields = [], []
    renamed = label_column(table.schema.names, names) if rename else None
    for field, column in zip(table.schema, table.columns, strict=True):
        if field.name in names and not pyarrow.types.is_string(_element(field.type)):
            column = _named(pyarrow, column, field, names[field.name], source)
        columns.append(column)
        fields.append(pyarrow.field(LABELS if field.name == renamed else field.name, column.type))
    return type(table).from_arrays(columns, schema=pyarrow.schema(fields))


def _element(kind: Any) -> Any:
    return getattr(kind, "value_type", kind)


def _named(pyarrow: Any, column: Any, field: Any, names: Sequence[str], source: str | None) -> Any:
    """Return a column with names; raise an error for a number without one."""
    is_list = _element(field.type) is not field.type
    arrays = []
    for chunk in column.chunks:
        numbers = chunk.flatten() if is_list else chunk
        least, most = pyarrow.compute.min_max(numbers).as_py().values()
        if most is not None and not 0 <= least <= most < len(names):
            wrong = least if least < 0 else most
            message = (
                f"column {field.name!r}: expected labels from 0 to {len(names) - 1}, got {wrong}; the file has no name for it"
            )
            raise InputError(message, source=source)
        strings = pyarrow.DictionaryArray.from_arrays(numbers.cast(pyarrow.int32()), pyarrow.array(names, pyarrow.string()))
        if is_list:
            lengths = pyarrow.compute.fill_null(pyarrow.compute.list_value_length(chunk), 0)
            offsets = pyarrow.concat_arrays(
                [pyarrow.array([0], pyarrow.int64()), pyarrow.compute.cumulative_sum(lengths.cast(pyarrow.int64()))]
            )
            strings = pyarrow.LargeListArray.from_arrays(offsets, strings)
        arrays.append(strings)
    element = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return pyarrow.chunked_array(arrays, pyarrow.large_list(element) if is_list else element)
