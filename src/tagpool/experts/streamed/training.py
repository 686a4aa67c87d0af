"""StreamedTraining: a training of an expert whose sentences are in a temporary file."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.experts.linear.label_memory import check_label_count
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.streamed.budget import Budget
from tagpool.experts.streamed.data import StreamedData
from tagpool.experts.streamed.needs import places_memory, training_memory
from tagpool.optim.watch import Epoch


class StreamedTraining(LinearTraining):
    """A training with a memory budget, which gives the bytes of a training in memory."""

    data: StreamedData

    def __init__(self, expert: Any, files: Any, budget: Budget, **options: Any) -> None:
        self.budget = budget
        try:
            super().__init__(expert, files, None, **options)
        except BaseException:
            if hasattr(self, "data"):
                self.data.spool.close()
            raise

    def _data(self, sentences: Any, labels: Any) -> StreamedData:
        data = StreamedData(self.tagger, sentences, self.budget)
        data.encoded = None  # type: ignore[assignment]  # the sentences are in the spool
        return data

    def run(self, on_epoch: Callable[[Epoch], object] | None = None) -> None:
        """Train; the temporary file is removed in any case."""
        try:
            super().run(on_epoch)
        finally:
            self.data.spool.close()

    def _training_set(self) -> _native.TrainingSet:
        data, layout, labels = self.data, self._layout(), len(self.data.labels)
        check_label_count(labels, self.tagger.chain)
        self.budget.demand(places_memory(data.feature_count), self._predicted())
        with NameFaults(data.source, purpose="arrange the features for training"):
            seen = _native.Observations(data.feature_count, labels, layout, data.history_feature_count)
            for _, (encoding, gold, history) in data.pieces():
                seen.add(encoding, gold, history)
            weights = _native.WeightLayout(seen, labels, layout)
            del seen
            self._choose_bundles(weights)
        full_batch = self.trainer.full_batch
        self.budget.demand(training_memory(weights.weight_count, data.token_count, data.occurrences, full_batch=full_batch))
        begins = [0, *accumulate(tokens for _, tokens in data.spool.chunks)]

        def load(chunks: list[int]) -> _native.TrainingSet:
            encoding, gold, history = data.spool.read(chunks)
            return _native.TrainingSet.slice(weights, encoding, gold, history, begins[chunks[0]])

        return _native.TrainingSet.streamed(weights, data.spool.chunks, load)

    def _choose_bundles(self, weights: _native.WeightLayout) -> None:
        """Decide about bundles as for sentences in memory. Their savings are counted in whole parts."""
        columns = weights.columns()
        if columns is None:
            return
        for usual in (True, False):
            for _, (encoding, _, _) in self.data.pieces():
                columns.sort(encoding, usual)
        limits, begins = weights.part_tokens(), [0, *accumulate(tokens for _, tokens in self.data.spool.chunks)]
        savings = 0.0
        for part, (first, last) in enumerate(pairwise(limits)):
            chunks = [number for number, begin in enumerate(begins[:-1]) if begin < last and begins[number + 1] > first]
            if not chunks:
                continue
            encoding, _, _ = self.data.spool.read(chunks)
            if part == 0:
                columns.join(encoding)
            savings += columns.savings(weights, encoding, begins[chunks[0]], part)
        weights.choose_bundles(columns, savings)

    def _predicted(self) -> int:
        data, full_batch = self.data, self.trainer.full_batch
        weights = data.feature_count * -(-len(data.labels) // 8) * 8
        return training_memory(weights, data.token_count, data.occurrences, full_batch=full_batch)

    def _example_weights(self) -> NDArray[np.float32]:
        return np.zeros(0, np.float32)
