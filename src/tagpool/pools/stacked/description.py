"""Description of a stacked pool: its experts with the F1 that is lost without each, and the features of the stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tagpool.experts.inside.description import Description, text_table
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.pools.stacked.pool import StackedPool


def describe_stack(pool: StackedPool, *, top: int, labels: Sequence[str] | None, template: str | None) -> Description:
    """Return the description of a fitted pool."""
    fitted = pool.fitted
    stack = fitted.stack.describe(top=top, labels=labels, template=template)
    facts = {
        "kind": pool.kind,
        "experts": list(fitted.experts),
        "scheme": fitted.scheme.value,
        "f1": 100 * fitted.f1,
        "missing": {name: 100 * loss for name, loss in fitted.missing.items()},
        "calibration_error": fitted.errors,
        "l2": fitted.settings.l2,
        "words": fitted.settings.words,
    }
    rows = [
        [f"e{number}", name, f"{100 * fitted.missing[name]:.1f}" if name in fitted.missing else ""]
        for number, name in enumerate(fitted.experts, 1)
    ]
    lines = [
        f"stack of {counted(len(fitted.experts), 'expert')}, F1 {100 * fitted.f1:.1f} by cross-validation on gold sentences",
        text_table(["column", "expert", "F1 lost without it"], rows),
        "",
        "stack:",
        str(stack),
    ]
    return Description(stack.facts | facts, "\n".join(lines))
