"""Other libraries on the same votes (``tagpool[peers]``), imported when they are used."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tagpool.corpus.schemes import spans
from tagpool.errors import InputError
from tagpool.experiments.pool_data import Labels, PoolData

_PAD = "no vote"
_ITERATIONS = 1000


def require(module: str, package: str) -> Any:
    """Import a module of another library; the error says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"{package} is not installed ({error}); install tagpool[peers]") from None


def dawid_skene(data: PoolData) -> Labels:
    """Return the labels of crowd-kit's DawidSkene; every token is a task."""
    aggregation, pandas = require("crowdkit.aggregation", "crowd-kit"), require("pandas", "crowd-kit")
    records: list[tuple[int, str, str]] = []
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in data.words])))
    for name, rows in data.experts.items():
        for first, row in zip(offsets.tolist(), rows, strict=False):
            records += [(first + token, name, label) for token, label in enumerate(row or ())]
    votes = pandas.DataFrame(records, columns=["task", "worker", "label"])
    labels = aggregation.DawidSkene().fit_predict(votes).to_dict()
    return [
        [labels.get(first + token, "O") for token in range(len(row))]
        for first, row in zip(offsets.tolist(), data.words, strict=False)
    ]


def hidden_markov(data: PoolData) -> Labels:
    """Return the labels of skweak's HMM; every sentence is a document there."""
    generative = require("skweak.generative", "skweak")
    spacy, tokens = require("spacy", "skweak"), require("spacy.tokens", "skweak")
    kinds = sorted({span.type for rows in data.experts.values() for row in rows for span in spans(row or ())})
    shared = spacy.blank("en").vocab
    documents = []
    for number, words in enumerate(data.words):
        document = tokens.Doc(shared, words=list(words))
        for name, rows in data.experts.items():
            if (row := rows[number]) is not None:
                document.spans[name] = [tokens.Span(document, span.start, span.end, label=span.type) for span in spans(row)]
        documents.append(document)
    model = generative.HMM("hmm", kinds)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):  # it prints every iteration
        model.fit(documents)
    results: Labels = []
    for document in model.pipe(documents):
        row = ["O"] * len(document)
        for span in document.spans.get("hmm", ()):
            row[span.start : span.end] = [f"B-{span.label_}"] + [f"I-{span.label_}"] * (span.end - span.start - 1)
        results.append(row)
    return results


class VoteRegression:
    """scikit-learn's LogisticRegression on the votes of a token and its neighbours, one-hot."""

    def __init__(self, data: PoolData) -> None:
        sparse = require("scipy.sparse", "scikit-learn")
        require("sklearn.linear_model", "scikit-learn")
        self._data = data
        self._offsets = np.concatenate(([0], np.cumsum([len(row) for row in data.words])))
        labels = sorted({label for rows in data.experts.values() for row in rows for label in row or ()})
        numbers = {label: number for number, label in enumerate([_PAD, *labels])}
        blocks = [self._codes(rows, numbers, shift) for rows in data.experts.values() for shift in (-1, 0, 1)]
        codes = np.column_stack(blocks) + len(numbers) * np.arange(len(blocks))
        starts = np.arange(len(codes) + 1) * len(blocks)
        shape = (len(codes), len(numbers) * len(blocks))
        self._matrix = sparse.csr_matrix((np.ones(codes.size), codes.ravel(), starts), shape=shape)

    def _codes(self, rows: Sequence[Sequence[str] | None], numbers: dict[str, int], shift: int) -> np.ndarray:
        """Return the numbers of the votes of the tokens at an offset."""
        codes: list[int] = []
        for words, row in zip(self._data.words, rows, strict=True):
            votes = [0, *([0] * len(words) if row is None else [numbers[label] for label in row]), 0]
            codes += votes[1 + shift : 1 + shift + len(words)]
        return np.array(codes)

    def predict(self, gold: Sequence[int]) -> Labels:
        """Return the labels of all sentences by a classifier that was trained on the gold sentences."""
        linear = require("sklearn.linear_model", "scikit-learn")
        train = np.concatenate([np.arange(self._offsets[n], self._offsets[n + 1]) for n in gold])
        labels = [label for number in gold for label in self._data.gold[number]]
        result = linear.LogisticRegression(max_iter=_ITERATIONS).fit(self._matrix[train], labels).predict(self._matrix).tolist()
        return [result[a:b] for a, b in zip(self._offsets[:-1], self._offsets[1:], strict=True)]


PEERS: dict[str, Callable[[PoolData], Labels]] = {"crowd-kit: DawidSkene": dawid_skene, "skweak: HMM": hidden_markov}
