"""Tag: labels the batches of Ray Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tagpool.bridges.batches import BatchLabeller
from tagpool.errors import InputError


class Tag(BatchLabeller):
    """Labels batches of Ray Data: ``dataset.map_batches(Tag, fn_constructor_args=["ner.tagpool"], concurrency=2)``.

    Every actor loads the model once. Sentences are labelled one by one, also by models that read documents, since a batch may
    end within a document.

    Args:
        model: Model file of a tagger or a pool; every machine must have it at this path.
        column: Column with the tokens, a list of strings per sentence. Other columns that the model reads have their own names.
        labels: Name of the column of labels that is added.
        confidences: Name of a column with the probability of each label (default: no such column).
        threads: Threads of each actor.

    >>> import tempfile
    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])
    >>> path = tempfile.mkdtemp() + "/ner.tagpool"
    >>> CRF("word[0]").fit(corpus).save(path)
    >>> Tag(path)({"tokens": [["Ann"]]})["labels"].tolist()
    [['PER']]
    """

    def __call__(self, batch: Any) -> Any:
        """Return the batch with labels: a dict of arrays, a data frame of pandas, or a table of pyarrow, as the batch is."""
        if hasattr(batch, "schema") and hasattr(batch, "append_column"):  # pyarrow
            return self.label_table(batch)
        if isinstance(batch, Mapping):
            return {**batch, **{name: _as_array(values) for name, values in self.label_columns(batch).items()}}
        if hasattr(batch, "assign"):  # pandas
            return batch.assign(**self.label_columns(batch))
        raise InputError(f"expected a batch of Ray Data (numpy, pandas or pyarrow), got {type(batch).__name__}")


def _as_array(rows: list[Any]) -> Any:
    """Return an array with one list per sentence: NumPy would make a matrix of lists of the same length."""
    values = np.empty(len(rows), object)
    for place, row in enumerate(rows):
        values[place] = row
    return values
