"""Labeller: a tagger with the options of tagging. StreamTagger: the base of the taggers of a file format. A start-up file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.corpus.blocks import Block, Blocks
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from tagpool.chain.lattice import Labelling, Lattice
    from tagpool.corpus.constraints import SchemeConstraints
    from tagpool.corpus.truecasing import Truecaser
    from tagpool.tagging.inner_lattices import InnerLattices


LONGEST_SENTENCE = 1 << 18
"""Maximum number of tokens in a sentence of a stream, so that memory is bounded."""
_SCORES = 1 << 22  # scores of the lattices that are in memory at once
_LATTICE = 1 << 10  # size of a lattice without its scores, as a number of scores


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


def _truecaser_of(tagger: Any) -> Truecaser:
    """Return the truecaser of a model; an error without one."""
    truecaser: Truecaser | None = getattr(tagger, "truecaser_", None)
    if truecaser is None:
        raise InputError("--truecase: the model stores no capitals; train it with --truecase, or leave the option out")
    return truecaser


class Labeller:
    """Labels sentences: the best sequence or the ``nbest``, with ``probabilities``, or only valid ones of a ``scheme``."""

    def __init__(
        self, tagger: Any, *, nbest: int = 0, probabilities: bool = False, scheme: str | None = None, truecase: bool = False
    ) -> None:
        self.tagger = tagger
        self.truecaser = _truecaser_of(tagger) if truecase else None
        if (nbest or probabilities or scheme is not None) and not tagger.has_probabilities:
            raise InputError(f"--nbest, --probabilities and --scheme need a model with probabilities, not a {tagger.kind}")
        self.names: list[str] = list(tagger.labels_)
        self.columns: Sequence[str] = tagger.columns
        self.by_document: bool = tagger.reads_documents
        self.varying_edges = any(_has_varying_edges(one) for one in tagger.single_taggers())
        self.summary: dict[str, Any] = tagger.single_taggers()[0].summary_
        self.nbest = nbest
        self.probabilities = probabilities
        self.constraints = None if scheme is None else _make_constraints(self.names, scheme)
        self.plain = not nbest and not probabilities
        """True for one sequence per sentence without probabilities."""
        self.inner: InnerLattices | None = None  # for labels with two states
        if (not self.plain or scheme is not None) and tagger.single_taggers() == [tagger] and self._has_states():
            from tagpool.tagging.inner_lattices import InnerLattices

            self.inner = InnerLattices(tagger)
            self.names = self.inner.names
            if self.constraints is not None:
                self.constraints = self.inner.expand(self.constraints)

    def _has_states(self) -> bool:
        return len(self.names) < len(self.tagger._fitted().labels)

    def labels(self, columns: _native.Columns) -> list[list[str]]:
        """Return the best labels of each sentence."""
        if self.constraints is None:
            best: list[list[str]] = self.tagger.tag_columns(self._restored(columns))
            return best
        return [reading.labels for (reading,) in self.readings(columns)]

    def lines(self, columns: _native.Columns, text: bytes, tabs: bool | None) -> tuple[bytes, bool] | None:
        """Return the lines of a CoNLL text with labels, and whether the first has a tab; None if that needs a closer look."""
        if not self.plain or self.constraints is not None or self.truecaser or not hasattr(self.tagger, "tag_lines"):
            return None
        labelled: tuple[bytes, bool] | None = self.tagger.tag_lines(columns, text, tabs)
        return labelled

    def readings(self, columns: _native.Columns) -> list[list[Reading]]:
        """Return the readings of each sentence, best first."""
        if self.plain and self.constraints is None:
            return [[Reading(labels)] for labels in self.labels(columns)]
        columns = self._restored(columns)
        return [readings for part in self._parts(Corpus(columns)) for readings in self._part_readings(part)]

    def _restored(self, columns: _native.Columns) -> _native.Columns:
        """Return the sentences with their usual capitals, if the labeller restores them."""
        return columns if self.truecaser is None else self.truecaser.restore(Corpus(columns)).native

    def _parts(self, corpus: Corpus) -> Iterator[Corpus]:
        """Yield runs of sentences (or of documents, if the model reads them) whose lattices fit into memory together."""
        cells = len(self.names) ** (2 if self.varying_edges else 1)
        offsets = corpus.offsets().tolist()
        starts = (corpus.document_starts if self.by_document else []) or range(len(corpus))
        first = 0
        for begin, end in pairwise([*starts, len(corpus)]):
            if begin > first and (offsets[end] - offsets[first]) * cells + (end - first) * _LATTICE > _SCORES:
                yield corpus.select(range(first, begin))
                first = begin
        yield corpus.select(range(first, len(corpus))) if first else corpus

    def _part_readings(self, corpus: Corpus) -> list[list[Reading]]:
        columns = corpus.native
        lattices = self.tagger.lattices(corpus) if self.inner is None else self.inner.lattices(corpus)
        if self.constraints is not None:
            lattices = [self.constraints.constrain(lattice) for lattice in lattices]
        if self.nbest:
            best_n = self._best_n()
            return [
                [
                    self._reading(lattice, labels, score, self._log_probability(lattice, labels))
                    for labels, score in best_n(lattice)
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

    def _best_n(self) -> Callable[[Lattice], list[Labelling]]:
        if self.constraints is not None:
            return lambda lattice: lattice.best_n(self.nbest)
        from tagpool.experts.forbidden import ForbiddenEdges

        forbidden = ForbiddenEdges(self.tagger) if self.inner is None else ForbiddenEdges.of_states(self.tagger)
        return lambda lattice: forbidden.best_n(lattice, self.nbest)

    def _log_probability(self, lattice: Lattice, labels: Any) -> float:
        return lattice.log_probability(labels) if self.inner is None else self.inner.log_probability(lattice, labels)

    def _reading(self, lattice: Any, labels: Any, score: float | None = None, log_probability: float | None = None) -> Reading:
        probabilities = None
        if self.probabilities:
            marginals = lattice.marginals() if self.inner is None else self.inner.marginals(lattice)
            probabilities = marginals[range(len(labels)), labels].tolist()
        return Reading([self.names[number] for number in labels], probabilities, score, log_probability)

    def require(self, columns: Sequence[str], fail: Callable[[str], InputError]) -> None:
        """Raise an error if a column that the model reads is missing."""
        missing = [name for name in self.columns if name not in columns]
        if missing:
            names, given, lacking = (", ".join(part) for part in (self.columns, columns, missing))
            advice = "add it, or train a model that reads words only (such as --features ner)"
            raise fail(f"the model reads the columns {names}, the input has {given}; {lacking} is missing; {advice}")


def _has_varying_edges(tagger: Any) -> bool:
    """Whether the edges of lattices depend on the token: with transition features, and with two states for a label."""
    model = tagger._fitted()
    return getattr(model, "has_history", False) or len(tagger.labels_) < len(model.labels)


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
    """Labels the blocks of a stream; iteration yields them with their labels.

    A bad record is reported after the output of all earlier records: ``on_error`` receives its error, and the stream continues
    (``keep_going`` of the blocks); otherwise the error ends the stream.
    """

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        self.labeller = labeller
        self.blocks = blocks
        self.sentences = 0
        self.skipped = 0
        self.on_error: Callable[[InputError], object] = lambda error: None
        self._errors: list[InputError] = []  # of records whose output is not written yet

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces():
            yield piece
            self._report()
        self._report()
        if not self.sentences and not self.skipped:
            message = "expected sentences; the input is empty or has only blank lines and comments"
            raise InputError(message, source=self.blocks.source)

    def _report(self) -> None:
        """Report errors, now that earlier output is written."""
        errors, self._errors = self._errors, []
        if errors and not self.blocks.keep_going:
            raise errors[0]
        for error in errors:
            self.skipped += 1
            self.on_error(error)

    def _refuse(self, error: InputError) -> str:
        """Remember the error of a record, and return it as one line that replaces the record in the output."""
        if self.blocks.encoding != "utf-8" and error.message.startswith("expected UTF-8"):
            error = InputError(f"expected {self.blocks.encoding}, got invalid bytes", source=error.source, line=error.line)
        self._errors.append(error)
        return " ".join(str(error).split())

    @property
    def _stops(self) -> bool:
        """True after a record that ends the stream."""
        return bool(self._errors) and not self.blocks.keep_going

    def _check_length(self, tokens: int, fail: Callable[[str], InputError]) -> None:
        if tokens > LONGEST_SENTENCE:
            raise fail(f"expected at most {LONGEST_SENTENCE:,} tokens in a sentence, got {tokens:,}; divide it into sentences")

    def _pieces(self) -> Iterator[bytes]:
        """Yield labelled blocks; after a record that ends the stream, no more."""
        for block in self.blocks:
            yield (self._comment(block.error) if block.error is not None else b"") + self._tag(block)
            if self._stops:
                return

    def _comment(self, error: InputError) -> bytes:
        """Return a comment that replaces a bad record in CoNLL."""
        return f"# skipped = {self._refuse(error)}\n\n".encode()

    def _tag(self, block: Block) -> bytes:
        """Return a block with its labels."""
        raise NotImplementedError
