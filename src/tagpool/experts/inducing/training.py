"""Training of an inducing tagger: encode the sentences, run the epochs, build the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from tagpool import _native
from tagpool.errors import InputError, TrainingError
from tagpool.experts.inducing.names import InducedFeatures, NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.training import Training
from tagpool.experts.training_data import PreviousModel, TrainingData
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder
from tagpool.optim.watch import Watch

_NEVER = 2**63  # an epoch number that is never reached: no averaging


class PreviousWeights(PreviousModel):
    """Weights and conjunctions of a tagger whose training continues."""

    def __init__(self, tagger: InducingTagger) -> None:
        super().__init__(tagger)
        self.features = NamedFeatures(tagger)

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
        begin = 0
        for part in self.features.conjunction_weights():
            wide[begin : begin + len(part), :old] = part
            begin += len(part)
        first, second = (np.ascontiguousarray(conjunctions[:, side]) for side in (0, 1))
        learner.start_conjunctions(first, second, wide.ravel())


class InducingTraining(Training):
    """A training of an inducing tagger."""

    tagger: InducingTagger
    previous: PreviousWeights | None
    previous_model = PreviousWeights

    def __init__(self, tagger: InducingTagger, sentences: Any, labels: Any, **options: Any) -> None:
        super().__init__(tagger, sentences, labels, **options)
        self.trainer_name = "mistakes, with conjunctions" if tagger.induce else "mistakes"
        average_from = tagger.average_from if self.epochs is None else None
        self.learner = self._learner(_NEVER if average_from is None else average_from)
        if self.previous is not None:
            self.previous.start(self.learner, self.data)
        del self.data.encoded  # the learner has its own layout

    def _learner(self, average_from: int) -> _native.OnlineLearner:
        tagger, data = self.tagger, self.data
        if tagger.induce and tagger.slots < data.feature_count:
            raise InputError(
                f"slots={tagger.slots}: expected at least one slot per feature, {data.feature_count}; "
                "use more slots, or a larger min_count",
                source=data.source,
            )
        weights = data.sentence_weights(self.sample_weight)
        native = _native.OnlineData(
            data.encoded.native,
            data.gold,
            np.array(data.encoder.fitted_native.keys(), np.uint64),
            np.array([_native.xxh64(text.encode()) for text in (*data.labels, "")], np.uint64),
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
            average_from=average_from,
            seed=tagger.seed,
        )
        options.set_dropout(float(tagger.dropout))
        try:
            return _native.OnlineLearner(native, options)
        except _native.InputFault as fault:
            raise InputError(str(fault.args[0]), source=data.source) from None

    def pack(self, learned: _native.Induced) -> bytes:
        """Learned weights as bytes, for a checkpoint."""
        return _native.OnlineLearner.write_learned(learned)

    def unpack(self, block: bytes) -> _native.Induced:
        """Learned weights from the bytes of a checkpoint."""
        return self.learner.read_learned(block)

    def learn(self, watch: Watch) -> Any:
        """Run the epochs, and free the learner."""
        learner, total = self.learner, self.epochs or self.tagger.epochs

        def restore(_: dict[str, Any], block: bytes) -> Any:
            learner.restore(block)
            return learner.learned

        for number in range(watch.restore(restore) + 1, total + 1):
            loss = learner.epoch()
            if not watch.epoch(number, total, loss, learner.learned, state=lambda: ({}, learner.state())):  # type: ignore[arg-type]
                break
        learned = watch.best_or_latest()
        del self.learner
        return learned

    def dev_model(self, learned: _native.Induced) -> _native.OnlineModel:
        """A model that tags encoded sentences."""
        return _native.OnlineModel.of_encoded(list(self.data.labels), learned, self.data.forbidden_edges)

    def model(self, learned: _native.Induced) -> _native.OnlineModel:
        """The model of the tagger."""
        encoder, labels, forbidden = self.data.encoder, list(self.data.labels), self.data.forbidden_edges
        try:
            if isinstance(encoder, GivenEncoder):
                return _native.OnlineModel.from_given(encoder.fitted_native, labels, learned, forbidden)
            return _native.OnlineModel.from_encoder(encoder.fitted_native, encoder.fitted_history, labels, learned, forbidden)
        except _native.InputFault as fault:
            raise TrainingError(f"{fault.args[0]}; use a smaller step") from None

    def install(self, learned: _native.Induced, watch: Watch) -> None:
        """Set the model of the tagger, with the features that were added in training."""
        induced = InducedFeatures.of(learned, self.data.feature_count)
        super().install(learned, watch)
        self.tagger._induced = induced


def _history(data: TrainingData) -> _native.OnlineHistory | None:
    """The features that include previous labels."""
    encoder, encoding = data.encoder, data.encoded.history
    if not isinstance(encoder, Encoder) or encoder.fitted_history is None or encoding is None:
        return None
    history = encoder.fitted_history
    backs = [list(offsets) for offsets in encoder.history_backs]
    return _native.OnlineHistory(encoding, history.keys(), backs, history.template_numbers())
