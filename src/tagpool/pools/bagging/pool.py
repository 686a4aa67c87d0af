"""BaggingPool: one member per bag of features, trained separately and combined (Sutton, Sindelar and McCallum 2006).

A model of all features relies on the strongest of them, and the weights of the others stay small. It fails where the strong
features are missing. Members that are trained separately learn weights for every bag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tagpool.chain.checks import FloatArray
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.parameters import declare_parameters, parameter
from tagpool.pools.bagging.bags import Bags
from tagpool.pools.bagging.partitions import BagScheme
from tagpool.pools.bagging.training import train_members
from tagpool.pools.combination import COMBINATION_NAMES, SEQUENCE_PRODUCT
from tagpool.pools.members import EXPERTS, check_members
from tagpool.pools.parallel_fits import OnEpoch, TrainingCorpora
from tagpool.pools.pool import Pool


@declare_parameters
class BaggingPool(Pool):
    """One member per bag of features, combined.

    ``expert`` is an unfitted CRF or MaxEnt whose templates have bags. ``bags`` may name the bags of each member:
    ``{"all": ["ngrams", "lexicons"], "words": ["base"]}``. "auto" divides templates that reduce each other's weights. A scheme
    (``RandomParts(2)``, ``SequentialParts(2)``, ``Positions()``, ``LabelWise()``) divides features or labels.

    Weights are "uniform", numbers, or learned: "dev" maximises F1 on ``dev``, "kfold" on held-out folds of the training
    sentences. "likelihood" (products) and "em" (mixtures) maximise the likelihood on ``dev``, or on folds without ``dev``.

    ``fit`` trains the members, then learns the weights. ``on_epoch`` receives the name of the bag (members of a fold: "name,
    fold 1") and the :class:`Epoch`; returning False stops that training.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]\\n[shapes]\\nshape(word)[-1..1]\\n[endings]\\nsuffix(word, 1..3)[0]")
    >>> pool = BaggingPool(crf, weights="dev").fit(builtin_corpus(200), dev=builtin_corpus(60, part="dev"))
    >>> pool.names_
    ('shapes', 'endings')
    >>> type(pool.merge()).__name__
    'CRF'
    """

    kind = "bagging-pool"

    expert: Expert = parameter(kw_only=False, kinds=lambda: EXPERTS, help="Unfitted CRF or MaxEnt that is trained on every bag.")
    bags: str | Mapping[str, Sequence[str]] | BagScheme | None = parameter(
        default=None,
        choices=("auto",),
        help="Bags of each member: None for one bag per member (without bags: 'auto'), a dict, 'auto', or a scheme.",
    )
    combine: str = parameter(default=SEQUENCE_PRODUCT, choices=COMBINATION_NAMES, help="Combination of the members.")
    weights: str | Sequence[float] = parameter(
        default="uniform",
        choices=("uniform", "dev", "kfold", "em", "likelihood"),
        help="Weights of the members: numbers with sum 1, or the method that learns them.",
    )
    folds: int = parameter(default=2, minimum=2, help="Cross-validation folds for learned weights.")
    seed: int = parameter(default=1, minimum=0, help="Seed of the folds and of automatic bags.")
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the result does not depend on it.")

    _bags: Bags | None = None

    def _fit(
        self, sentences: Any, labels: Any, *, dev: Any, sample_weight: Any, on_epoch: OnEpoch | None, checkpoint: Any
    ) -> None:
        self._check()
        advice = "bags: use templates, with the templates of each bag under its [name]"
        corpora = TrainingCorpora.of(sentences, labels, dev, sample_weight, advice)
        if self.weight_method == "dev" and corpora.dev is None:
            raise InputError("weights='dev' needs dev sentences: fit(train, dev=...), or weights='kfold'")
        self._weights = self.configuration_ = None  # not fitted after an error
        self._bags, self._members, self._weights = train_members(self, corpora, on_epoch, checkpoint)

    def check_engine(self) -> None:
        """Allow an engine: members are trained independently."""

    def _check(self) -> None:
        if not isinstance(self.expert, Expert):
            raise InputError(f"expert={self.expert!r}: expected an unfitted CRF or MaxEnt, such as CRF('ner-bagging')")
        if self.weight_method == "em" and not self.combine.endswith("mixture"):
            raise InputError(f"weights='em' is for mixtures; use 'likelihood' with combine={self.combine!r}")
        if self.weight_method == "likelihood" and not self.combine.endswith("product"):
            raise InputError(f"weights='likelihood' is for products; use 'em' with combine={self.combine!r}")

    @property
    def names_(self) -> tuple[str, ...]:
        """Names of the members: those of their bags."""
        return tuple(self.bags_)

    @property
    def bags_(self) -> dict[str, tuple[str, ...]]:
        """The bags of each member; with automatic bags or a scheme its templates or labels."""
        return self._fitted_bags().contents

    @property
    def auto_(self) -> str | None:
        """Explanation of automatic bags."""
        return self._fitted_bags().explanation

    def _fitted_bags(self) -> Bags:
        self._members_and_weights()
        assert self._bags is not None
        return self._bags

    def description_facts(self) -> dict[str, Any]:
        """Return the bags or labels of each member, and the explanation of automatic bags."""
        members = []
        for name in self.names_:
            contents = list(self.bags_[name])
            of_labels = set(contents) <= set(self.labels_)
            members.append({"bags": contents} if isinstance(self.bags, Mapping) else {"labels": contents} if of_labels else {})
        return {"members": members, "auto": self.auto_, "notes": [self.auto_] if self.auto_ else []}

    def record(self) -> dict[str, Any]:
        """Return the JSON values that a file contains beside the members."""
        return super().record() | {
            "combine": self.combine,
            "bags": self.bags_,
            "auto": self.auto_,
            "scheme": repr(self.bags) if isinstance(self.bags, BagScheme) else None,
            "folds": int(self.folds),
            "seed": int(self.seed),
        }

    @classmethod
    def restore(cls, members: Sequence[Any], weights: FloatArray, record: Mapping[str, Any]) -> BaggingPool:
        """Return the pool of a file."""
        if not all(isinstance(member, Expert) for member in members):
            raise ValueError("a member is neither a CRF nor a MaxEnt")
        check_members(members, "BaggingPool")
        pool = cls(type(members[0])(), **{name: record[name] for name in ("combine", "weights", "folds", "seed")})
        contents = {str(name): tuple(map(str, names)) for name, names in dict(record["bags"]).items()}
        if len(contents) != len(members):
            raise ValueError("expected one name per member")
        pool._bags = Bags({}, contents, None if record["auto"] is None else str(record["auto"]))
        pool._members, pool._weights = tuple(members), weights
        if record["auto"] is not None:
            pool.bags = "auto"
        elif record["scheme"] is None:
            pool.bags = {name: list(bags) for name, bags in contents.items()}
        return pool
