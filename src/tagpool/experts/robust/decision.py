"""Decision: the result of a robust training, and its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tagpool.wording import counted


@dataclass
class Decision:
    """The result of a robust training, for its summary; scores are F1 from 0 to 1, before and after."""

    copies: dict[str, int]
    share: float
    clean: tuple[float, float] | None = None
    changed: dict[str, tuple[float, float]] | None = None
    interrupted: bool = False


def describe_robust(facts: Mapping[str, Any]) -> str:
    """Return the decision of a robust training, from its summary, in one line.

    >>> describe_robust({"copies": {"case": 30}, "share": 0.75, "clean": (0.9, 0.899), "changed": {"lower": (0.5, 0.8)}})
    'robust: 30 copies of sentences (case 30), share of their weights 0.75; dev F1 lower 50.0 → 80.0, clean 90.00 → 89.90'
    """
    scores = [f"{name} {100 * a:.1f} → {100 * b:.1f}" for name, (a, b) in (facts["changed"] or {}).items()]
    clean = facts["clean"]
    if facts.get("interrupted"):
        return "robust: interrupted before the robust part; the model is the ordinary one"
    if not facts["copies"]:
        return "robust: no change of the dev set costs significantly many points of F1; the model is the ordinary one"
    if clean is not None:
        scores.append(f"clean {100 * clean[0]:.2f} → {100 * clean[1]:.2f}")
    copies, share = describe_copies(facts["copies"]), facts["share"]
    if not share:
        return f"robust: {copies} cost more clean F1 than robust_cost, or gained nothing; the model is the ordinary one"
    shown = f"; dev F1 {', '.join(scores)}" if scores else "; without a dev set, the cost is not known (add --dev)"
    return f"robust: {copies}, share of their weights {share:g}{shown}"


def describe_copies(counts: Mapping[str, int]) -> str:
    """Return the numbers of copies in words.

    >>> describe_copies({"case": 1200, "lists": 800})
    '2,000 copies of sentences (case 1,200, lists 800)'
    """
    parts = ", ".join(f"{kind} {count:,}" for kind, count in counts.items())
    return f"{counted(sum(counts.values()), 'copy', 'copies')} of sentences ({parts})"
