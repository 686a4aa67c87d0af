"""ElitistPool: members that are trained together and compete for features (Wang and Manning 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.errors import ModelError
from tagpool.experts.linear.expert import Expert, LinearParameters
from tagpool.experts.linear.lattices import Scored
from tagpool.experts.metadata import DAMAGED, damaged
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions, feature_names, has_names, to_bytes
from tagpool.optim.watch import Epoch
from tagpool.parameters import Exclusive, declare_parameters, parameter
from tagpool.pools.elitist.feature_sharing import FeatureSharing, SupportCounts, feature_sharing
from tagpool.pools.elitist.files import MOST_EXPERTS, file_parts, restore
from tagpool.pools.elitist.training import ElitistTrainer, ElitistTraining
from tagpool.pools.member_weights import check_weights, uniform
from tagpool.pools.members import EXPERTS
from tagpool.pools.parallel_fits import same_scheme
from tagpool.pools.pool import Pool

if TYPE_CHECKING:
    from tagpool.experts.sequence_tagger import Sentences

Self = TypeVar("Self", bound="ElitistPool")


@declare_parameters
class ElitistPool(Pool, LinearParameters):
    """A logarithmic opinion pool, P(y|x) ∝ Π_j P_j(y|x)^α_j, whose members are trained together on all features.

    The objective is (1-μ)·NLL of the pool + μ·Σ_j NLL of member j + penalty. The elitist penalty is
    (``strength``/2) Σ (Σ_j |w_j|)² over all cells, so that the members compete for each cell; "l1" is ``strength``·Σ|w|. With
    μ = 0, as in the paper, the optimum equals one model with l2 = strength / max(α)².

    Training is FOBOS from weights uniform in [-0.1, 0.1]. The pool tags at the speed of one model.

    >>> from tagpool import builtin_corpus
    >>> pool = ElitistPool("word[-1..1]", experts=2, epochs=5).fit(builtin_corpus(100))
    >>> len(pool), [type(expert).__name__ for expert in pool]
    (2, ['CRF', 'CRF'])
    >>> pool.predict([["Oslo"]]) == pool.merge().predict([["Oslo"]])
    True
    """

    kind = "elitist-pool"

    experts: int = parameter(default=3, minimum=2, maximum=MOST_EXPERTS, help="Number of members.")
    expert: str = parameter(default="crf", choices=("crf", "maxent"), help="Kind of the members.")
    penalty: str = parameter(default="elitist", choices=("elitist", "l1"), help="Penalty.")
    strength: float = parameter(default=0.1, minimum=0, tune=(0.01, 1.0), help="Strength of the penalty.")
    mu: float = parameter(default=0.0, minimum=0, maximum=1, help="Part of the loss of single members (μ).")
    weights: str | Sequence[float] = parameter(
        default="uniform", choices=("uniform", "learned"), help="Weights of the members: numbers with sum 1, uniform, or learned."
    )
    exact: bool = parameter(default=True, help="Exact proximal step of the elitist penalty; False: the paper's approximation.")
    epochs: int = parameter(default=100, minimum=1, help="Passes over the sentences.")
    batch: int = parameter(default=8, minimum=1, help="Sentences per step.")
    step: float | None = parameter(default=None, minimum=Exclusive(0), help="First step size; None: calibrated on a sample.")
    patience: int | None = parameter(
        default=5, minimum=1, help="Epochs without a better dev score before training stops; None: never stop."
    )

    _merged: Expert | None = None

    @property
    def expectation(self) -> str | None:
        """The reason why the pool will not score higher than one tagger; None if it may."""
        if self.mu > 0 or self.penalty != "elitist" or self.weight_method != "uniform":
            return None
        l2 = self.strength * self.experts**2
        return f"with learner.mu=0, one {self.expert} with l2={l2:.3g} has the same optimum and trains faster; try learner.mu=0.5"

    # Training -----------------------------------------------------------------------------------------------------------

    def _fit(self, sentences: Any, labels: Any, *, on_epoch: Any, **options: Any) -> None:
        trainer = self._trainer()
        self._weights = self.configuration_ = None  # not fitted after an error
        merged = self._single_expert(l2=0.0, l1=0.0, trainer=trainer)
        training = ElitistTraining(merged, sentences, labels, **options)
        try:
            training.run(on_epoch)
        finally:  # an interrupted training has members, too
            if training.models:
                self._set_members(merged, training.models, training.weights)

    def _trainer(self) -> ElitistTrainer:
        weights = uniform(self.experts) if self.weight_method else check_weights(self.weights, self.experts)
        return ElitistTrainer(
            weights=tuple(weights.tolist()),
            learn_weights=self.weight_method == "learned",
            penalty="elitist-approximate" if self.penalty == "elitist" and not self.exact else self.penalty,
            strength=float(self.strength),
            mu=float(self.mu),
            epochs=self.epochs,
            batch=self.batch,
            step=self.step,
        )

    def _single_expert(self, **parameters: Any) -> Expert:
        """Return an unfitted expert with the parameters of the pool."""
        kind = EXPERTS[self.expert]
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in kind.parameters()}
        return same_scheme(kind(**shared, **parameters))

    def _set_members(self, merged: Expert, models: Sequence[_native.Model], weights: FloatArray) -> None:
        """Set the merged model and the members, which have its features."""
        members = []
        for model in models:
            member = self._single_expert()
            member._model, member._encoder, member._names = model, merged._encoder, merged._names
            member._summary, member._references = dict(merged.summary_), merged._references
            members.append(member)
        self._merged, self._members, self._weights = merged, tuple(members), weights

    # Members ------------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._members) if self.is_fitted else self.experts

    def merge(self) -> Expert:
        """Return the merged model: the weights Σ_j α_j W_j, and the same predictions."""
        self._members_and_weights()
        assert self._merged is not None
        return self._merged

    def sharing(self) -> FeatureSharing:
        """Return how the members divide the features: nonzero cells and overlaps, by template."""
        return feature_sharing([member._fitted() for member in self.members_], feature_names(self.merge()))

    def _without_keys(self, keys: set[str]) -> Any:
        return self.merge()._without_keys(keys)

    # Tagging: by the merged model ---------------------------------------------------------------------------------------

    def _deciding_tagger(self, sentences: Any) -> tuple[Expert, Any]:
        return self.merge(), sentences

    def predict(self, sentences: Sentences) -> list[list[str]]:
        """Return the best label sequence of every sentence."""
        return self.merge().predict(sentences)

    def scored(self, sentences: Any) -> Scored:
        """Return the scores of many sentences at once."""
        return self.merge().scored(sentences)

    # Facts and files ----------------------------------------------------------------------------------------------------

    @property
    def feature_count(self) -> int:
        """Number of features with weights."""
        return self.merge().feature_count

    @property
    def summary_(self) -> dict[str, Any]:
        """Summary of the training."""
        return self.merge().summary_

    @property
    def log_(self) -> list[Epoch]:
        """Epochs of the last training."""
        return self.merge().log_

    def description_facts(self) -> dict[str, Any]:
        """Return the penalty, the summary of the training, and how the members divide the features."""
        facts: dict[str, Any] = {name: getattr(self, name) for name in ("penalty", "strength", "mu")}
        facts |= {"training": self.summary_, "sharing": None}
        facts["notes"] = [f"penalty {self.penalty}, strength {self.strength:g}, mu {self.mu:g}"]
        facts["members"] = [{"training": {}} for _ in self._members]
        if has_names(self.merge()):
            sharing = self.sharing()
            facts["sharing"] = {
                "total": _as_json(sharing.total),
                "templates": {key: _as_json(counts) for key, counts in sharing.templates.items()},
            }
            facts["members"] = [{"training": {}, "weights": size} for size in sharing.total.sizes]
        return facts

    def to_bytes(self, options: SaveOptions) -> bytes:
        """Return the content of a file: the merged model with the members."""
        return to_bytes(self.merge(), replace(options, prune=0.0), *file_parts(self, options.half))

    @classmethod
    def load(cls: type[Self], path: str | Path) -> Self:
        """Load a pool from its file."""
        return cls.from_file(ModelFile.open(path))

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file, which has the merged model and the members."""
        kind = file.text("kind")
        if kind not in EXPERTS:
            raise ModelError(f"expected an elitist pool, got a {kind}; load it with tagpool.load", source=file.source)
        merged = EXPERTS[kind].from_file(file)
        try:
            pool: Self = restore(cls, merged)
            return pool
        except DAMAGED as error:
            raise damaged(error, "pool", file.source) from None


def _as_json(counts: SupportCounts) -> dict[str, Any]:
    return asdict(counts) | {"sizes": list(counts.sizes), "overlap": counts.overlap.tolist(), "mean_overlap": counts.mean_overlap}
