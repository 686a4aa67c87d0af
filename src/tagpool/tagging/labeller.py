"""Labeller: a tagger with the options of tagging. StreamTagger: the base of the taggers of a file format. A start-up file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING
from tagpool.tagging.blocks import Block, Blocks

if TYPE_CHECKING:
    from tagpool.corpus.constraints import SchemeConstraints


class Reading(NamedTuple):
    """A label sequence of a sentence, with the probability of each label and the log-probability of the sequence if wanted."""

    labels: list[str]
    probabilities: list[float] | None = None
    score: float | None = None
    log_probability: float | None = None

    @property
    def comment(self) -> str:
        """Score and log-probability, for the comment before a reading."""
        return f"score {self.score:.6f} log-probability {self.log_probability:.6f}"


class Labeller:
    """Labels sentences: the best sequence or the ``nbest``, with ``probabilities``, or only valid ones of a ``scheme``."""

    def __init__(self, tagger: Any, *, nbest: int = 0, probabilities: bool = False, scheme: str | None = None) -> None:
        self.tagger = tagger
        if (nbest or probabilities or scheme is not None) and not tagger.has_probabilities:
            raise InputError(f"--nbest, --probabilities and --scheme need a model with probabilities, not a {tagger.kind}")
        self.names: list[str] = list(tagger.labels_)
        self.columns: Sequence[str] = tagger.columns
        self.by_document: bool = tagger.reads_documents
        self.summary: dict[str, Any] = tagger.single_taggers()[0].summary_
        self.nbest = nbest
        self.probabilities = probabilities
        self.constraints = None if scheme is None else _make_constraints(self.names, scheme)
        self.plain = not nbest and not probabilities
        """True for one sequence per sentence without probabilities."""

    def labels(self, columns: _native.Columns) -> list[list[str]]:
        """Return the best labels of each sentence."""
        if self.constraints is None:
            best: list[list[str]] = self.tagger.tag_columns(columns)
            return best
        return [reading.labels for (reading,) in self.readings(columns)]

    def readings(self, columns: _native.Columns) -> list[list[Reading]]:
        """Return the readings of each sentence, best first."""
        if self.plain and self.constraints is None:
            return [[Reading(labels)] for labels in self.labels(columns)]
        lattices = self.tagger.lattices(Corpus(columns))
        if self.constraints is not None:
            lattices = [self.constraints.constrain(lattice) for lattice in lattices]
        if self.nbest:
            return [
                [
                    self._reading(lattice, labels, score, lattice.log_probability(labels))
                    for labels, score in lattice.best_n(self.nbest)
                ]
                for lattice in lattices
            ]
        if self.constraints is not None:
            sequences = [lattice.best().labels for lattice in lattices]
        else:
            # The labels are the same with and without probabilities.
            number = {name: number for number, name in enumerate(self.names)}
            sequences = [[number[label] for label in labels] for labels in self.labels(columns)]
        return [[self._reading(lattice, labels)] for lattice, labels in zip(lattices, sequences, strict=True)]

    def _reading(
        self, lattice: Any, labels: Sequence[int], score: float | None = None, log_probability: float | None = None
    ) -> Reading:
        probabilities = lattice.marginals()[range(len(labels)), labels].tolist() if self.probabilities else None
        return Reading([self.names[number] for number in labels], probabilities, score, log_probability)

    def require(self, columns: Sequence[str], fail: Callable[[str], InputError]) -> None:
        """Raise an error if a column that the model reads is missing."""
        missing = [name for name in self.columns if name not in columns]
        if missing:
            names, columns_of_input = ", ".join(self.columns), ", ".join(columns)
            raise fail(f"the model reads the columns {names}, the input has {columns_of_input}; {', '.join(missing)} is missing")


def _make_constraints(labels: list[str], scheme: str) -> SchemeConstraints:
    """Return the constraints of a scheme for the labels of a model; raise an error if a label is never valid."""
    constraints = Scheme.of(scheme).constraints(labels)
    reached, leaving = constraints.start.copy(), constraints.end.copy()
    for _ in labels:
        reached |= (reached[:, None] & constraints.transitions).any(axis=0)
        leaving |= (leaving[None, :] & constraints.transitions).any(axis=1)
    dead = [label for label, valid in zip(labels, reached & leaving, strict=True) if not valid]
    if dead:
        raise InputError(f"--scheme {scheme}: the model's labels have another scheme; {', '.join(dead)} would never be valid")
    return constraints


class StreamTagger:
    """Labels the blocks of a stream; iteration yields them with their labels."""

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        self.labeller = labeller
        self.blocks = blocks
        self.sentences = 0

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces()
        if not self.sentences:
            message = "expected sentences; the input is empty or has only blank lines and comments"
            raise InputError(message, source=self.blocks.source)

    def _pieces(self) -> Iterator[bytes]:
        return map(self._tag, self.blocks)

    def _tag(self, block: Block) -> bytes:
        """Return a block with its labels."""
        raise NotImplementedError
