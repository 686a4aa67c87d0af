"""Registry of pooling methods: one file per method, listed here."""

from __future__ import annotations

from tagpool.pools.votes.methods.best import Best
from tagpool.pools.votes.methods.cv import Cv
from tagpool.pools.votes.methods.espboost import EspBoost
from tagpool.pools.votes.methods.fpl import Fpl
from tagpool.pools.votes.methods.fpl_cv import FplCv
from tagpool.pools.votes.methods.majority import Majority
from tagpool.pools.votes.methods.method import Method
from tagpool.pools.votes.methods.mvote import Mvote
from tagpool.pools.votes.methods.rand import Rand
from tagpool.pools.votes.methods.sle import Sle

METHODS: dict[str, Method] = {
    method.name: method for method in (Mvote(), Rand(), Cv(), Fpl(), FplCv(), EspBoost(), Sle(), Best(), Majority())
}
"""Methods by the name that ``VotePool(method=...)`` and ``tagpool pool fit --method`` take."""
