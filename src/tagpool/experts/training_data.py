"""The sentences that a tagger is trained on, and those that decide when to stop, as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, TemplateError
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.label_scheme import MOST_LABELS, forbidden_edges
from tagpool.experts.saving import feature_names, history_names
from tagpool.experts.states import States, choose_states
from tagpool.experts.tagger import Tagger
from tagpool.features.automatic import choose_min_count
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder, distinct_labels, label_ids
from tagpool.features.given import GivenEncoder
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

UNKNOWN = "\ufffdunknown"  # replaces labels that are None


class PreviousModel:
    """The features by name, and the labels, of a model whose training continues; they come first in the new problem."""

    def __init__(self, tagger: Tagger) -> None:
        self.model = tagger._fitted()
        self.labels = tuple(self.model.labels)  # of states: some may occur twice
        self.encoder = tagger._encoder if isinstance(tagger._encoder, Encoder) else None
        self.names = feature_names(tagger)
        self.history = history_names(tagger)
        self.summary = tagger.summary_
        count = len(self.labels)
        self.forbidden: NDArray[np.uint8] | None = None
        if count <= MOST_LABELS:
            known = self.model.forbidden()
            self.forbidden = (known if len(known) else np.zeros(count * (count + 2), np.uint8)).reshape(count + 2, count)


class TrainingData:
    """Training sentences as numbers; ``gold`` has the label of each token, -1 where it is unknown."""

    def __init__(self, tagger: Tagger, sentences: Any, labels: Any, previous: PreviousModel | None) -> None:
        self.tagger = tagger
        self.takes_features = are_given_features(sentences)
        if previous is not None and previous.model.given != self.takes_features:
            trained, got = ("words", "given features") if self.takes_features else ("given features", "words")
            raise InputError(f"the model was trained on {trained}; continue with {trained}, not with {got}")
        self.encoder: Encoder | GivenEncoder
        self.corpus = None if self.takes_features else as_corpus(sentences, labels, unknown=UNKNOWN)
        self.min_count = self._choose_min_count(previous)
        if self.corpus is None:
            self.encoded = self._encode_features(sentences, labels, previous)
        else:
            self.encoded = self._encode_corpus(self.corpus, previous)
        self.source = None if self.corpus is None else self.corpus.source
        old = () if previous is None else previous.labels
        not_learned = (UNKNOWN, tagger.unknown_label, *old)
        labels = tuple(dict.fromkeys((*old, *(label for label in self.encoder.labels_ if label not in not_learned))))
        if len(labels) < 2:
            got = f"only {labels[0]!r}" if labels else "none"
            raise InputError(f"expected at least two different labels to learn, got {got}", source=self.source)
        self.states = self._number_states(labels, previous)
        self.labels = self.states.names  # of the native model
        known = None if previous is None else previous.forbidden
        self.forbidden_edges: Any = forbidden_edges(self.states.scheme_names, self.gold, self.encoded.bounds, known)
        self.encoder.labels_ = labels
        self.scored_labels = labels  # followed by those that only the dev set has
        self.sentence_count = len(self.encoded)
        self.token_count = self.encoded.token_count
        self.feature_count = self.encoded.feature_count
        self.history_feature_count = self.encoded.history_feature_count
        if self.feature_count == 0:
            raise InputError(
                f"no feature is left: none occurs {counted(self.min_count, 'time')}; use a smaller min_count, or more sentences",
                source=self.source,
            )

    def _choose_min_count(self, previous: PreviousModel | None) -> int:
        return self.tagger.min_count or choose_min_count(self.tagger.templates, None if previous else self.corpus)

    def _number_states(self, labels: tuple[str, ...], previous: PreviousModel | None) -> States:
        """Number the gold labels, and return the states of the model."""
        number = {label: index for index, label in enumerate(labels)}
        table = [number.get(label, -1) for label in self.encoder.labels_]
        self.gold: Any = _native.renumber_labels(self.encoded.label_numbers, table)
        if previous is None:
            states = choose_states(self.tagger.inner_scheme, labels, self.gold, self.encoded.bounds)
        else:
            old = States(previous.labels)
            states = old.split(labels) if old.merged else States(labels)
        if states.merged:
            self.gold = states.refine(self.gold, self.encoded.bounds)
        return states

    def _encode_features(self, sentences: Any, labels: Any, previous: PreviousModel | None) -> EncodedCorpus:
        if labels is None:
            raise InputError("expected labels beside the features: fit(features, labels)")
        self.encoder = GivenEncoder(min_count=self.min_count)
        texts = [[UNKNOWN if label is None else label for label in sentence] for sentence in labels]
        return self.encoder.fit_transform(sentences, texts, known=[] if previous is None else previous.names)

    def _encode_corpus(self, corpus: Corpus, previous: PreviousModel | None) -> EncodedCorpus:
        self.check_labelled(corpus)
        if previous is not None:
            self.encoder = encoder = Encoder.continued(previous.encoder, previous.model, min_count=self.min_count)
            return encoder.fit_transform(corpus, known=previous.names, known_history=previous.history)
        self.encoder = encoder = self._new_encoder(corpus)
        encoded, part = encoder.fit_transform(corpus), self.tagger._part
        return encoded if part is None else encoder.keep(encoded, part.marks(encoded.feature_count))

    @staticmethod
    def check_labelled(corpus: Corpus) -> None:
        """Raise an error for a corpus without labels."""
        if corpus.label_column is None:
            raise InputError(f"no labels to learn from; the columns are {', '.join(corpus.columns)}", source=corpus.source)

    def _new_encoder(self, corpus: Corpus) -> Encoder:
        """Return an encoder with the templates and resources of the tagger."""
        tagger = self.tagger
        return Encoder(
            tagger._templates(corpus),
            resources=tagger.resources,
            min_count=self.min_count,
            history=tagger.chain,
            dimensions=True,
        )

    def content(self) -> list[Any]:
        """The numbers of the training sentences, for a checksum."""
        return [*self.encoded.arrays(), self.gold]

    def encode_dev(self, dev: Any) -> EncodedCorpus:
        """The held-out sentences. Labels that training does not have are the last ``scored_labels``: they count as errors."""
        sentences, labels = dev if isinstance(dev, tuple) else (dev, None)
        if are_given_features(sentences) != self.takes_features:
            raise InputError("the dev sentences must be like those of training: both words, or both given features")
        source = None
        if isinstance(self.encoder, GivenEncoder):
            if labels is None:
                raise InputError("expected the dev set as a pair (features, labels)")
            encoded = self.encoder.transform(sentences, labels)
            self._add_scored(dict.fromkeys(label for sentence in labels for label in sentence), source)
            numbers = {label: number for number, label in enumerate(self.scored_labels)}
            ids = array("i", [numbers[label] for sentence in labels for label in sentence])
            return replace(encoded, label_numbers=ids)
        corpus = as_corpus(sentences, labels, unknown=UNKNOWN)
        if corpus.label_column is None:
            raise InputError("the dev set has no labels to score", source=corpus.source)
        try:
            encoded = self.encoder.transform(corpus)
        except TemplateError:
            missing = [] if self.corpus is None else [name for name in self.corpus.columns if name not in corpus.columns]
            if not missing:
                raise
            message = f"the dev set has no {' and no '.join(map(repr, missing))} column, which the training sentences have"
            advice = "add it, or use templates that read only words, such as --features ner"
            raise InputError(f"{message}; {advice}", source=corpus.source) from None
        self._add_scored(distinct_labels(corpus), corpus.source)
        return replace(encoded, label_numbers=label_ids(corpus, self.scored_labels))

    def _add_scored(self, labels: Iterable[str], source: str | None) -> None:
        for label in labels:
            if label in (UNKNOWN, self.tagger.unknown_label):
                shown = "None" if label == UNKNOWN else repr(label)
                message = f"the dev set has tokens with the label {shown}, which is unknown: they have no score; leave them out"
                raise InputError(message, source=source)
        self.scored_labels = tuple(dict.fromkeys((*self.scored_labels, *labels)))

    def sentence_weights(self, sample_weight: Any) -> NDArray[np.float64]:
        """Weights of the sentences (default: 1)."""
        return check_weights(sample_weight, self.sentence_count)


def check_weights(sample_weight: Any, count: int) -> NDArray[np.float64]:
    """Weights of sentences (default: 1); an InputError for others than one finite number from 0 on for each.

    >>> check_weights(None, 2), check_weights([1, 0], 2)
    (array([1., 1.]), array([1., 0.]))
    """
    weights = np.ones(count) if sample_weight is None else as_weights(sample_weight)
    if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(f"sample_weight: expected {counted(count, 'finite number')} from 0 on, one per sentence")
    if count and not weights.any():
        raise InputError("sample_weight: all weights are zero; expected one above 0")
    return weights


def as_weights(sample_weight: Any) -> NDArray[np.float64]:
    """Numbers for sentences; an InputError for other values.

    >>> as_weights([1, 2.5])
    array([1. , 2.5])
    """
    try:
        return np.asarray(sample_weight, np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InputError("sample_weight: expected finite numbers from 0 on, one per sentence") from None
