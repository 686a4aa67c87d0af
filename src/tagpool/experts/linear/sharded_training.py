"""Training of an expert on several workers, exactly as in one process: they compute losses and gradients of parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError
from tagpool.experts.inputs import are_given_features
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.label_memory import check_label_count
from tagpool.experts.linear.shards import ShardedSentences, Shards
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.tagger import Tagger
from tagpool.experts.tasks import Engine, Tasks
from tagpool.experts.training_data import PreviousModel, TrainingData
from tagpool.features.encoder import label_ids
from tagpool.optim.problem import Problem


def fit_on_workers(expert: Expert, engine: Engine, sentences: Any, labels: Any, *, on_epoch: Any, **options: Any) -> None:
    """Train an expert in the processes of an engine."""
    if are_given_features(sentences):
        raise InputError("given features stay in one process; use templates, or drop the engine (--engine ray)")
    with engine.start() as tasks:
        training = ShardedTraining(expert, tasks, sentences, labels, **options)
        try:
            training.run(on_epoch)
        finally:
            training.data.shards.close()


class ShardedData(TrainingData):
    """Training sentences whose features are in workers."""

    shards: Shards

    def __init__(self, tagger: Tagger, sentences: Any, labels: Any, tasks: Tasks) -> None:
        self._tasks = tasks
        super().__init__(tagger, sentences, labels, None)

    def _encode_corpus(self, corpus: Corpus, previous: PreviousModel | None) -> Any:
        self.check_labelled(corpus)
        self.encoder = encoder = self._new_encoder(corpus)
        self.shards = Shards(self._tasks, corpus, encoder)
        with NameFaults(corpus.source, purpose="encode the corpus"):
            self.shards.number_features()
        numbers = label_ids(corpus, encoder.labels_)
        assert numbers is not None
        return ShardedSentences(numbers, corpus.offsets(), *self.shards.feature_counts)

    def content(self) -> list[Any]:
        """The words and other columns: the features are in other processes."""
        assert self.corpus is not None
        native = self.corpus.native
        texts = ["\0".join(native.strings(name)).encode("utf-8", "surrogatepass") for name in native.names]
        return [*texts, *(native.ids(name) for name in native.names), native.offsets(), self.gold]


class ShardedTraining(LinearTraining):
    """A training of an expert on several workers."""

    data: ShardedData

    def __init__(self, expert: Expert, tasks: Tasks, sentences: Any, labels: Any, **options: Any) -> None:
        self._tasks = tasks
        super().__init__(expert, sentences, labels, **options)

    def _data(self, sentences: Any, labels: Any) -> ShardedData:
        return ShardedData(self.tagger, sentences, labels, self._tasks)

    def _training_set(self) -> _native.TrainingSet:
        data = self.data
        check_label_count(len(data.labels), self.tagger.chain)
        with NameFaults(data.source, purpose="arrange the features for training"):
            return _native.TrainingSet.of(data.shards.place_weights(self._options(), np.asarray(data.gold)))

    def _problem(self, **parts: Any) -> Problem:
        return ShardedProblem(**parts, shards=self.data.shards)


@dataclass(frozen=True, eq=False)
class ShardedProblem(Problem):
    """A problem whose losses and gradients are computed by workers."""

    shards: Any = None

    def objective(self) -> _native.Objective:
        """Return the smooth part of f, with its gradient."""
        weights = np.zeros(0, np.float32) if self.example_weights is None else self.example_weights
        self.shards.arrange(self.chain, weights)
        return _native.Objective.of_parts(self.shards.weights, self.chain, self.l2, self.shards.gradients)
