"""Labeller: a tagger with the options of tagging: n best sequences, probabilities, a tag scheme."""

from __future__ import annotations

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING
from tagpool.tagging.reading import Reading

if TYPE_CHECKING:
    from typing import Any

    from tagpool.corpus.constraints import SchemeConstraints
    from tagpool.experts.sequence_tagger import SequenceTagger


class Labeller:
    """Labels sentences."""

    def __init__(self, tagger: SequenceTagger, *, nbest: int = 0, probabilities: bool = False, scheme: str | None = None) -> None:
        self.tagger = tagger
        if (nbest or probabilities or scheme is not None) and not tagger.has_probabilities:
            raise InputError(f"--nbest, --probabilities and --scheme need a model with probabilities, not a {tagger.kind}")
        self.names = list(tagger.labels_)
        self.needs = tagger.columns
        self.by_document = tagger.reads_documents
        self.summary: dict[str, Any] = tagger.single_taggers()[0].summary_
        self.nbest = nbest
        self.probabilities = probabilities
        self.rules = None if scheme is None else _rules_of(self.names, scheme)
        self.plain = not nbest and not probabilities
        """True for one sequence per sentence without probabilities."""

    def labels(self, columns: _native.Columns) -> list[list[str]]:
        """The best labels of each sentence."""
        if self.rules is None:
            return self.tagger.tag_columns(columns)
        return [reading.labels for (reading,) in self.readings(columns)]

    def readings(self, columns: _native.Columns) -> list[list[Reading]]:
        """The readings of each sentence, best first."""
        if self.plain and self.rules is None:
            return [[Reading(labels)] for labels in self.labels(columns)]
        from tagpool.tagging.lattices import readings

        return readings(self, columns)

    def require(self, has: tuple[str, ...], source: str, line: int | None = None) -> None:
        """Raises an error if a column that the model reads is missing."""
        missing = [name for name in self.needs if name not in has]
        if missing:
            raise InputError(
                f"the model reads the columns {', '.join(self.needs)}, the input has {', '.join(has)}; "
                f"{', '.join(missing)} is missing",
                source=source,
                line=line,
            )

    def corpus(self, columns: dict[str, list[list[str]]], documents: list[int] | None = None) -> _native.Columns:
        """Columns of strings in native form."""
        return Corpus.from_columns(columns, documents=documents or []).native


def _rules_of(labels: list[str], scheme: str) -> SchemeConstraints:
    from tagpool.tagging.lattices import rules_of

    return rules_of(labels, scheme)
