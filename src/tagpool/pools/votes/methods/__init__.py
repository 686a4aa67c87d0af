"""Registry of pooling methods."""

from __future__ import annotations

from tagpool.pools.votes.methods.batch import Best, EspBoost, Majority, Sle
from tagpool.pools.votes.methods.method import Method
from tagpool.pools.votes.methods.online import Cv, Fpl, FplCv, Mvote, Rand

METHODS: dict[str, Method] = {
    method.name: method for method in (Mvote(), Rand(), Cv(), Fpl(), FplCv(), EspBoost(), Sle(), Best(), Majority())
}
"""Methods by the name that ``VotePool(method=...)`` and ``tagpool pool fit --method`` take."""
