"""ElitistPool: members that are trained together and compete for features (Wang and Manning 2013)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.errors import ModelError, NotFittedError
from tagpool.experts.inside.removal import remove_templates
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions, feature_names, has_names, to_bytes
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.template import TemplateSet
from tagpool.optim.watch import Epoch
from tagpool.parameters import Exclusive, declare_parameters, parameter
from tagpool.pools.elitist.feature_sharing import FeatureSharing, SupportCounts, feature_sharing
from tagpool.pools.elitist.files import file_parts, restore
from tagpool.pools.elitist.training import CellLayout, ElitistTrainer
from tagpool.pools.member_weights import check_weights
from tagpool.pools.members import member_scores
from tagpool.pools.pool import Pool

Self = TypeVar("Self", bound="ElitistPool")

_EXPERTS: dict[str, type[Expert]] = {"maxent": MaxEnt, "crf": CRF}


@declare_parameters
class ElitistPool(Pool):
    """A logarithmic opinion pool, P(y|x) ∝ Π_j P_j(y|x)^α_j, whose members are trained together on all features.

    The objective is (1-μ)·NLL of the pool + μ·Σ_j NLL of member j + penalty. The elitist penalty is
    (``strength``/2) Σ (Σ_j |w_j|)² over all cells, so that the members compete for each cell; "l1" is ``strength``·Σ|w|. With
    μ = 0, as in the paper, the optimum equals one model with l2 = strength / max(α)².

    Training is FOBOS from weights uniform in [-0.1, 0.1]. The pool tags at the speed of one model.

    >>> from tagpool import builtin_corpus
    >>> pool = ElitistPool("word[-1..1]", experts=2, epochs=5).fit(builtin_corpus(100))
    >>> len(pool), [type(expert).__name__ for expert in pool]
    (2, ['MaxEnt', 'MaxEnt'])
    >>> pool.predict([["Oslo"]]) == pool.merge().predict([["Oslo"]])
    True
    """

    kind = "elitist-pool"

    templates: TemplateSet | str | Path = parameter(
        default="ner", kw_only=False, help="Feature templates: a preset, a file, or the text of the templates."
    )
    experts: int = parameter(default=3, minimum=2, maximum=10, help="Number of members.")
    expert: str = parameter(default="maxent", choices=tuple(_EXPERTS), help="Kind of the members.")
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
    resources: Mapping[str, Any] | None = parameter(default=None, help="Resources that templates use, by name: objects or paths.")
    pairs: str = parameter(
        default="all", choices=("all", "observed"), help="Which (feature, label) cells have weights: all, or those observed."
    )
    min_count: int = parameter(default=1, minimum=1, help="Features that occur less often are removed.")
    class_weight: Mapping[str, float] | str | None = parameter(
        default=None, choices=("balanced",), help="Weight of each label (1 if not listed), or 'balanced' for inverse frequencies."
    )
    unknown_label: str | None = parameter(default=None, help="Label of tokens whose label is unknown.")
    patience: int | None = parameter(
        default=25, minimum=1, help="Epochs without a better dev score before training stops; None: never stop."
    )
    seed: int = parameter(default=1, minimum=0, help="Seed of the random numbers.")
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the model does not depend on it.")

    _dev_scheme: str | None = None  # scheme of the labels that decode a dev set of tokens labelled alone
    _merged: Expert | None = None
    _members: tuple[Expert, ...] = ()
    _weights: FloatArray | None = None

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        sentences: Any,
        labels: Any = None,
        *,
        dev: Any = None,
        sample_weight: Sequence[float] | NDArray[np.float64] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> Self:
        """Train all members together; the arguments are those of :meth:`tagpool.CRF.fit`. The dev set scores the pool."""
        trainer = self._trainer()
        self._merged = self.configuration_ = None  # not fitted after an error
        merged = self._single_expert(l2=0.0, l1=0.0, trainer=trainer)
        merged._dev_scheme = self._dev_scheme
        try:
            merged.fit(sentences, labels, dev=dev, sample_weight=sample_weight, on_epoch=on_epoch)
        finally:  # an interrupted training has members, too
            if trainer.members is not None and trainer.layout is not None and merged.is_fitted:
                models = [_model(merged, row, trainer.layout) for row in trainer.members.parameters]
                self._install(merged, models, trainer.members.weights)
        return self

    def _trainer(self) -> ElitistTrainer:
        if isinstance(self.weights, str):
            weights = [1 / self.experts] * self.experts
        else:
            weights = check_weights(self.weights, self.experts).tolist()
        return ElitistTrainer(
            weights=tuple(weights),
            learn_weights=isinstance(self.weights, str) and self.weights == "learned",
            penalty="elitist-approximate" if self.penalty == "elitist" and not self.exact else self.penalty,
            strength=float(self.strength),
            mu=float(self.mu),
            epochs=self.epochs,
            batch=self.batch,
            step=self.step,
        )

    def _single_expert(self, **parameters: Any) -> Expert:
        """Return an unfitted expert with the parameters of the pool."""
        kind = _EXPERTS[self.expert]
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in kind.parameters()}
        return kind(**shared, **parameters)

    def _install(self, merged: Tagger, models: Sequence[_native.Model], weights: FloatArray) -> None:
        """Set the merged model and the members."""
        members = []
        for model in models:
            member = self._single_expert()
            member._model, member._encoder, member._names = model, merged._encoder, merged._names
            member._summary, member._origins = dict(merged.summary_), merged._origins
            members.append(member)
        assert isinstance(merged, Expert)
        self._merged, self._members, self._weights = merged, tuple(members), weights

    # Members ------------------------------------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether the pool is fitted."""
        return self._merged is not None

    def __len__(self) -> int:
        return len(self._members) if self.is_fitted else self.experts

    def merge(self) -> Expert:
        """Return the merged model: the weights Σ_j α_j W_j, and the same predictions."""
        return self._fitted()[0]

    def _fitted(self) -> tuple[Expert, FloatArray]:
        if self._merged is None or self._weights is None:
            raise NotFittedError("the ElitistPool is not fitted: call fit(corpus) first, or load a model")
        return self._merged, self._weights

    def sharing(self) -> FeatureSharing:
        """Return how the members divide the features: nonzero cells and overlaps, by template."""
        return feature_sharing([member._fitted() for member in self.members_], feature_names(self.merge()))

    def _members_and_weights(self) -> tuple[tuple[Expert, ...], FloatArray]:
        return self._members, self._fitted()[1]

    def _without_keys(self, keys: set[str]) -> Any:
        return remove_templates(self.merge(), keys)

    # Tagging: by the merged model ---------------------------------------------------------------------------------------

    def predict(self, sentences: Any) -> list[list[str]]:
        """Return the best label sequence of every sentence."""
        return self.merge().predict(sentences)

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """Return the best label sequences of a corpus in native form."""
        return self.merge().tag_columns(columns)

    def predict_proba(self, sentences: Any) -> list[FloatArray]:
        """Return the probability of every label at every token: for each sentence a [T][L] array."""
        return self.merge().predict_proba(sentences)

    def lattices(self, sentences: Any) -> list[Lattice]:
        """Return the scores of every sentence."""
        return self.merge().lattices(sentences)

    def scored(self, sentences: Any) -> Any:
        """Return the scores of many sentences at once."""
        return member_scores(self.merge(), sentences, self.labels_)

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
        if kind not in _EXPERTS:
            raise ModelError(f"expected an elitist pool, got a {kind}; load it with tagpool.load", source=file.source)
        pool = cls()
        restore(pool, _EXPERTS[kind].from_file(file), file.source)
        return pool


def _model(merged: Expert, weights: NDArray[np.float32], layout: CellLayout) -> _native.Model:
    """Return the model of a member, with the encoder of the merged model."""
    edges = np.zeros(0, np.float32)
    labels, encoder = list(merged.labels_), merged._encoder
    if merged.chain:
        edges = np.zeros(len(labels) * (len(labels) + 2), np.float32)
        edges[layout.edges] = weights[layout.cell_count :]
    parts = layout.features, layout.labels, weights[: layout.cell_count].copy(), edges
    if isinstance(encoder, Encoder):
        return _native.Model.from_encoder(encoder.fitted_native, labels, *parts)
    assert encoder is not None
    return _native.Model.from_given(encoder.fitted_native, labels, *parts)


def _as_json(counts: SupportCounts) -> dict[str, Any]:
    return asdict(counts) | {"sizes": list(counts.sizes), "overlap": counts.overlap.tolist(), "mean_overlap": counts.mean_overlap}
