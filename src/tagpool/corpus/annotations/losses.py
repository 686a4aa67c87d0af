"""Losses: numbers of things that a format or a corpus has no place for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

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
MULTIWORD_TOKENS = "multiword tokens"
EMPTY_NODES = "empty nodes"
_BESIDE_LABELS = (COMMENTS, METADATA, BLANKS, MULTIWORD_TOKENS, EMPTY_NODES)


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


def count_lines(lines: Iterable[str]) -> Losses:
    """Return the numbers of lines of CoNLL that are no tokens: comments, and multiword tokens and empty nodes of CoNLL-U.

    >>> count_lines(["# sent_id = 1", "1-2\\tdon't\\t_", "2.1\\tdo\\t_"]).describe()
    'comments (1), multiword tokens (1), empty nodes (1)'
    """
    losses = Losses()
    for line in lines:
        kind = EMPTY_NODES if "." in line.partition("\t")[0] else MULTIWORD_TOKENS
        losses[COMMENTS if line.startswith("#") else kind] += 1
    return losses
