"""Training of an inducing tagger: encode the sentences, run the epochs, build the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.inducing.names import InducedFeatures, NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.trained import Trained
from tagpool.experts.training_data import DevData, TrainingData
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder
from tagpool.optim.watch import Epoch, Watch

_NEVER = 2**63  # an epoch number that is never reached: no averaging


def fit(
    tagger: InducingTagger,
    sentences: Any,
    labels: Any = None,
    *,
    dev: Any = None,
    sample_weight: Any = None,
    on_epoch: Callable[[Epoch], object] | None = None,
    resume: bool = False,
    epochs: int | None = None,
) -> None:
    """Trains a tagger; ``resume`` starts from its weights, ``epochs`` replaces its own number of epochs."""
    previous = PreviousWeights(tagger) if resume and tagger.is_fitted else None
    data = TrainingData(tagger, sentences, labels, previous)
    if previous is not None:
        data.seen_before = int(previous.summary.get("sentences", 0)) if epochs is not None else 0
    held_out = data.dev(dev) if dev is not None else None
    learner = _learner(tagger, data, data.sentence_weights(sample_weight), averages=epochs is None)
    if previous is not None:
        previous.start(learner, data)
    data.release()
    builder = ModelBuilder(tagger, data)
    evaluate: Any = None if held_out is None else builder.scorer(held_out)
    watch: Any = Watch(evaluate=evaluate, patience=tagger.patience, on_epoch=on_epoch)
    total = tagger.epochs if epochs is None else epochs
    try:
        for number in range(1, total + 1):
            loss = learner.epoch()
            if not watch.epoch(number, total, loss, learner.learned):
                break
    except KeyboardInterrupt:
        learned = watch.best_or_latest()
        if learned is not None:
            tagger._install(builder.build(learned, watch))
        raise
    learned = watch.best_or_latest()
    del learner
    watch.release()
    tagger._install(builder.build(learned, watch))


def _learner(
    tagger: InducingTagger, data: TrainingData, weights: NDArray[np.float64], *, averages: bool
) -> _native.OnlineLearner:
    encoder = data.encoder
    texts = [label.encode() for label in data.labels]
    if tagger.induce and tagger.slots < data.feature_count:
        raise InputError(
            f"slots={tagger.slots}: expected at least one slot per feature, {data.feature_count}; "
            "use more slots, or a larger min_count",
            source=data.source,
        )
    native = _native.OnlineData(
        data.encoded.native,
        data.gold,
        _keys(encoder),
        np.array([_native.xxh64(text) for text in [*texts, b""]], np.uint64),
        _history(data),
        None if (weights == 1).all() else weights.astype(np.float32),
    )
    update = _native.AdaGrad(
        step=float(tagger.step), rho=float(tagger.rho), l1=float(tagger.l1), dual_averaging=bool(tagger.dual_averaging)
    )
    options = _native.OnlineOptions(
        update=update,
        strongest=tagger.strongest if tagger.induce else 0,
        slots=tagger.slots,
        batch=tagger.batch,
        gold_share=float(tagger.gold),
        average_from=tagger.average_from if averages and tagger.average_from is not None else _NEVER,
        seed=tagger.seed,
    )
    try:
        return _native.OnlineLearner(native, options)
    except _native.InputFault as fault:
        raise InputError(str(fault.args[0]), source=data.source) from None


def _history(data: TrainingData) -> _native.OnlineHistory | None:
    """The features that include previous labels."""
    history = data.encoder.fitted_history if isinstance(data.encoder, Encoder) else None
    if history is None or data.encoded.history is None:
        return None
    backs = [list(offsets) for offsets in data.encoder.history_backs] if isinstance(data.encoder, Encoder) else []
    return _native.OnlineHistory(data.encoded.history, history.keys(), backs, history.template_numbers())


def _keys(encoder: Encoder | GivenEncoder) -> NDArray[np.uint64]:
    """Hash keys of the features, for conjunctions."""
    return np.array(encoder.fitted_native.keys(), np.uint64)


class PreviousWeights:
    """Weights and names of a tagger that is trained further; its features and labels come first in the new problem."""

    def __init__(self, tagger: InducingTagger) -> None:
        self.model = tagger._fitted()
        self.labels = tagger.labels_
        self.encoder = tagger._encoder if isinstance(tagger._encoder, Encoder) else None
        self.features = NamedFeatures(tagger)
        self.names = self.features.names
        self.history = self.features.static
        self.summary = tagger.summary_

    def start(self, learner: _native.OnlineLearner, data: TrainingData) -> None:
        """Sets the weights and conjunctions of a new learner."""
        old, count = len(self.labels), len(data.labels)
        weights = self.features.single_weights()
        wide = np.zeros((len(weights), count), np.float32)
        wide[:, :old] = weights
        singles = len(self.names)
        learner.start_features(wide[:singles].ravel(), count)
        # "Before the sentence" has the number after the last label, which may be larger than it was.
        befores = [[count if label == old else label for label in row] for row in self.features.befores]
        static = self.features.induced.history[:, 0].tolist()
        rows = zip(static, befores, wide[singles:], strict=True)
        numbers = [learner.start_history(feature, before, row) for feature, before, row in rows]
        places = np.concatenate([np.arange(singles), data.feature_count + np.array(numbers, np.int64)]).astype(np.uint32)
        conjunctions = places[self.features.induced.conjunctions]
        wide = np.zeros((len(conjunctions), count), np.float32)
        wide[:, :old] = self.features.conjunction_weights()
        first, second = (np.ascontiguousarray(conjunctions[:, side]) for side in (0, 1))
        learner.start_conjunctions(first, second, wide.ravel())


class ModelBuilder:
    """Builds models from learned weights: one per epoch for the dev score, and the tagger's."""

    def __init__(self, tagger: InducingTagger, data: TrainingData) -> None:
        self.tagger = tagger
        self.data = data

    def scorer(self, held_out: DevData) -> Callable[[_native.Induced], float]:
        """A function that scores learned weights on the dev set."""

        def score(learned: _native.Induced) -> float:
            model = _native.OnlineModel.of_encoded(list(self.data.labels), learned)
            return held_out.score(model.tag_encoding(held_out.encoding, self.tagger.threads, self.tagger.beam, held_out.history))

        return score

    def build(self, learned: _native.Induced, watch: Any) -> Trained:
        """The model with everything it was built from."""
        encoder, tagger, labels = self.data.encoder, self.tagger, list(self.data.labels)
        if isinstance(encoder, GivenEncoder):
            model = _native.OnlineModel.from_given(encoder.fitted_native, labels, learned)
        else:
            model = _native.OnlineModel.from_encoder(encoder.fitted_native, encoder.fitted_history, labels, learned)
        summary = self.data.summary() | {
            "trainer": "mistakes, with conjunctions" if tagger.induce else "mistakes",
            "epochs": watch.log[-1].number,
            "loss": watch.log[-1].loss,
            "dev": None if watch.best is None else watch.best_score,
        }
        return Trained(model, encoder, summary, watch.log, InducedFeatures.of(learned, self.data.feature_count))
