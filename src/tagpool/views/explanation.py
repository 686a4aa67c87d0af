"""Explanations of a label: bars of the features that favour it over another label, and the votes of the members of a pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tagpool.views.html import Html, element, table

_STEPS = 20  # widths of a bar, classes of the style sheet


class Evidence(NamedTuple):
    """A feature (or several, as one text) and the ``difference`` that it makes to the lead of the label."""

    feature: str
    difference: float


class MemberVote(NamedTuple):
    """The label of a member of a pool; its ``probability`` and the ``weight`` of the member are None if unknown."""

    member: str
    label: str
    probability: float | None = None
    weight: float | None = None


def evidence_table(evidence: Sequence[Evidence], *, label: str, instead: str, top: int = 8) -> Html:
    """Return bars for the ``top`` features; positive ones favour ``label``, negative ones the label ``instead``.

    >>> evidence_table([Evidence("word[0]=<b>", 2.0), Evidence("shape", -1.0)], label="PER", instead="O").count("<tr>")
    2
    """
    shown = list(evidence[:top])
    rest = sum(one.difference for one in evidence[top:])
    if len(evidence) > top:
        shown.append(Evidence(f"({len(evidence) - top:,} more)", rest))
    largest = max((abs(one.difference) for one in shown), default=0.0) or 1.0
    rows = [_bar_row(one, abs(one.difference) / largest) for one in shown]
    caption = element("caption", "for ", element("b", label), " (+) rather than ", element("b", instead), " (−)")
    return element("table", caption, element("tbody", *rows), class_="tp-why")


def evidence_details(evidence: Sequence[Evidence], *, label: str, instead: str, top: int = 8, opened: bool = False) -> Html:
    """Return the table of the evidence, collapsed until a reader opens it.

    >>> evidence_details([], label="PER", instead="O")[:9]
    '<details>'
    """
    summary = element("summary", f"why {label}, not {instead}?")
    return element("details", summary, evidence_table(evidence, label=label, instead=instead, top=top), open=opened)


def vote_table(votes: Sequence[MemberVote], *, label: str, gold: str | None = None) -> Html:
    """Return the votes for a token or span; ``label`` is that of the pool. Votes for ``gold`` have a mark.

    >>> vote_table([MemberVote("first", "PER", 0.9, 0.5)], label="PER", gold="LOC").count("90%")
    1
    """
    has_weights = any(vote.weight is not None for vote in votes)
    has_probabilities = any(vote.probability is not None for vote in votes)
    headers = ["member", "vote", *(["confidence"] if has_probabilities else []), *(["weight"] if has_weights else [])]
    rows: list[list[object]] = []
    for vote in votes:
        mark = " ✓" if vote.label == gold else (" ✗" if gold is not None else "")
        row: list[object] = [vote.member, element("b", vote.label, mark) if vote.label == label else vote.label + mark]
        if has_probabilities:
            row.append("" if vote.probability is None else f"{100 * vote.probability:.0f}%")
        if has_weights:
            row.append("" if vote.weight is None else f"{vote.weight:.3f}")
        rows.append(row)
    return table(headers, rows, left=2)


def _bar_row(one: Evidence, share: float) -> Html:
    # The style sheet finds the cells by their order, since a report has thousands of these rows. Widths are classes, because the
    # policy of a server may forbid styles in attributes.
    width = f"tp-b{max(1, round(_STEPS * share))}"
    bar = element("i", class_=width if one.difference >= 0 else f"{width} tp-a")
    number = f"{one.difference:+.2f}".replace("-", "−")
    return element("tr", element("td", number), element("td", bar), element("td", one.feature))
