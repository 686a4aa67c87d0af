"""Shard: the sentences of one worker, which encodes them, counts their features, and computes losses and gradients."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.experts.linear.layout_options import LayoutOptions
from tagpool.features.encoder import Encoder

Doubles = NDArray[np.float64]
Dictionaries = tuple[bytes, bytes | None]
"""Dictionaries of the features, and of those that are combined with previous labels."""
Columns = tuple[bytes, int] | None
"""The state of the columns of bundles."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of features in some sentences; ``seen`` are those of ``features`` features as bytes."""

    options: LayoutOptions
    features: int
    history_features: int
    seen: bytes = field(repr=False, default=b"")

    def observations(self, begin: int = 0) -> _native.Observations:
        """Return the counts in native form; new ones for sentences from the token ``begin`` on."""
        seen = _native.Observations(self.features, self.options.labels, self.options.native(), self.history_features, begin)
        if self.seen:
            seen.read(self.seen)
        return seen

    def weights(self) -> _native.WeightLayout:
        """Return the places of the weights, if these are the counts of the whole corpus."""
        return _native.WeightLayout(self.observations(), self.options.labels, self.options.native())


class Shard:
    """Sentences that follow each other in a corpus. ``begin`` is their first token in the whole corpus."""

    def __init__(self, corpus: Corpus, encoder: Encoder, begin: int) -> None:
        self._corpus, self._encoder, self._begin = corpus, encoder, begin
        self._encodings: list[_native.Encoding] = []
        self._gradients: _native.PartGradients | None = None
        self._parts = range(0)
        self._weights: _native.WeightLayout | None = None

    # Features -----------------------------------------------------------------------------------------------------------

    def number_features(self) -> Dictionaries:
        """Number the features of these sentences, encode them, and return the dictionaries."""
        self._encoder.begin(self._corpus)
        self._encodings = [one for one in self._encoder.fit_next(self._corpus) if one is not None]
        states = [native.state() for native in natives_of(self._encoder)]
        return states[0], states[1] if len(states) > 1 else None

    def renumber(self, *new_ids: NDArray[np.uint32]) -> None:
        """Replace the numbers of features by those in the whole corpus."""
        encodings = zip(self._encodings, new_ids, strict=True)
        self._encodings = [one if _are_same(ids) else one.renumbered(ids) for one, ids in encodings]

    def replace(self, corpus: Corpus, begin: int, cut: tuple[int, int], dictionaries: Dictionaries) -> None:
        """Take other sentences, and encode them: those from cut[0] to cut[1] of a corpus, whose documents are whole."""
        self._encoder.begin(corpus)
        natives = natives_of(self._encoder)
        for native, dictionary in zip(natives, dictionaries, strict=False):
            assert dictionary is not None
            native.restore(dictionary)
        self._begin = begin
        with NameFaults(corpus.source, purpose="encode the corpus"):
            self._encodings = [native.encode(corpus.native).cut(*cut) for native in natives]

    def count(self, counts: Counts, gold: NDArray[np.int32]) -> bytes:
        """Count the features by label, and return the counts."""
        seen = counts.observations(self._begin)
        seen.add(self._encodings[0], gold, self._history)
        return seen.state()

    # Bundles ------------------------------------------------------------------------------------------------------------

    def sort(self, counts: Counts, columns: Columns, usual: bool) -> Columns:
        """Sort the features into columns of bundles, after the sentences before."""
        native = _columns(self._places(counts), columns)
        native.sort(self._encodings[0], usual)
        return native.state()

    def join(self, counts: Counts, columns: Columns) -> Columns:
        """Join columns of bundles by the first part of the corpus."""
        native = _columns(self._places(counts), columns)
        native.join(self._encodings[0])
        return native.state()

    def savings(self, counts: Counts, columns: Columns) -> float:
        """Return the work that bundles save."""
        weights = self._places(counts)
        return _columns(weights, columns).savings(weights, self._encodings[0], self._begin)

    # Training -----------------------------------------------------------------------------------------------------------

    def arrange(
        self,
        counts: Counts,
        bundles: tuple[Columns, float] | None,
        gold: NDArray[np.int32],
        parts: tuple[int, int],
        chain: bool,
        example_weights: NDArray[np.float32],
    ) -> None:
        """Arrange these whole parts of the corpus for training, and free the encoding."""
        weights = self._places(counts)
        if bundles is not None:
            weights.choose_bundles(_columns(weights, bundles[0]), bundles[1])
        training = _native.TrainingSet.slice(weights, self._encodings[0], gold, self._history, self._begin)
        self._gradients = _native.PartGradients(training, chain, example_weights if len(example_weights) else None)
        self._parts = range(*parts)
        self._encodings = []

    def gradients(self, weights: Doubles) -> list[tuple[float, Doubles, Doubles, Doubles]]:
        """Return the loss of each part, with its gradients: of shared weights, of its own weights, and of edges."""
        assert self._gradients is not None
        self._gradients.move_to(weights)
        return [self._gradients.part(part) for part in self._parts]

    def _places(self, counts: Counts) -> _native.WeightLayout:
        """Return the places of the weights, which are computed once."""
        if self._weights is None:
            self._weights = counts.weights()
        return self._weights

    @property
    def _history(self) -> _native.Encoding | None:
        return self._encodings[1] if len(self._encodings) > 1 else None


def natives_of(encoder: Encoder) -> list[_native.Encoder]:
    """Return the native encoders of the features, and of those that are combined with previous labels if there are any."""
    return [native for native in (encoder.fitted_native, encoder.fitted_history) if native is not None]


def _are_same(new_ids: NDArray[np.uint32]) -> bool:
    """Return whether features keep their numbers, as those of the first sentences do."""
    return bool((new_ids == np.arange(len(new_ids), dtype=np.uint32)).all())


def _columns(weights: _native.WeightLayout, state: Columns) -> _native.BundleColumns:
    columns = weights.columns()
    assert columns is not None
    if state is not None:
        columns.set_state(*state)
    return columns
