"""How an expert is trained: sentences are encoded, laid out for the trainer, and its weights made into a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.rules import scheme_rules
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError
from tagpool.evaluation.alignment import Alignment
from tagpool.evaluation.chunks import count_chunks, rates
from tagpool.experts.continuing import Before
from tagpool.experts.expert import Expert
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder
from tagpool.features.presets import load_templates
from tagpool.features.transitions import transition_templates
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.trainers import trainer_of
from tagpool.optim.watch import Epoch, Watch, Weights

UNKNOWN = "\ufffdunknown"  # stands for labels given as None
_ALL, _OBSERVED = "all", "observed"


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
    """Trains an expert; ``resume`` goes on from its weights, ``epochs`` overrules those of a stochastic trainer."""
    _check(expert)
    trainer = trainer_of(expert.trainer)
    before = Before(expert) if resume and expert.is_fitted else None
    data = _Data(expert, sentences, labels, before)
    l2 = float(expert.l2)
    if epochs is not None:
        trainer = SGD(epochs=epochs, average_from=0)
        if before is not None:
            # The penalty belongs to all sentences ever seen: these pay for their share of it. And the step stays what it was: one
            # found by trying on a few sentences would shout down what was learned before.
            known = before.summary
            data.seen_before = int(known.get("sentences", 0))
            data.step_before = known.get("step")
            l2 *= data.sentence_count / (data.seen_before + data.sentence_count)
            trainer = SGD(epochs=epochs, average_from=0, step=float(known.get("step") or 0.1))
    held_out = data.dev(dev) if dev is not None else None
    merges = trainer.merges_twins and before is None and not expert.l1
    training = data.training_set(before, merge_twins=merges, bundle=trainer.goes_over_all, rows_only=trainer.needs_rows)
    problem = Problem(
        training=training,
        chain=expert.chain,
        l2=l2,
        l1=float(expert.l1),
        example_weights=_example_weights(expert, data, sample_weight),
        start=before.start(training, len(data.labels)) if before is not None else None,
        groups=data.groups(trainer.groups_by) if trainer.groups_by else None,
        seed=expert.seed,
        threads=expert.threads,
    )
    data.let_go()
    if trainer.only_descends:
        training.keep_shards_only()
    made = _Made(expert, data, training)
    watch = Watch(evaluate=None if held_out is None else held_out.scorer(made), patience=expert.patience, on_epoch=on_epoch)
    try:
        weights = trainer.train(problem, watch)
    except KeyboardInterrupt:
        kept = watch.kept()
        if kept is not None and np.isfinite(kept).all():
            made.install(kept, watch)
        raise
    # What training needed is let go before the model is made: that is where memory would be at its peak.
    del problem, training
    watch.let_go()
    made.install(weights, watch)


def _check(expert: Expert) -> None:
    for name in ("l2", "l1"):
        value = getattr(expert, name)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < np.inf:
            raise InputError(f"{name}={value!r}: expected a number from 0 on")
    if expert.pairs not in (_ALL, _OBSERVED):
        raise InputError(f"pairs={expert.pairs!r}: expected {_ALL!r} or {_OBSERVED!r}")
    if isinstance(expert.order, bool) or expert.order not in (1, 2):
        raise InputError(f"order={expert.order!r}: expected 1 or 2")
    for name, least in (("seed", 0), ("threads", 1), ("patience", 1)):
        value = getattr(expert, name)
        if name == "patience" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise InputError(f"{name}={value!r}: expected a whole number from {least} on")


class _Data:
    """Training sentences as numbers."""

    def __init__(self, expert: Expert, sentences: Any, labels: Any, before: Before | None) -> None:
        self.expert = expert
        self.given = are_given_features(sentences)
        self.known: list[str] = [] if before is None else before.names
        if before is not None and before.model.given != self.given:
            raise InputError("a model of given features goes on with given features, one of words with words")
        self.source: str | None = None
        self.seen_before = 0  # sentences that the weights have learned from already
        self.step_before: float | None = None
        if self.given:
            self._encode_given(sentences, labels)
        else:
            self._encode_corpus(as_corpus(sentences, labels, unknown=UNKNOWN), before)
        old = () if before is None else before.labels
        unknown = (UNKNOWN, expert.unknown_label)
        self.labels = old + tuple(label for label in self.met if label not in unknown and label not in old)
        if len(self.labels) < 2:
            got = f"only {self.labels[0]!r}" if self.labels else "none"
            raise InputError(f"expected at least two different labels to learn, got {got}", source=self.source)
        self.gold = self.numbers_of()
        self.sentence_count = len(self.encoded.sentences) - 1
        self.token_count = self.encoded.token_count
        self.feature_count = self.encoded.feature_count
        self.history_feature_count = self.encoded.history_feature_count
        if self.feature_count == 0:
            raise InputError(
                f"no feature is left: none was met {expert.min_count} times; use a smaller min_count, or more sentences",
                source=self.source,
            )

    def _encode_given(self, sentences: Any, labels: Any) -> None:
        if labels is None:
            raise InputError("expected labels beside the features: fit(features, labels)")
        self.encoder: Encoder | GivenEncoder = GivenEncoder(min_count=self.expert.min_count)
        flat = [[UNKNOWN if label is None else label for label in sentence] for sentence in labels]
        self.encoded = self.encoder.fit_transform(sentences, flat, known=self.known)
        self.met: tuple[str, ...] = self.encoder.labels_
        self.numbers_of = self._given_numbers

    def _encode_corpus(self, corpus: Corpus, before: Before | None) -> None:
        self.source = corpus.source
        if corpus.label_column is None:
            raise InputError(f"no labels to learn from; the columns are {', '.join(corpus.columns)}", source=corpus.source)
        expert = self.expert
        templates = expert.features
        if expert.chain:
            templates = transition_templates(load_templates(templates), expert.order)
        encoder = Encoder(
            templates,
            resources=expert.resources,
            min_count=expert.min_count,
            hash_size=expert.hash_size,
            history=expert.chain,
            dimensions=True,
        )
        if before is not None:
            encoder = Encoder.continued(before.encoder, before.model, min_count=expert.min_count)
        known_history = [] if before is None else before.history
        self.encoded = encoder.fit_transform(corpus, known=self.known, known_history=known_history)
        if expert._part is not None and before is None:
            self.encoded = encoder.keep(self.encoded, expert._part.marks(self.encoded.feature_count))
        self.encoder = encoder
        self.corpus = corpus
        self.met = encoder.labels_
        self.numbers_of = lambda: _numbers(corpus, self.labels)

    def _given_numbers(self) -> NDArray[np.int32]:
        number = {label: index for index, label in enumerate(self.labels)}
        table = np.array([number.get(label, -1) for label in self.met] + [-1], np.int32)
        found: NDArray[np.int32] = table[self.encoded.labels]
        return found

    def let_go(self) -> None:
        """The encoded sentences are laid out for training by now: they need not be kept twice."""
        del self.encoded

    def dev(self, dev: Any) -> _Dev:
        sentences, labels = dev if isinstance(dev, tuple) else (dev, None)
        if are_given_features(sentences) != self.given:
            raise InputError("the dev sentences must be like those of training: both words, or both given features")
        if isinstance(self.encoder, GivenEncoder):
            if labels is None:
                raise InputError("expected the dev set as a pair (features, labels)")
            encoded = self.encoder.transform(sentences, labels)
            missing = sorted({label for sentence in labels for label in sentence} - set(self.labels))
            source = None
            number = {label: index for index, label in enumerate(self.labels)}
            gold = np.array([number.get(label, -1) for sentence in labels for label in sentence], np.int32)
        else:
            corpus = as_corpus(sentences, labels)
            if corpus.label_column is None:
                raise InputError("the dev set has no labels to score", source=corpus.source)
            source = corpus.source
            encoded = self.encoder.transform(corpus)
            strings = corpus.strings(corpus.label_column)
            missing = sorted({strings[n] for n in corpus.native.distinct(corpus.label_column)} - set(self.labels))
            gold = _numbers(corpus, self.labels)
        if missing:
            shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
            raise InputError(
                f"the dev set has labels that training never saw: {shown}; add such sentences to the training data, "
                "or take them out of the dev set",
                source=source,
            )
        return _Dev(self.labels, encoded.native, encoded.history, gold)

    def training_set(self, before: Before | None, *, merge_twins: bool, bundle: bool, rows_only: bool) -> _native.TrainingSet:
        """The sentences laid out for training. Whatever had a weight ``before`` has one again."""
        sizes = self.feature_count, len(self.labels), self.expert.pairs == _ALL
        layout: dict[str, Any] = {} if before is None else before.known(len(self.labels))
        if rows_only:
            layout["dense_from"] = 1
        return _native.TrainingSet(
            self.encoded.native,
            self.gold,
            *sizes,
            order=self.expert.order,
            history=self.encoded.history,
            history_features=self.history_feature_count,
            merge_twins=merge_twins,
            bundle=bundle,
            **layout,
        )

    def groups(self, by: str) -> NDArray[np.uint16]:
        """Which features belong together, for trainers that leave them out together."""
        if isinstance(self.encoder, GivenEncoder):
            raise InputError(f"given features have no {by}: they can only be left out one by one, drop='features'")
        groups = np.array(self.encoder.template_groups(by), np.uint16)
        if by == "bags" and (groups == groups.max()).all():
            raise InputError("the templates have no [bags] to leave out: name some, or use drop='templates'")
        found: NDArray[np.uint16] = groups[self.encoder.fitted_native.template_numbers()]
        return found


def _numbers(corpus: Corpus, labels: Sequence[str]) -> NDArray[np.int32]:
    if corpus.label_column is None:
        raise InputError("no labels", source=corpus.source)
    number = {label: index for index, label in enumerate(labels)}
    return corpus.native.mapped(corpus.label_column, [number.get(text, -1) for text in corpus.strings(corpus.label_column)])


def _example_weights(expert: Expert, data: _Data, sample_weight: Any) -> NDArray[np.float32]:
    """One weight a sentence in chains, one a token without; none if all are 1."""
    bounds = data.encoded.sentences.astype(np.int64)
    count = len(bounds) - 1
    if sample_weight is None and expert.class_weight is None:
        return np.zeros(0, np.float32)
    weights = np.ones(count) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(f"sample_weight: expected {count} finite numbers from 0 on, one a sentence")
    tokens = np.repeat(weights, np.diff(bounds))
    if expert.class_weight is not None:
        tokens = tokens * np.append(_class_weights(expert.class_weight, data), 1.0)[data.gold]
    if not expert.chain:
        return tokens.astype(np.float32)
    found: NDArray[np.float32] = (np.add.reduceat(tokens, bounds[:-1]) / np.diff(bounds)).astype(np.float32)
    return found


def _class_weights(given: Mapping[str, float] | str, data: _Data) -> NDArray[np.float64]:
    if given == "balanced":
        met = np.bincount(data.gold[data.gold >= 0], minlength=len(data.labels))
        found: NDArray[np.float64] = met.sum() / (len(data.labels) * np.maximum(met, 1))
        return found
    if not isinstance(given, Mapping):
        raise InputError(f"class_weight={given!r}: expected a mapping of labels to weights, or 'balanced'")
    for label, weight in given.items():
        if label not in data.labels:
            raise InputError(f"class_weight: {label!r} is none of the labels {', '.join(data.labels)}")
        if not isinstance(weight, (int, float, np.number)) or not 0 <= weight < np.inf:
            raise InputError(f"class_weight: {label!r}: expected a number from 0 on, got {weight!r}")
    return np.array([given.get(label, 1.0) for label in data.labels], np.float64)


class _Made:
    """What training makes: models of weights, and at last the expert's."""

    def __init__(self, expert: Expert, data: _Data, training: _native.TrainingSet) -> None:
        self.expert = expert
        self.data = data
        self.training = training

    def _parts(self, weights: Weights, history: _native.Encoder | None) -> tuple[Any, ...]:
        pairs, count = self.training.pair_count, len(self.data.labels)
        edges, arcs = np.zeros(0, np.float32), None
        if self.expert.chain:
            free = self.training.edges()
            edges = np.zeros(count * (count + 2), np.float32)
            edges[free] = weights[pairs : pairs + len(free)]
            further = weights[pairs + len(free) :].copy()
            arcs = _native.TrainedArcs(self.training, further, history, self.data.history_feature_count)
        none = (np.zeros(0, np.uint32), np.zeros(0, np.uint16))
        named = none if self.expert.pairs == _ALL else (self.training.pair_features(), self.training.pair_labels())
        return (list(self.data.labels), *named, weights[:pairs], edges, arcs)

    def on_encoded(self, weights: Weights) -> _native.Model:
        """A model that tags what is encoded already."""
        labels, features, numbers, pairs, edges, arcs = self._parts(weights, None)
        if not self.expert.chain and self.expert._dev_scheme is not None:
            edges = scheme_rules(labels, self.expert._dev_scheme).scores()
        return _native.Model.of_encoded(self.data.feature_count, labels, features, numbers, pairs, edges, arcs)

    def install(self, weights: Weights, watch: Watch) -> None:
        """Makes the expert's model, and gives it what it was made of."""
        encoder, expert = self.data.encoder, self.expert
        parts = self._parts(weights, None if isinstance(encoder, GivenEncoder) else encoder.fitted_history)
        del self.training
        if isinstance(encoder, GivenEncoder):
            model = _native.Model.from_given(encoder.fitted_native, *parts)
        else:
            model = _native.Model.from_encoder(encoder.fitted_native, *parts)
        expert._model, expert._encoder, expert._names = model, encoder, None
        expert.log_ = watch.log
        expert._summary = self.summary(watch)

    def summary(self, watch: Watch) -> dict[str, Any]:
        """What a model remembers of its training. Nothing that changes from run to run: equal seeds give equal files."""
        columns = () if self.data.given else self.data.corpus.columns
        return {
            "sentences": self.data.seen_before + self.data.sentence_count,
            "tokens": self.data.token_count,
            "columns": [name for name in columns if name != SPACE],
            "label": None if self.data.given else self.data.corpus.label_column,
            "trainer": repr(trainer_of(self.expert.trainer)),
            "epochs": watch.log[-1].number if watch.log else 0,
            "loss": watch.log[-1].loss if watch.log else None,
            "dev": None if watch.best is None else watch.best_score,
            "step": self.data.step_before or watch.step,
        }


class _Dev:
    """The held-out sentences that decide when to stop."""

    def __init__(
        self,
        labels: tuple[str, ...],
        encoding: _native.Encoding,
        history: _native.Encoding | None,
        gold: NDArray[np.int32],
    ) -> None:
        self.labels = labels
        self.encoding = encoding
        self.history = history
        self.gold = gold.astype(np.int64)
        self.offsets = encoding.sentences().astype(np.int64)

    def scorer(self, made: _Made) -> Callable[[Weights], float]:
        """What scores weights: F1 in percent, or accuracy for plain labels."""

        def score(weights: Weights) -> float:
            predicted = made.on_encoded(weights).tag_encoding(self.encoding, made.expert.threads, self.history)
            alignment = Alignment(self.labels, self.gold, predicted.astype(np.int64), self.offsets)
            counts = count_chunks(alignment)
            return float(rates(len(counts.correct), len(counts.predicted), len(counts.gold))[2])

        return score
