"""Training of an expert: encode the sentences, create the training set, run the trainer, build the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError
from tagpool.experts.linear.continuing import PreviousWeights
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.label_memory import check_label_count
from tagpool.experts.linear.layout_options import LayoutOptions
from tagpool.experts.training import Training
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer
from tagpool.optim.trainers import trainer_of
from tagpool.optim.watch import Watch, Weights
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

_ALL, _AUTO = "all", "auto"
_FREQUENT = 8  # occurrences of a feature
_FEW_LABELS = 16  # two vectors of weights


class LinearTraining(Training):
    """A training of an expert; ``epochs`` are passes of SGD instead of its trainer."""

    tagger: Expert
    previous: PreviousWeights | None
    previous_model = PreviousWeights
    forgets = True  # features without weights, whose names would double the file

    def __init__(self, expert: Expert, sentences: Any, labels: Any, **options: Any) -> None:
        self.trainer = self._trainer(expert)
        self.trainer_name = repr(self.trainer)
        super().__init__(expert, sentences, labels, **options)
        previous = self.previous
        l2 = float(expert.l2)
        if self.epochs is not None:
            self.trainer = SGD(epochs=self.epochs, average_from=0)
            if previous is not None:
                # The penalty is scaled to the share of the new sentences.
                l2 *= self.data.sentence_count / (self.seen_before + self.data.sentence_count)
        self.has_all_pairs = expert.pairs == _ALL or (expert.pairs == _AUTO and len(self.data.labels) <= _FEW_LABELS)
        self.training = self._training_set()
        self.problem = self._problem(
            training=self.training,
            chain=expert.chain,
            l2=l2,
            l1=float(expert.l1),
            example_weights=self._example_weights(),
            start=self._start(),
            trained_on=self._trained_on(),
            groups=self._feature_groups(self.trainer.groups_by) if self.trainer.groups_by else None,
            seed=expert.seed,
            threads=expert.threads,
        )
        self.row_tagger: _native.RowTagger | None = None  # of the dev set
        self.parameter_count = self.problem.parameter_count
        del self.data.encoded  # the training set has its own layout
        if self.trainer.only_stochastic:
            self.training.keep_shards_only()

    def _problem(self, **parts: Any) -> Problem:
        return Problem(**parts)

    def _trainer(self, expert: Expert) -> Trainer:
        return trainer_of(expert.trainer)

    def _start(self) -> Weights | None:
        """The first weights; None for zero."""
        return None if self.previous is None else self.previous.start(self.training, len(self.data.labels))

    def _trained_on(self) -> int:
        """The number of sentences that the first weights were trained on."""
        return 0 if self.previous is None else int(self.previous.summary.get("sentences", 0))

    def _layout(self) -> _native.Layout:
        """Which weights the training has."""
        return self._options().native()

    def _training_set(self) -> _native.TrainingSet:
        data, previous, layout = self.data, self.previous, self._layout()
        history = None if data.encoded.history is None else (data.encoded.history, data.history_feature_count)
        known = None if previous is None else previous.known(len(data.labels))
        check_label_count(len(data.labels), self.tagger.chain)
        with NameFaults(data.source, purpose="arrange the features for training"):
            return _native.TrainingSet(
                data.encoded.native, data.gold, data.feature_count, len(data.labels), layout, history, known
            )

    def _options(self) -> LayoutOptions:
        trainer = self.trainer
        return LayoutOptions(
            labels=len(self.data.labels),
            all_cells=self.has_all_pairs,
            dense_from=1 if trainer.needs_rows else 5,
            merge_twins=trainer.merges_twins and self.previous is None and not self.tagger.l1,
            bundle=trainer.full_batch,
            all_from=_FREQUENT if self.tagger.pairs in (_AUTO, "frequent") else 0,
        )

    def _feature_groups(self, by: str) -> NDArray[np.uint16]:
        """The group of each feature, for trainers that drop whole groups."""
        encoder = self.data.encoder
        if isinstance(encoder, GivenEncoder):
            raise InputError(f"given features have no {by}: use drop='features'")
        groups = np.array(encoder.template_groups(by), np.uint16)
        if by == "bags" and (groups == groups.max()).all():
            raise InputError("the templates have no [bags] to leave out: name some, or use drop='templates'")
        feature_groups: NDArray[np.uint16] = groups[encoder.fitted_native.template_numbers()]
        return feature_groups

    def _example_weights(self) -> NDArray[np.float32] | None:
        """A weight per sentence in chains, per token otherwise; None if all are 1."""
        expert, data = self.tagger, self.data
        if self.sample_weight is None and expert.class_weight is None:
            return None
        bounds = data.encoded.sentences.astype(np.int64)
        tokens = np.repeat(data.sentence_weights(self.sample_weight), np.diff(bounds))
        if expert.class_weight is not None:
            numbers = np.append(data.states.label_of, -1)[np.asarray(data.gold)]
            tokens = tokens * np.append(_class_weights(expert.class_weight, data.states.labels, numbers), 1.0)[numbers]
        if not expert.chain:
            return tokens.astype(np.float32)
        means: NDArray[np.float64] = np.add.reduceat(tokens, bounds[:-1]) / np.diff(bounds)
        return means.astype(np.float32)

    def unpack(self, block: bytes) -> Weights:
        """Learned weights from the bytes of a checkpoint."""
        weights: Weights = super().unpack(block)
        expected = self.trainer.result_size(self.parameter_count)
        if len(weights) != expected or not np.isfinite(weights).all():
            raise ValueError(f"expected {counted(expected, 'finite weight')}, got {len(weights)}")
        return weights

    def learn(self, watch: Watch) -> Weights:
        """Run the trainer, and free the problem."""
        weights = self.trainer.train(self.problem, watch)
        del self.problem
        return weights

    def parts(self, weights: Weights, history: _native.Encoder | None) -> tuple[Any, ...]:
        """The arguments of native models: labels, cells (None: all), their weights, edges, transition features."""
        training, data = self.training, self.data
        cells = training.cell_count
        edges, transition_weights = None, None
        if self.tagger.chain:
            edges, further = self.edges_of(weights)
            transition_weights = _native.TransitionWeights(training, further, history, data.history_feature_count)
        features, labels = None, None
        if not self.has_all_pairs:
            features, labels = training.cell_features(), training.cell_labels()
        names = _native.ModelLabels(list(data.labels), data.forbidden_edges)
        return names, features, labels, weights[:cells], edges, transition_weights

    def edges_of(self, weights: Weights) -> tuple[Any, Any]:
        """The weights of transitions, first and last labels, and those of transition features."""
        edges, further = self.training.edge_weights(weights)
        return edges, further

    def dev_labels(self, learned: Weights, dev: EncodedCorpus) -> Any:
        """The label numbers of the dev set. A chain of features with all labels needs no model: that would copy all weights."""
        data, weights = self.data, self.trainer.model_weights(learned)
        if not self.tagger.chain or not self.has_all_pairs or dev.history is not None:
            return super().dev_labels(learned, dev)
        if self.row_tagger is None:
            count = len(data.labels)
            self.row_tagger = _native.RowTagger(dev.native, data.feature_count, count, data.forbidden_edges)
        if len(weights) < self.training.cell_count + self.row_tagger.padding:
            return super().dev_labels(learned, dev)
        return self.row_tagger.tag(weights, self.edges_of(weights)[0], self.tagger.threads)

    def dev_model(self, learned: Weights) -> _native.Model:
        """A model that tags encoded sentences."""
        parts = self.parts(self.trainer.model_weights(learned), None)
        return _native.Model.of_encoded(self.data.feature_count, *parts)

    def model(self, learned: Weights) -> _native.Model:
        """The model of the expert."""
        encoder = self.data.encoder
        parts = self.parts(self.trainer.model_weights(learned), getattr(encoder, "fitted_history", None))
        del self.training
        model = self.model_of(parts)
        if self.forgets and isinstance(encoder, Encoder) and self.previous is None:
            encoder.fitted_native.keep(model.has_weights(encoder.fitted_native), None)
        return model

    def model_of(self, parts: tuple[Any, ...]) -> _native.Model:
        """A model with the features of the training."""
        encoder = self.data.encoder
        if isinstance(encoder, GivenEncoder):
            return _native.Model.from_given(encoder.fitted_native, *parts)
        return _native.Model.from_encoder(encoder.fitted_native, *parts)

    def summary(self, watch: Watch) -> dict[str, Any]:
        """Facts about the training, with the step size."""
        return super().summary(watch) | {"step": watch.step}


def _class_weights(class_weight: Mapping[str, float] | str, labels: tuple[str, ...], gold: NDArray[np.int32]) -> Any:
    """The weight of each label."""
    if class_weight == "balanced":
        counts = np.bincount(gold[gold >= 0], minlength=len(labels))
        return counts.sum() / (len(labels) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight={class_weight!r}: expected a mapping of labels to weights, or 'balanced'")
    for label, weight in class_weight.items():
        if label not in labels:
            raise InputError(f"class_weight: {label!r} is not one of the labels {', '.join(labels)}")
        if not isinstance(weight, (int, float, np.number)) or not 0 <= weight <= float(np.finfo(np.float64).max):
            raise InputError(f"class_weight: {label!r}: expected a number from 0 on, got {weight!r}")
    return np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
