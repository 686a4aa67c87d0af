"""Training of an expert: encode the sentences, create the training set, run the trainer, build the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError
from tagpool.experts.linear.continuing import PreviousWeights
from tagpool.experts.linear.expert import Expert
from tagpool.experts.trained import Trained
from tagpool.experts.training_data import DevData, TrainingData
from tagpool.features.given import GivenEncoder
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer
from tagpool.optim.trainers import trainer_of
from tagpool.optim.watch import Epoch, Watch, Weights

_ALL = "all"


def fit(
    expert: Expert,
    sentences: Any,
    labels: Any = None,
    *,
    dev: Any = None,
    sample_weight: Any = None,
    on_epoch: Callable[[Epoch], object] | None = None,
    resume: bool = False,
    epochs: int | None = None,
) -> None:
    """Train an expert; ``resume`` continues from its weights, ``epochs`` are passes of SGD instead of its trainer."""
    trainer = trainer_of(expert.trainer)
    previous = PreviousWeights(expert) if resume and expert.is_fitted else None
    data = TrainingData(expert, sentences, labels, previous)
    l2 = float(expert.l2)
    if epochs is not None:
        trainer = SGD(epochs=epochs, average_from=0)
        if previous is not None:
            # The penalty is scaled to the share of the new sentences. The step is that of the last training: one calibrated on
            # few sentences would overwrite the weights.
            known = previous.summary
            data.seen_before = int(known.get("sentences", 0))
            data.step_before = known.get("step")
            l2 *= data.sentence_count / (data.seen_before + data.sentence_count)
            trainer = SGD(epochs=epochs, average_from=0, step=float(known.get("step") or 0.1))
    held_out = data.dev(dev) if dev is not None else None
    merges = trainer.merges_twins and previous is None and not expert.l1
    training = _training_set(expert, data, previous, merge_twins=merges, bundle=trainer.full_batch, rows_only=trainer.needs_rows)
    problem = Problem(
        training=training,
        chain=expert.chain,
        l2=l2,
        l1=float(expert.l1),
        example_weights=_example_weights(expert, data, sample_weight),
        start=previous.start(training, len(data.labels)) if previous is not None else None,
        groups=_groups(data, trainer.groups_by) if trainer.groups_by else None,
        seed=expert.seed,
        threads=expert.threads,
    )
    data.release()
    if trainer.only_stochastic:
        training.keep_shards_only()
    builder = ModelBuilder(expert, data, training)
    watch = Watch(
        evaluate=None if held_out is None else builder.scorer(held_out, trainer), patience=expert.patience, on_epoch=on_epoch
    )
    try:
        weights = trainer.train(problem, watch)
    except KeyboardInterrupt:
        kept = watch.best_or_latest()
        if kept is not None and np.isfinite(kept).all():
            expert._install(builder.build(trainer.model_weights(kept), watch))
        raise
    # Free the data of the training first: memory peaks while the model is built.
    del problem, training
    watch.release()
    expert._install(builder.build(trainer.model_weights(weights), watch))


def _training_set(
    expert: Expert, data: TrainingData, previous: PreviousWeights | None, *, merge_twins: bool, bundle: bool, rows_only: bool
) -> _native.TrainingSet:
    """Create the training set. Cells with a previous weight keep it."""
    history = None if data.encoded.history is None else (data.encoded.history, data.history_feature_count)
    return _native.TrainingSet(
        data.encoded.native,
        data.gold,
        data.feature_count,
        len(data.labels),
        _native.Layout(all_cells=expert.pairs == _ALL, dense_from=1 if rows_only else 5, merge_twins=merge_twins, bundle=bundle),
        history,
        None if previous is None else previous.known(len(data.labels)),
    )


def _groups(data: TrainingData, by: str) -> NDArray[np.uint16]:
    """Which features belong together, for trainers that leave them out together."""
    if isinstance(data.encoder, GivenEncoder):
        raise InputError(f"given features have no {by}: they can only be left out one by one, drop='features'")
    groups = np.array(data.encoder.template_groups(by), np.uint16)
    if by == "bags" and (groups == groups.max()).all():
        raise InputError("the templates have no [bags] to leave out: name some, or use drop='templates'")
    found: NDArray[np.uint16] = groups[data.encoder.fitted_native.template_numbers()]
    return found


def _example_weights(expert: Expert, data: TrainingData, sample_weight: Any) -> NDArray[np.float32]:
    """One weight a sentence in chains, one a token without; none if all are 1."""
    bounds = data.encoded.sentences.astype(np.int64)
    if sample_weight is None and expert.class_weight is None:
        return np.zeros(0, np.float32)
    weights = data.sentence_weights(sample_weight)
    tokens = np.repeat(weights, np.diff(bounds))
    if expert.class_weight is not None:
        tokens = tokens * np.append(_class_weights(expert.class_weight, data), 1.0)[data.gold]
    if not expert.chain:
        return tokens.astype(np.float32)
    found: NDArray[np.float32] = (np.add.reduceat(tokens, bounds[:-1]) / np.diff(bounds)).astype(np.float32)
    return found


def _class_weights(given: Mapping[str, float] | str, data: TrainingData) -> NDArray[np.float64]:
    if given == "balanced":
        met = np.bincount(data.gold[data.gold >= 0], minlength=len(data.labels))
        found: NDArray[np.float64] = met.sum() / (len(data.labels) * np.maximum(met, 1))
        return found
    if not isinstance(given, Mapping):
        raise InputError(f"class_weight={given!r}: expected a mapping of labels to weights, or 'balanced'")
    for label, weight in given.items():
        if label not in data.labels:
            raise InputError(f"class_weight: {label!r} is not one of the labels {', '.join(data.labels)}")
        if not isinstance(weight, (int, float, np.number)) or not 0 <= weight < np.inf:
            raise InputError(f"class_weight: {label!r}: expected a number from 0 on, got {weight!r}")
    return np.array([given.get(label, 1.0) for label in data.labels], np.float64)


class ModelBuilder:
    """Creates models from weights: for the dev set during training, and the final one."""

    def __init__(self, expert: Expert, data: TrainingData, training: _native.TrainingSet) -> None:
        self.expert = expert
        self.data = data
        self.training = training

    def _parts(self, weights: Weights, history: _native.Encoder | None) -> tuple[Any, ...]:
        pairs, count = self.training.cell_count, len(self.data.labels)
        edges, arcs = np.zeros(0, np.float32), None
        if self.expert.chain:
            free = self.training.edges()
            edges = np.zeros(count * (count + 2), np.float32)
            edges[free] = weights[pairs : pairs + len(free)]
            further = weights[pairs + len(free) :].copy()
            arcs = _native.TransitionWeights(self.training, further, history, self.data.history_feature_count)
        none = (np.zeros(0, np.uint32), np.zeros(0, np.uint16))
        named = none if self.expert.pairs == _ALL else (self.training.cell_features(), self.training.cell_labels())
        return (list(self.data.labels), *named, weights[:pairs], edges, arcs)

    def on_encoded(self, weights: Weights) -> _native.Model:
        """A model that tags encoded sentences."""
        labels, features, numbers, pairs, edges, arcs = self._parts(weights, None)
        if not self.expert.chain and self.expert._dev_scheme is not None:
            edges = Scheme.of(self.expert._dev_scheme).constraints(labels).scores()
        return _native.Model.of_encoded(self.data.feature_count, labels, features, numbers, pairs, edges, arcs)

    def scorer(self, held_out: DevData, trainer: Trainer) -> Callable[[Weights], float]:
        """A function that scores weights on the dev set."""

        def score(weights: Weights) -> float:
            model = self.on_encoded(trainer.model_weights(weights))
            return held_out.score(model.tag_encoding(held_out.encoding, self.expert.threads, held_out.history))

        return score

    def build(self, weights: Weights, watch: Watch) -> Trained:
        """The result of the training."""
        encoder = self.data.encoder
        parts = self._parts(weights, None if isinstance(encoder, GivenEncoder) else encoder.fitted_history)
        del self.training
        if isinstance(encoder, GivenEncoder):
            model = _native.Model.from_given(encoder.fitted_native, *parts)
        else:
            model = _native.Model.from_encoder(encoder.fitted_native, *parts)
        return Trained(model, encoder, self.summary(watch), watch.log)

    def summary(self, watch: Watch) -> dict[str, Any]:
        """Facts about the training, without times: equal seeds give equal files."""
        return self.data.summary() | {
            "trainer": repr(trainer_of(self.expert.trainer)),
            "epochs": watch.log[-1].number if watch.log else 0,
            "loss": watch.log[-1].loss if watch.log else None,
            "dev": None if watch.best is None else watch.best_score,
            "step": self.data.step_before or watch.step,
        }
