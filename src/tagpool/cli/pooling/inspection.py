"""What ``tagpool inspect`` tells of a path pool: whose vote counts where, and what is guaranteed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool import _native
from tagpool.cli.console import output, print_table, table
from tagpool.cli.sizes import spelled_bytes
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.pool import VotePool

OTHERS = "others"  # the state of tokens that were not met when the pool was fitted


def weights_of(pool: VotePool) -> dict[str, Any]:
    """The weights of the votes, as JSON has them; those of a general automaton belong to its edges."""
    if pool.automaton is not None:
        return {"edges": pool.automaton.to_json(), "values": pool.weights_.tolist()}
    return {"states": [*pool.states_, OTHERS], "experts": pool.experts_, "values": pool.weights_.tolist()}


def about_path_pool(pool: VotePool, path: Path) -> dict[str, Any]:
    """Everything there is to tell, as JSON has it."""
    key = "automaton" if pool.automaton is not None else pool.key if isinstance(pool.key, str) else "a function"
    return {
        "model": str(path),
        "pool": pool.kind,
        "tagpool": _native.text_of_file(str(path), "tagpool"),
        "method": pool.method,
        "key": key,
        "beta": pool.beta_,
        "scheme": pool.scheme,
        "lengths": pool.lengths,
        "experts": list(pool.experts_),
        "labels": list(pool.labels_),
        "weights": weights_of(pool),
        "guarantees": pool.guarantees_.to_dict(),
        "bytes": path.stat().st_size,
    }


def show_path_pool(found: dict[str, Any]) -> None:
    """The same as text."""
    scheme = "" if found["scheme"] is None else f", labels as {found['scheme']} allows"
    _print(f"{found['model']}: {found['pool']}, written by tagpool {found['tagpool']}, {spelled_bytes(found['bytes'])}")
    _print(f"{len(found['experts'])} experts: {', '.join(found['experts'])}")
    _print(f"{len(found['labels'])} labels: {', '.join(found['labels'])}")
    _print(f"{found['method']}, weights by {found['key']}, β {found['beta']:g}{scheme}")
    _print(str(Guarantees(**found["guarantees"])))
    weights = found["weights"]
    if "edges" in weights:
        _print(f"{len(weights['edges'])} edges of an automaton have weights: see --json")
        return
    _print("")
    rows = [[state, *_shares(row)] for state, row in zip(weights["states"], weights["values"], strict=True)]
    print_table(table(["share of the vote", *found["experts"]], rows))


def _shares(row: list[float]) -> list[str]:
    total = sum(row)
    return [f"{weight / total:.3f}" if total else "" for weight in row]


def _print(text: str) -> None:
    output.print(text, highlight=False, markup=False)
