"""Tagging of data frames of Spark, whose workers pass record batches of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any

from tagpool.bridges.batches import BatchLabeller
from tagpool.corpus.arrow import LABELS, TOKENS


def tag(
    model: str | PathLike[str],
    column: str = TOKENS,
    *,
    labels: str = LABELS,
    confidences: str | None = None,
    threads: int = 1,
) -> SparkTagger:
    """Return a function for ``DataFrame.mapInArrow``, which adds a column of labels.

    Args:
        model: Model file of a tagger or a pool; every machine must have it at this path.
        column: Column with the tokens, ``array<string>``. Other columns that the model reads have their own names.
        labels: Name of the column of labels that is added, ``array<string>``.
        confidences: Name of a column with the probability of each label, ``array<double>`` (default: no such column).
        threads: Threads of each Python worker of Spark.

    A worker of Spark loads the model once. Sentences are labelled one by one, also by models that read documents, since a batch
    may end within a document. Workers need tagpool and pyarrow.

    >>> tagger = tag("ner.tagpool")
    >>> # frame.mapInArrow(tagger, tagger.schema(frame.schema))
    """
    return SparkTagger(model, column, labels=labels, confidences=confidences, threads=threads)


class SparkTagger(BatchLabeller):
    """Function of record batches for ``mapInArrow``; create it with :func:`tag`."""

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield record batches with labels."""
        return map(self.label_table, batches)

    def schema(self, schema: Any) -> Any:
        """Return the schema of the result: that of the data frame (``frame.schema``) with the columns that are added."""
        from pyspark.sql.types import ArrayType, DoubleType, StringType, StructField, StructType

        added = [StructField(self.labels, ArrayType(StringType()))]
        if self.confidences is not None:
            added.append(StructField(self.confidences, ArrayType(DoubleType())))
        new = {one.name: one for one in added}
        fields = [new.pop(one.name, one) for one in schema.fields]  # a column of this name is replaced
        return StructType([*fields, *new.values()])
