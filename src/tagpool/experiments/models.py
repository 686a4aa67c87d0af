"""Constructors of the models that the experiments compare: from a penalty and a seed, with the same features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tagpool.experiments.fits import Make
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.optim.fobos import FOBOS
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool

Kind = type[CRF] | type[MaxEnt]


def without_one(groups: Sequence[str]) -> dict[str, list[str]]:
    """Return bags that each lack one group of features, and one bag with all.

    >>> without_one(["tags", "clusters"])
    {'no tags': ['clusters'], 'no clusters': ['tags'], 'all': ['tags', 'clusters']}
    """
    return {f"no {missing}": [group for group in groups if group != missing] for missing in groups} | {"all": list(groups)}


@dataclass(frozen=True)
class Makers:
    """Factory of models with these templates. ``resources`` may contain more than the templates need."""

    text: str
    resources: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    epochs: int = 20
    patience: int | None = 5

    def one(self, kind: Kind, *, dropout: float = 0.0, drop: str = "features", **expert: Any) -> Make:
        """Return a constructor of one expert with l2, trained by SGD."""
        trainer = SGD(epochs=self.epochs, dropout=dropout, drop=drop)
        return lambda value, seed: kind(self.text, l2=value, seed=seed, trainer=trainer, **self._common(), **expert)

    def lasso(self) -> Make:
        """Return a constructor of one MaxEnt with l1."""
        trainer = FOBOS(epochs=self.epochs)
        return lambda value, seed: MaxEnt(self.text, l1=value, l2=0.0, seed=seed, trainer=trainer, **self._common())

    def bagged(self, kind: Kind = CRF, *, expert: Mapping[str, Any] | None = None, **pool: Any) -> Make:
        """Return a constructor of a pool with one expert for each bag; ``pool`` are its parameters."""
        make = self.one(kind, **(expert or {}))
        return lambda value, seed: BaggingPool(make(value, seed), seed=seed, threads=self.threads, **pool)

    def elitist(self, **pool: Any) -> Make:
        """Return a constructor of an elitist pool."""
        common = {"epochs": self.epochs, **self._common()}
        return lambda value, seed: ElitistPool(self.text, strength=value, seed=seed, **common, **pool)

    def _common(self) -> dict[str, Any]:
        needed = parse(self.text).resources
        selected = {name: value for name, value in self.resources.items() if name in needed}
        return {"resources": selected, "threads": self.threads, "patience": self.patience}
