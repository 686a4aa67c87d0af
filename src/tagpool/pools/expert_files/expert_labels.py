"""ExpertLabels: the labels of all experts for the union of their sentences, with gold labels where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tagpool.corpus.annotations.annotation import Annotation
from tagpool.corpus.corpus import LABEL, Corpus

LabelRow = list[str | None] | None
ScoreRow = list[float | None] | None


@dataclass(frozen=True)
class ExpertSource:
    """Annotations from the files of an expert, or of several: ``experts`` maps their names to layers of the annotations."""

    path: str
    experts: dict[str, str]
    annotations: list[Annotation]

    def rows(self) -> list[list[str | None]]:
        """Return all labels of tokens, for the detection of the tag scheme."""
        layers = (one.layers.get(name) for one in self.annotations for name in self.experts.values())
        return [layer.labels for layer in layers if layer is not None and layer.labels is not None]


@dataclass
class ExpertLabels:
    """Labels by expert for the sentences of ``corpus``.

    A sentence is None if the expert has no labels for it; a label is None if it abstains. ``confidence`` has the experts that
    give confidences. ``gold`` has the gold labels, or None for sentences without them. ``corpus`` has the words, and the
    documents if they are known. ``notes`` are messages on what did not fit, with file and line.
    """

    corpus: Corpus
    labels: dict[str, list[LabelRow]]
    confidence: dict[str, list[ScoreRow]]
    gold: list[list[str] | None]
    notes: list[str] = field(default_factory=list)
    types: dict[str, set[str]] = field(default_factory=dict)  # of every expert, as its file has them
    origins: dict[str, list[Annotation | None]] = field(default_factory=dict)

    def place(self, expert: str, sentence: int, token: int = 0) -> dict[str, Any]:
        """Return the file and the line of a token, as arguments of an InputError."""
        origin = self.origins[expert][sentence]
        return {} if origin is None else {"source": origin.source, "line": origin.token_line(token)}

    def votes(self) -> dict[str, list[LabelRow]]:
        """Return the labels for a VotePool: where all experts are missing, the first one abstains for every token."""
        if not self.labels:
            return {}
        first, *_ = self.labels
        has_labels = [any(rows) for rows in zip(*self.labels.values(), strict=True)]
        sentences = zip(self.labels[first], has_labels, self.corpus.words, strict=True)
        return self.labels | {first: [row if known else [None] * len(words) for row, known, words in sentences]}

    def select(self, numbers: Sequence[int]) -> ExpertLabels:
        """Return these sentences, in this order."""
        return ExpertLabels(
            self.corpus.select(numbers),
            {name: [rows[number] for number in numbers] for name, rows in self.labels.items()},
            {name: [rows[number] for number in numbers] for name, rows in self.confidence.items()},
            [self.gold[number] for number in numbers],
            self.notes,
            self.types,
            {name: [rows[number] for number in numbers] for name, rows in self.origins.items()},
        )

    def with_gold(self) -> ExpertLabels:
        """Return the sentences with gold labels; their corpus has the labels."""
        part = self.select([number for number, labels in enumerate(self.gold) if labels is not None])
        labelled = part.corpus.with_column(LABEL, [labels or [] for labels in part.gold])
        part.corpus = Corpus(labelled.native, label_column=LABEL, source=self.corpus.source)
        return part
