"""Probabilities of spans and tokens, and where documents keep them.

The scores of spans are ``doc.spans[key].attrs["scores"]``, as those of spaCy's spancat. Those of tokens are in the user data.
``span._.tagpool_score`` and ``token._.tagpool_score`` look them up.
"""

from __future__ import annotations

from typing import Any

from spacy.tokens import Span, Token

SCORE = "tagpool_score"
"""Name of the extension, and of the scores of tokens in the user data of a document."""
SCORES, MARK = "scores", "tagpool"
"""Attributes of span groups: the scores, and a mark of groups that this bridge writes."""


def span_score(span: Any) -> float | None:
    """Return the probability of a span that a component of tagpool has set; None for other spans."""
    place = span.start, span.end, span.label
    for group in reversed(list(span.doc.spans.values())):
        scores = group.attrs.get(SCORES, ()) if MARK in group.attrs else ()
        for one, score in zip(group, scores, strict=False):
            if (one.start, one.end, one.label) == place:
                return float(score)
    return None


def token_score(token: Any) -> float | None:
    """Return the probability of the label of a token; None without one."""
    scores = token.doc.user_data.get(SCORE, ())
    return scores[token.i] if len(scores) == len(token.doc) else None


def register() -> None:
    """Add the extensions to spaCy."""
    for kind, getter in ((Span, span_score), (Token, token_score)):
        if not kind.has_extension(SCORE):
            kind.set_extension(SCORE, getter=getter)
