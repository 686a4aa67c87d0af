"""Labeller: an expert with what was asked of it: n best sequences, probabilities, only valid ones."""

from __future__ import annotations

from tagpool import _native
from tagpool.cli.tagging.reading import Reading
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.expert import Expert
from tagpool.lazy import attach

# NumPy is only needed for more than the best labels.
_lazy = attach(__name__, {"readings": "tagpool.cli.tagging.lattices", "rules_of": "tagpool.cli.tagging.lattices"})


class Labeller:
    """Labels sentences."""

    def __init__(self, expert: Expert, *, nbest: int = 0, marginals: bool = False, scheme: str | None = None) -> None:
        self.expert = expert
        self.model = expert._fitted()
        self.needs = tuple(self.model.columns)
        self.nbest = nbest
        self.marginals = marginals
        self.rules = None if scheme is None else _lazy("rules_of")(self.model.labels, scheme)
        self.plain = not nbest and not marginals
        """Whether there is one sequence a sentence and nothing else to tell."""

    def labels(self, columns: _native.Columns) -> list[list[str]]:
        """The best labels of each sentence."""
        if self.rules is None:
            return self.model.tag_columns(columns, self.expert.threads)
        return [reading.labels for (reading,) in _lazy("readings")(self, columns)]

    def readings(self, columns: _native.Columns) -> list[list[Reading]]:
        """The readings of each sentence, best first."""
        if self.plain and self.rules is None:
            return [[Reading(labels)] for labels in self.labels(columns)]
        found: list[list[Reading]] = _lazy("readings")(self, columns)
        return found

    def require(self, has: tuple[str, ...], source: str, line: int | None = None) -> None:
        """Raises an error if a column that the model looks at is missing."""
        missing = [name for name in self.needs if name not in has]
        if missing:
            raise InputError(
                f"the model looks at the columns {', '.join(self.needs)}, and the input has {', '.join(has)}: "
                f"{', '.join(missing)} is missing",
                source=source,
                line=line,
            )

    def corpus(self, columns: dict[str, list[list[str]]]) -> _native.Columns:
        """Lists of strings as the model takes them."""
        return Corpus.from_columns(columns).native
