"""Description of a vote pool: method, guarantees, and the weights of the experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tagpool.errors import InputError
from tagpool.experts.inside.description import Description, text_table
from tagpool.visible import one_line
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.pools.votes.pool import VotePool

OTHERS = "others"  # the row of states that are new after fit


def weights_as_json(pool: VotePool) -> dict[str, Any]:
    """Return the weights of the votes as JSON values, by state or by edge of the automaton."""
    if pool.automaton is not None:
        return {"edges": pool.automaton.to_json(), "values": pool.weights_.tolist()}
    return {"states": [*pool.states_, OTHERS], "experts": pool.experts_, "values": pool.weights_.tolist()}


def describe_vote_pool(pool: VotePool, *, labels: Sequence[str] | None, template: str | None) -> Description:
    """Return the description of a fitted pool."""
    if labels or template:
        raise InputError("a vote pool has no features: leave out label and template")
    key = "automaton" if pool.automaton is not None else pool.key if isinstance(pool.key, str) else "a function"
    facts = {
        "kind": pool.kind,
        "method": pool.method,
        "key": key,
        "beta": pool.beta_,
        "scheme": pool.scheme,
        "lengths": pool.lengths,
        "experts": list(pool.experts_),
        "labels": list(pool.labels_),
        "weights": weights_as_json(pool),
        "guarantees": pool.guarantees_.to_dict(),
    }
    lines = [
        one_line(f"{counted(len(names), noun)}: {', '.join(names)}")
        for noun, names in (("expert", pool.experts_), ("label", pool.labels_))
    ]
    scheme = "" if pool.scheme is None else f", labels restricted to {pool.scheme}"
    lines += [f"{pool.method}, weights by {key}, β {pool.beta_:g}{scheme}", str(pool.guarantees_)]
    if pool.automaton is not None:
        lines.append(f"weights of {len(pool.automaton)} automaton edges: see --json")
    else:
        rows = zip([*pool.states_, OTHERS], pool.weights_.tolist(), strict=True)
        lines += ["", text_table(["weight, sum 1", *pool.experts_], [[state, *_normalise(row)] for state, row in rows])]
    return Description(facts, "\n".join(lines))


def _normalise(row: list[float]) -> list[str]:
    total = sum(row)
    return [f"{weight / total:.3f}" if total else "" for weight in row]
