"""Description of a pool: its members with their weights, and the features if it merges into one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tagpool.errors import InputError
from tagpool.experts.inside.description import Description, text_table
from tagpool.experts.inside.inspection import features_by_template
from tagpool.experts.saving import has_names
from tagpool.visible import one_line
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.pools.pool import Pool


def describe_pool(pool: Pool, *, top: int, labels: Sequence[str] | None, template: str | None) -> Description:
    """Return the description of a fitted pool."""
    merged, reason = None, None
    try:
        merged = pool.merge().describe(top=top, labels=labels, template=template)
    except InputError as error:
        if labels or template:
            raise
        reason = str(error)
    facts = _facts(pool) | {
        "labels": list(pool.labels_),
        "columns": list(pool.columns),
        "merges": merged is not None,
        "reason": reason,
    }
    labels_line = one_line(f"{counted(len(facts['labels']), 'label')}: {', '.join(facts['labels'])}")
    lines = [labels_line, f"columns: {', '.join(facts['columns'])}"]
    lines.append(reason or "merges into one model, and tags at its speed")
    lines += _text(facts, "")
    if merged is None:
        return Description(facts, "\n".join(lines))
    return Description(merged.facts | facts, "\n".join([*lines, "", "merged model:", str(merged)]))


def _facts(pool: Pool) -> dict[str, Any]:
    facts: dict[str, Any] = {"kind": pool.kind, "combine": pool.combination, "member_weights": pool.weight_method or "given"}
    members = zip(pool.names_, pool.weights_.tolist(), pool, strict=True)
    facts["members"] = [{"name": name, "weight": weight} | _member_facts(member) for name, weight, member in members]
    further = pool.description_facts()
    for member, more in zip(facts["members"], further.pop("members", []), strict=False):
        member |= more
    return facts | further


def _member_facts(member: Any) -> dict[str, Any]:
    if member.members_:
        return _facts(member)
    model = member._fitted()
    return {
        "kind": member.kind,
        "features": model.feature_count,
        "weights": model.weight_count,
        "templates": features_by_template(member) if has_names(member) else {},
        "training": member.summary_,
    }


def _text(facts: dict[str, Any], path: str) -> list[str]:
    """Return the lines of a pool, then those of pools among its members."""
    members = facts["members"]
    lines = [
        "",
        f"{path or facts['kind']}: {facts['combine']} of {counted(len(members), 'member')}, weights {facts['member_weights']}",
    ]
    lines += facts.get("notes", [])
    headers = ["member", "kind", "of", "weight", "features", "cells", "dev F1"]
    lines.append(text_table(headers, [_member_row(member) for member in members], texts=(0, 1, 2)))
    lines += _sharing_lines(facts["sharing"], members) if facts.get("sharing") else _template_lines(members)
    for member in members:
        if "members" in member:
            lines += _text(member, f"{path} / {member['name']}" if path else member["name"])
    return lines


def _member_row(member: dict[str, Any]) -> list[str]:
    dev = member.get("training", {}).get("dev")
    counts = [f"{member[name]:,}" if name in member else "" for name in ("features", "weights")]
    of = ", ".join(member.get("bags") or member.get("labels") or [])
    return [member["name"], member["kind"], of, f"{member['weight']:.3f}", *counts, "" if dev is None else f"{100 * dev:.2f}"]


def _template_lines(members: Sequence[dict[str, Any]]) -> list[str]:
    """Return a table of the number of features by template and member."""
    listed = [member for member in members if member.get("templates")]
    keys = dict.fromkeys(key for member in listed for key in member["templates"])
    if not keys:
        return []
    counts = [[member["templates"].get(key) for member in listed] for key in keys]
    rows = [[key, *("-" if count is None else f"{count:,}" for count in row)] for key, row in zip(keys, counts, strict=True)]
    return ["", text_table(["features of", *(member["name"] for member in listed)], rows)]


def _sharing_lines(sharing: dict[str, Any], members: Sequence[dict[str, Any]]) -> list[str]:
    """Return a table of the nonzero cells by template and member, and the overlap of the members."""
    rows = [
        [
            key,
            *(f"{count:,}" for count in (*counts["sizes"], counts["used"], counts["exclusive"])),
            f"{counts['mean_overlap']:.3f}",
        ]
        for key, counts in (("all", sharing["total"]), *sharing["templates"].items())
    ]
    headers = ["cells of", *(member["name"] for member in members), "of any", "of one only", "overlap"]
    return ["", text_table(headers, rows), "overlap: cells of both members / cells of either, mean over pairs of members"]
