"""What ``tagpool train`` tells in the end, as JSON and as text."""

from __future__ import annotations

from typing import Any

from tagpool.cli.console import output
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.tagger import Tagger
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.pool import Pool


def expert_summary(expert: Tagger) -> dict[str, Any]:
    """Of an expert."""
    model, found = expert._fitted(), expert.summary_
    pairs = {"pairs": expert.conjunction_count} if isinstance(expert, InducingTagger) else {}
    return {
        "expert": expert.kind,
        "sentences": found["sentences"],
        "tokens": found["tokens"],
        "labels": list(expert.labels_),
        "features": model.feature_count,
        "weights": model.weight_count,
        "trainer": found["trainer"],
        "epochs": found["epochs"],
        "loss": found["loss"],
        "best_dev_f1": _in_percent(found["dev"]),
    } | pairs


def pool_summary(pool: Pool) -> dict[str, Any]:
    """Of a pool, and of its members."""
    named = zip(pool.names_, pool.weights_.tolist(), pool, strict=True)
    return {
        "pool": pool.kind,
        "combine": pool.combination,
        "labels": list(pool.labels_),
        "members": [{"name": name, "weight": weight} | _member(member, pool) for name, weight, member in named],
    }


def _member(member: Any, pool: Pool) -> dict[str, Any]:
    models = [expert._fitted() for expert in member.single_taggers()]
    found = {
        "kind": member.kind,
        "features": sum(model.feature_count for model in models),
        "weights": sum(model.weight_count for model in models),
    }
    if isinstance(member, Tagger) and not isinstance(pool, ElitistPool):
        found |= {"epochs": member.summary_.get("epochs"), "dev_f1": _in_percent(member.summary_.get("dev"))}
    return found


def _in_percent(rate: float | None) -> float | None:
    return None if rate is None else 100 * rate


def show(found: dict[str, Any]) -> None:
    """The summary as text."""
    score = "" if found["best_dev_f1"] is None else f", best dev F1 {found['best_dev_f1']:.2f}"
    lines = []
    if "pool" in found:
        lines.append(f"{found['pool']}: {found['combine']} of {len(found['members'])} members, {len(found['labels'])} labels")
        lines += [_member_line(each) for each in found["members"]]
        score = "" if found["best_dev_f1"] is None else f"dev F1 of the pool {found['best_dev_f1']:.2f}, "
        lines.append(f"{score}{found['seconds']:.1f} s")
    else:
        lines.append(f"{found['expert']}: {len(found['labels'])} labels, {_counted(found)}")
        lines.append(f"{found['epochs']} epochs of {found['trainer']}{score}, {found['seconds']:.1f} s")
    as_one = " as one expert" if found.get("collapsed") else ""
    lines.append(f"written{as_one} to {found['model']} ({found['bytes'] / 1e6:.1f} MB)")
    output.print("\n".join(lines), highlight=False, markup=False)


def _member_line(member: dict[str, Any]) -> str:
    score = "" if member.get("dev_f1") is None else f", dev F1 {member['dev_f1']:.2f}"
    return f"  {member['weight']:.3f}  {member['name']}: {member['kind']}, {_counted(member)}{score}"


def _counted(found: dict[str, Any]) -> str:
    pairs = f" ({found['pairs']:,} of them pairs)" if "pairs" in found else ""
    return f"{found['features']:,} features{pairs}, {found['weights']:,} weights"
