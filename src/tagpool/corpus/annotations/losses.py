"""Losses: numbers of things that a format or a corpus has no place for."""

from __future__ import annotations

from collections import Counter

# Kinds of losses that several formats share.
RELATIONS = "relations"
ATTRIBUTES = "attributes"
CLASSES = "classes of texts"
COMMENTS = "comments"
METADATA = "fields of metadata"
ANNOTATORS = "labels of further annotators"
FURTHER_LABELS = "further labels of a span"
IN_PARTS = "spans in several parts, read as one"
OVERLAPPING = "overlapping spans"
WITHOUT_TOKEN = "spans without a token"
CUTTING = "spans that cut a token"
SCORES = "confidences of spans"
REJECTED = "rejected or skipped texts"
UNKNOWN_TOKENS = "tokens whose label is unknown, read as ?"
NOT_LOCATED = "entities that the text does not have"
BLANKS = "blanks before the first token"
INCOMPLETE_TOKENS = "texts whose tokens lack a part, tokenised again"
OTHER_LAYERS = "annotations of other layers"
_BESIDE_LABELS = (COMMENTS, METADATA, BLANKS)


class Losses(Counter[str]):
    """Number of lost things by kind.

    >>> losses = Losses({"relations": 2})
    >>> losses["comments"] += 1
    >>> losses.describe()
    'relations (2), comments (1)'
    """

    def counts(self) -> dict[str, int]:
        """Return the kinds that occurred, with their numbers."""
        return {kind: count for kind, count in self.items() if count}

    def of_labels(self) -> Losses:
        """Return the losses that concern labels."""
        return Losses({kind: count for kind, count in self.items() if kind not in _BESIDE_LABELS})

    def describe(self) -> str:
        """Return the kinds with their numbers, in the order in which they occurred."""
        return ", ".join(f"{kind} ({count:,})" for kind, count in self.counts().items())
