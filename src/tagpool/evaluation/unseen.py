"""Gold labels that a tagger cannot predict, because its training does not have them."""

from __future__ import annotations

from collections.abc import Container, Sequence

from tagpool.corpus.schemes import spans
from tagpool.wording import counted


def describe_unseen(labels: Sequence[Sequence[str]], known: Container[str], name: str, known_from: str) -> str | None:
    """Return a sentence about the tokens and spans whose labels are not ``known``; None if all are.

    ``name`` and ``known_from`` are the names of the corpora in the sentence.

    >>> describe_unseen([["B-PER", "I-PER", "O"]], {"B-PER", "O"}, "dev", "training")
    "dev has 1 token (1 span) with labels that training does not have, such as 'I-PER'"
    """
    examples = [label for row in labels for label in row if label not in known]
    if not examples:
        return None
    wrong = sum(any(label not in known for label in row[span.start : span.end]) for row in labels for span in spans(row))
    numbers = counted(len(examples), "token") + (f" ({counted(wrong, 'span')})" if wrong else "")
    # A wrong column of labels has none of the known ones.
    doubt = "; is this the column of the labels?" if len(examples) == sum(map(len, labels)) else ""
    which = f"labels that {known_from} does not have, such as {examples[0]!r}"
    return f"{name} has {numbers} with {which}{doubt}"
