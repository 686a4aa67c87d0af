"""Shards: the driver's side of a training whose sentences are divided among workers.

The parts of a training set, and the order in which they are added, depend only on the corpus. So the result is the same for any
number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.experts.linear.layout_options import LayoutOptions
from tagpool.experts.linear.shard import Columns, Counts, Dictionaries, Doubles, Shard, natives_of
from tagpool.experts.tasks import Tasks, Workers
from tagpool.features.encoder import Encoder

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ShardedSentences:
    """An encoded corpus whose features are in the workers: the rest of :class:`tagpool.features.encoded.EncodedCorpus`."""

    label_numbers: Any
    bounds: NDArray[np.uint32]
    feature_count: int
    history_feature_count: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return int(self.bounds[-1])


class Shards:
    """The sentences of a corpus in workers, each with sentences that follow each other."""

    def __init__(self, tasks: Tasks, corpus: Corpus, encoder: Encoder) -> None:
        self._corpus, self._encoder = corpus, encoder
        self._offsets = corpus.offsets().astype(np.int64)
        encoder.begin(corpus)
        self._natives = natives_of(encoder)
        count = max(1, min(tasks.size, len(corpus)))
        self._cuts = self._whole_documents(self._sentences_at(np.arange(count + 1) * self._offsets[-1] // count))
        unfitted = Encoder(
            encoder.templates_,
            resources=encoder.resources_,
            min_count=1,
            history=encoder.history,
            dimensions=encoder.dimensions,
        )
        self._workers: Workers = tasks.workers(
            Shard,
            [(self._select(a, b), unfitted, int(self._offsets[a])) for a, b in self._ranges(self._cuts)],
        )
        self._counts: Any = None

    def number_features(self) -> None:
        """Number the features as in one process: the dictionaries of the shards are merged in order."""
        states = self._workers.setup("number_features", [()] * self._size)
        final: list[list[NDArray[np.uint32]]] = [[] for _ in range(self._size)]
        for kind, native in enumerate(self._natives):
            provisional = [native.merge(state[kind]) for state in states]
            new_ids = native.finish()
            for shard, ids in enumerate(provisional):
                final[shard].append(new_ids[ids])
        self._workers.setup("renumber", [tuple(self._workers.share(ids) for ids in one) for one in final])

    def place_weights(self, options: LayoutOptions, gold: NDArray[np.int32]) -> _native.WeightLayout:
        """Count the features of all shards, and return the places of the weights."""
        counts = Counts(options, *self.feature_counts)
        total = counts.observations()
        for seen in self._workers.call("count", [(counts, one) for one in self._cut_tokens(gold)]):
            total.merge(replace(counts, seen=seen).observations())
        self._counts = self._workers.share(replace(counts, seen=total.state()))
        weights = _native.WeightLayout(total, options.labels, options.native())
        self._parts = self._sentences_at(np.array(weights.part_tokens()))
        self._take_whole_parts()
        self._bundles = self._choose_bundles(weights)
        self._gold, self.weights = gold, weights
        return weights

    def arrange(self, chain: bool, example_weights: NDArray[np.float32]) -> None:
        """Arrange the parts for training."""
        weights = self._cut_sentences(example_weights) if chain else self._cut_tokens(example_weights)
        gold, parts = self._cut_tokens(self._gold), self._part_ranges
        arguments = [(self._counts, self._bundles, gold[n], parts[n], chain, weights[n]) for n in range(self._size)]
        self._workers.setup("arrange", arguments)

    def gradients(self, weights: Doubles) -> Iterator[tuple[float, Doubles, Doubles, Doubles]]:
        """Yield the loss and the gradients of each part, in order."""
        point = self._workers.share(weights)
        for parts in self._workers.call("gradients", [(point,)] * self._size):
            yield from parts

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    # Internal ------------------------------------------------------------------------------------------------------------

    @property
    def _size(self) -> int:
        return len(self._cuts) - 1

    @property
    def feature_counts(self) -> tuple[int, int]:
        """The number of features, and of those that are combined with previous labels."""
        counts = [native.feature_count for native in self._natives]
        return counts[0], counts[1] if len(counts) > 1 else 0

    def _sentences_at(self, tokens: Ints) -> Ints:
        """Return the first sentence from each of these tokens on."""
        return np.searchsorted(self._offsets[:-1], tokens).astype(np.int64)

    def _whole_documents(self, cuts: Ints) -> Ints:
        """Move cuts to the next documents, if templates look at documents."""
        starts = np.array([*self._corpus.document_starts, len(self._corpus)])
        if len(starts) == 1 or not any(native.looks_at_documents for native in self._natives):
            return cuts
        moved = starts[np.searchsorted(starts, cuts)]
        moved[0] = 0
        return np.asarray(moved, np.int64)

    def _select(self, first: int, last: int) -> Corpus:
        return self._corpus.select(range(first, last))

    def _ranges(self, cuts: Ints) -> list[tuple[int, int]]:
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    def _cut_tokens(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an array with a value for each token; an empty array stays empty."""
        bounds = self._offsets[self._cuts]
        return [values[a:b] for a, b in self._ranges(bounds)]

    def _cut_sentences(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return [values[a:b] for a, b in self._ranges(self._cuts)]

    def _take_whole_parts(self) -> None:
        """Give every worker whole parts. Where they are not its sentences, it encodes others with all features."""
        count = len(self._parts) - 1
        bounds = -(-np.arange(self._size + 1) * count // self._size)  # rounded up: the first worker always has a part
        cuts = self._parts[bounds]
        self._part_ranges = self._ranges(bounds)
        if (cuts == self._cuts).all():
            return
        states: Dictionaries = (self._natives[0].state(), self._natives[1].state() if len(self._natives) > 1 else None)
        dictionaries = self._workers.share(states)
        arguments = []
        for a, b in self._ranges(cuts):
            first, last = self._document_around(a, b)
            corpus = self._workers.share(self._select(first, last))
            arguments.append((corpus, int(self._offsets[a]), (a - first, b - first), dictionaries))
        self._cuts = cuts
        self._workers.setup("replace", arguments)

    def _document_around(self, first: int, last: int) -> tuple[int, int]:
        """Return the sentences of whole documents around some."""
        starts = self._corpus.document_starts
        if not starts or first == last or not any(native.looks_at_documents for native in self._natives):
            return first, last
        begins, ends = [start for start in starts if start <= first], [start for start in starts if start >= last]
        return max(begins, default=0), min(ends, default=len(self._corpus))

    def _choose_bundles(self, weights: _native.WeightLayout) -> tuple[Columns, float] | None:
        """Choose the columns of bundles, as in one process: shard after shard reads its sentences."""
        native = weights.columns()
        if native is None:
            return None
        columns: Columns = None
        for usual in (True, False):
            for number in range(self._size):
                columns = self._workers.call_one(number, "sort", (self._counts, columns, usual))
        columns = self._workers.call_one(0, "join", (self._counts, columns))
        savings = sum(self._workers.call("savings", [(self._counts, columns)] * self._size))
        assert columns is not None
        native.set_state(*columns)
        weights.choose_bundles(native, savings)
        return columns, savings
