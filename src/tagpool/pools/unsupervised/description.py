"""Description of a pool without gold labels: method, and the estimated accuracy of the experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tagpool.errors import InputError
from tagpool.experts.inside.description import Description, text_table
from tagpool.visible import one_line
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.pools.unsupervised.pool import UnsupervisedPool


def describe_unsupervised(pool: UnsupervisedPool, *, labels: Sequence[str] | None, template: str | None) -> Description:
    """Return the description of a fitted pool."""
    if labels or template:
        raise InputError("a pool without gold labels has no features to show: leave out label and template")
    fitted = pool.fitted
    facts = {
        "kind": pool.kind,
        "method": fitted.method,
        "scheme": fitted.scheme.value,
        "experts": list(fitted.experts),
        "abstaining": list(fitted.abstaining),
        "labels": list(fitted.labels),
        "accuracy": fitted.accuracy,
    }
    lines = [
        one_line(f"{counted(len(fitted.labels), 'label')}: {', '.join(fitted.labels)}"),
        f"method {fitted.method}, no gold labels",
    ]
    rows = [
        [name, f"{100 * fitted.accuracy[name]:.2f}", "no opinion" if name in fitted.abstaining else ""] for name in fitted.experts
    ]
    lines += ["", text_table(["expert", "estimated accuracy, %", "its O"], rows)]
    return Description(facts, "\n".join(lines))
