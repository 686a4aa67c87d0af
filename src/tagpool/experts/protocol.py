"""SequenceTagger: the interface of every tagger and every pool of taggers. Commands use nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.lattice import Lattice
from tagpool.experts.inside.description import Description
from tagpool.experts.inside.explanation import Explanation
from tagpool.experts.tagger import Tagger


class SequenceTagger(Protocol):
    """A fitted tagger or pool. A single tagger has no members; its ``merge`` returns itself."""

    kind: str
    threads: int
    has_probabilities: bool  # False for learners without lattices

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the corpus columns that the templates read."""

    @property
    def reads_documents(self) -> bool:
        """True if the labels of a sentence depend on the rest of its document."""

    @property
    def takes_features(self) -> bool:
        """True if it was trained on given features instead of templates."""

    @property
    def members_(self) -> Sequence[SequenceTagger]:
        """The fitted members of a pool; empty for a single tagger."""

    @property
    def weights_(self) -> Sequence[float] | NDArray[np.float64]:
        """The weights of the members; empty for a single tagger."""

    def single_taggers(self) -> list[Tagger]:
        """The single taggers in a pool, also in pools of pools; of a single tagger, itself."""

    def predict(self, sentences: Any) -> list[list[str]]:
        """The best label sequence of every sentence."""

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """The best label sequences of a corpus in native form."""

    def lattices(self, sentences: Any) -> list[Lattice]:
        """The scores of every sentence; an InputError for learners without probabilities."""

    def predict_proba(self, sentences: Any) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence a [T][L] array."""

    def merge(self) -> Tagger:
        """One model with the same labels; an InputError gives the reason if a pool does not merge."""

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Facts about the model, its ``top`` features and transitions; only of some labels or one template if given."""

    def explain(self, sentence: Any, number: int = 0) -> Explanation:
        """The features (and the votes of members) behind each label of a sentence, or of sentence ``number`` of a corpus."""

    def without(self, *groups: str, templates: str = "") -> SequenceTagger:
        """A copy that ignores the features of these groups (bags), and of further ``templates``."""

    def save(self, path: str | Path, *, size: str = "full", names: bool = True, resources: bool = True) -> None:
        """Writes the model to one file."""
