"""What ``tagpool inspect`` tells of a pool: its members, what each looks at, and how they have shared the features out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.cli.console import output, print_table, table
from tagpool.cli.sizes import spelled_bytes
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import features_by_template
from tagpool.experts.saving import has_names
from tagpool.experts.tagger import Tagger
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.feature_shares import Shares
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.member_votes import member_names
from tagpool.pools.pool import Pool
from tagpool.tagging.models import columns_of

_ELITIST = "elitist-pool"


def about_pool(pool: Pool | ElitistPool, path: Path) -> dict[str, Any]:
    """Everything there is to tell, as JSON has it."""
    sizes = _sizes_of_experts(pool) if isinstance(pool, ElitistPool) else _sizes(_native.Container.open(str(path)))
    return _about(pool, sizes) | {
        "model": str(path),
        "tagpool": _native.text_of_file(str(path), "tagpool"),
        "labels": list(pool.labels_),
        "columns": list(columns_of(pool)),
        "collapses": (refusal := _refusal(pool)) is None,
        "refusal": refusal,
        "bytes": path.stat().st_size,
    }


_Size = tuple[int, "list[_Size]"]  # the bytes of a member, and those of its own members


def _sizes(container: _native.Container) -> list[_Size]:
    """How many bytes each member of a pool's file takes."""
    found: list[_Size] = []
    while (block := container.array(f"members.{len(found)}")) is not None:
        found.append((len(block), _sizes(_native.Container.read(block))))
    return found


def _sizes_of_experts(pool: ElitistPool) -> list[_Size]:
    sizes = pool._fitted().sizes()
    return [(sizes[f"member{number}"], []) for number in range(len(pool))]


def _about(pool: Pool | ElitistPool, sizes: list[_Size]) -> dict[str, Any]:
    shares = np.asarray(pool.weights_).tolist()
    alpha = pool.weights if isinstance(pool.weights, str) else "given"
    found: dict[str, Any] = {"pool": _ELITIST, "combine": "sequence-product", "alpha": alpha}
    if isinstance(pool, Pool):
        found |= {"pool": pool.kind, "combine": pool._combination()}
    if isinstance(pool, BaggingPool):
        found["auto"] = pool.auto_
    named = zip(member_names(pool), shares, pool, sizes, strict=True)
    found["members"] = [
        {"name": name, "share": share, "bytes": size[0]} | _about_member(member, size[1]) for name, share, member, size in named
    ]
    if isinstance(pool, BaggingPool):
        for member in found["members"]:
            own = list(pool.bags_[member["name"]])
            if isinstance(pool.bags, Mapping):
                member["bags"] = own
            elif set(own) <= set(pool.labels_):
                member["labels"] = own
    if isinstance(pool, ElitistPool):
        found |= {name: getattr(pool, name) for name in ("penalty", "strength", "mu")}
        found["training"] = pool.summary_
        found["sharing"] = None
        if has_names(pool):
            sharing = pool.sharing()
            by_template = {key: _as_json(each) for key, each in sharing.templates.items()}
            found["sharing"] = {"total": _as_json(sharing.total), "templates": by_template}
            for member, count in zip(found["members"], sharing.total.sizes, strict=True):
                # All have the same features; what is an expert's own are the weights that are not zero.
                member["weights"] = count
        for member in found["members"]:
            del member["training"]  # which was the pool's
    return found


def _about_member(member: Any, sizes: list[_Size]) -> dict[str, Any]:
    if isinstance(member, ElitistPool):
        return _about(member, _sizes_of_experts(member))
    if not isinstance(member, Tagger):
        return _about(member, sizes)
    model = member._fitted()
    return {
        "expert": member.kind,
        "features": model.feature_count,
        "weights": model.weight_count,
        "templates": features_by_template(member) if has_names(member) else {},
        "training": member.summary_,
    }


def _as_json(shares: Shares) -> dict[str, Any]:
    return {
        "sizes": list(shares.sizes),
        "used": shares.used,
        "exclusive": shares.exclusive,
        "overlap": shares.overlap.tolist(),
        "mean_overlap": shares.mean_overlap,
    }


def _refusal(pool: Pool | ElitistPool) -> str | None:
    """Why a pool is no single expert."""
    try:
        pool.merge()
    except InputError as error:
        return str(error)
    return None


# Showing -----------------------------------------------------------------------------------------------------------------


def show_pool(found: dict[str, Any]) -> None:
    """The pool as text."""
    _print(f"{found['model']}: {found['pool']}, written by tagpool {found['tagpool']}, {spelled_bytes(found['bytes'])}")
    _print(f"{len(found['labels'])} labels: {', '.join(found['labels'])}")
    _print(f"it looks at the columns {', '.join(found['columns'])}")
    _print(found["refusal"] or "collapses into one expert, and tags as fast as one")
    _show_members_and_weights(found, "")


def _show_members_and_weights(found: dict[str, Any], above: str) -> None:
    """The members of a pool, then those of the pools among them."""
    members = found["members"]
    title = f"{above or 'the pool'}: {found['combine']} of {len(members)} members, shares {found['alpha']}"
    if found["pool"] == _ELITIST:
        dev = found["training"].get("dev")
        title += f", penalty {found['penalty']}, strength {found['strength']:g}, mu {found['mu']:g}"
        title += "" if dev is None else f", dev F1 {100 * dev:.2f}"
    _print(f"\n{title}")
    headers = ["member", "is a", "of", "share", "features", "weights", "size", "dev F1"]
    print_table(table(headers, [_member_row(each) for each in members], left=3))
    if found.get("auto"):
        _print(f"\n{found['auto']}")
    if found.get("sharing"):
        _show_sharing(found["sharing"], members)
    else:
        _show_templates(members)
    for each in members:
        if "members" in each:
            _show_members_and_weights(each, f"{above} / {each['name']}" if above else each["name"])


def _member_row(member: dict[str, Any]) -> list[str]:
    dev = member.get("training", {}).get("dev")
    counts = [f"{member[name]:,}" if name in member else "" for name in ("features", "weights")]
    kind = member.get("expert") or member["pool"]
    size = spelled_bytes(member["bytes"])
    of = ", ".join(member.get("bags") or member.get("labels") or [])
    return [member["name"], kind, of, f"{member['share']:.3f}", *counts, size, "" if dev is None else f"{100 * dev:.2f}"]


def _show_templates(members: Sequence[dict[str, Any]]) -> None:
    """Which templates each member has, and with how many features."""
    listed = [each for each in members if each.get("templates")]
    keys = dict.fromkeys(key for each in listed for key in each["templates"])
    if not keys:
        return
    rows = [[key, *(f"{each['templates'][key]:,}" if key in each["templates"] else "-" for each in listed)] for key in keys]
    _print("")
    print_table(table(["features of", *(each["name"] for each in listed)], rows))


def _show_sharing(sharing: dict[str, Any], members: Sequence[dict[str, Any]]) -> None:
    """How many weights of each template every expert has, and how far the experts agree on which."""
    rows = [("all", sharing["total"]), *sharing["templates"].items()]
    cells = [
        [
            key,
            *(f"{size:,}" for size in each["sizes"]),
            f"{each['used']:,}",
            f"{each['exclusive']:,}",
            f"{each['mean_overlap']:.3f}",
        ]
        for key, each in rows
    ]
    _print("")
    headers = ["weights of", *(each["name"] for each in members), "of any", "of one only", "overlap"]
    print_table(table(headers, cells))
    _print("overlap: weights that two experts have, of those that either has; the mean over pairs of experts")


def _print(text: str) -> None:
    output.print(text, highlight=False, markup=False)
