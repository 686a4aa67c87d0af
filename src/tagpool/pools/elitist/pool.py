"""ElitistPool: experts that are induced together and compete for features (Wang and Manning 2013; algorithms.md §4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError, ModelError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.linear.training import fit
from tagpool.experts.loading import load_tagger
from tagpool.experts.references import LEXICONS
from tagpool.experts.saving import feature_names
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.template import TemplateSet
from tagpool.optim.trainer import check_positive, check_whole
from tagpool.optim.watch import Epoch
from tagpool.pools.elitist.feature_shares import Sharing, sharing
from tagpool.pools.elitist.training import ElitistTrainer, Layout

Self = TypeVar("Self", bound="ElitistPool")

_KINDS: dict[str, type[Expert]] = {"maxent": MaxEnt, "crf": CRF}
_PENALTIES = ("elitist", "l1")
_MOST_EXPERTS = 10


class ElitistPool(Expert):
    """A logarithmic opinion pool, P(y|x) ∝ Π_j P_j(y|x)^α_j, whose experts are trained together on all features.

    The objective is (1-μ)·NLL of the pool + μ·Σ_j NLL of expert j + a penalty. With ``penalty`` "elitist" that is
    (``strength``/2) Σ (Σ_j |w_j|)² over all weights of a single model: the experts compete for each of them. "l1" is
    ``strength``·Σ|w|. ``exact`` False takes the approximate proximal step of the paper. With ``mu`` 0, the paper's, only the
    pool must predict well, and at the optimum it equals one expert with l2 = strength / max(α)²; with more, every expert must.
    ``weights`` is "uniform", numbers that sum to 1, or "learned" (by gradient steps together with the weights).

    Training is FOBOS from weights uniform in [-0.1, 0.1]; ``epochs``, ``batch`` and ``step`` are as in :class:`FOBOS`, the
    other parameters as in :class:`CRF`. A pool tags at the cost of one expert. ``tagpool.load`` gives it back with its members.

    >>> from tagpool import builtin_corpus
    >>> pool = ElitistPool("word[-1..1]", experts=2, epochs=5).fit(builtin_corpus(100))
    >>> len(pool), [type(expert).__name__ for expert in pool]
    (2, ['MaxEnt', 'MaxEnt'])
    >>> pool.predict([["Oslo"]]) == pool.merge().predict([["Oslo"]])
    True
    """

    l2 = l1 = 0.0  # the penalty is the pool's own
    warm_start = False

    def __init__(
        self,
        templates: TemplateSet | str | Path = "ner",
        *,
        experts: int = 3,
        expert: str = "maxent",
        penalty: str = "elitist",
        strength: float = 0.1,
        mu: float = 0.0,
        weights: str | Sequence[float] = "uniform",
        exact: bool = True,
        epochs: int = 100,
        batch: int = 8,
        step: float | None = None,
        resources: Mapping[str, Any] | None = None,
        pairs: str = "all",
        min_count: int = 1,
        hash_size: int | None = None,
        class_weight: Mapping[str, float] | str | None = None,
        unknown_label: str | None = None,
        patience: int | None = 25,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        self.templates = templates
        self.experts = experts
        self.expert = expert
        self.penalty = penalty
        self.strength = strength
        self.mu = mu
        self.weights = weights
        self.exact = exact
        self.epochs = epochs
        self.batch = batch
        self.step = step
        self.resources = resources
        self.pairs = pairs
        self.min_count = min_count
        self.hash_size = hash_size
        self.class_weight = class_weight
        self.unknown_label = unknown_label
        self.patience = patience
        self.seed = seed
        self.threads = threads

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
        """Trains all experts together; the arguments are those of :meth:`Expert.fit`. The dev set scores the pool."""
        induction = ElitistTrainer(
            alpha=tuple(self._first_alpha()),
            learn_alpha=isinstance(self.weights, str) and self.weights == "learned",
            penalty=self._native_penalty(),
            strength=float(self.strength),
            mu=float(self.mu),
            epochs=self.epochs,
            batch=self.batch,
            step=self.step,
        )
        self.kind, self.chain = self.expert, _KINDS[self.expert].chain
        self.trainer = induction
        try:
            fit(self, sentences, labels, dev=dev, sample_weight=sample_weight, on_epoch=on_epoch)
        finally:
            del self.trainer
            if induction.members is not None and induction.layout is not None:
                self._alpha = induction.members.alpha
                self._members = [self._model_of(row, induction.layout) for row in induction.members.weights]
        return self

    def partial_fit(self: Self, *_: Any, **__: Any) -> Self:
        """Not for pools: experts that compete must all see all sentences."""
        raise InputError("an ElitistPool cannot go on with more sentences: fit a new one")

    def _first_alpha(self) -> list[float]:
        self._check()
        if isinstance(self.weights, str):
            if self.weights not in ("uniform", "learned"):
                raise InputError(
                    f"weights={self.weights!r}: expected 'uniform', 'learned', or {self.experts} numbers that sum to 1"
                )
            return [1 / self.experts] * self.experts
        try:
            found = np.asarray(self.weights, np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (self.experts,) or not np.isfinite(found).all() or (found < 0).any() or abs(found.sum() - 1) > 1e-6:
            raise InputError(f"weights={self.weights!r}: expected {self.experts} numbers from 0 on that sum to 1, one an expert")
        given: list[float] = found.tolist()
        return given

    def _check(self) -> None:
        check_whole(self, "experts", 2)
        if self.experts > _MOST_EXPERTS:
            raise InputError(f"ElitistPool(experts={self.experts}): expected at most {_MOST_EXPERTS}")
        if not isinstance(self.expert, str) or self.expert not in _KINDS:
            raise InputError(f"ElitistPool(expert={self.expert!r}): expected one of {', '.join(_KINDS)}")
        if self.penalty not in _PENALTIES:
            raise InputError(f"ElitistPool(penalty={self.penalty!r}): expected one of {', '.join(_PENALTIES)}")
        check_whole(self, "epochs", 1)
        check_whole(self, "batch", 1)
        if self.step is not None:
            check_positive(self, "step")
        self._check_number("strength", np.finfo(np.float64).max, "from 0 on")
        self._check_number("mu", 1.0, "from 0 to 1")

    def _check_number(self, name: str, most: float, within: str) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= most:
            raise InputError(f"ElitistPool({name}={value!r}): expected a number {within}")

    def _native_penalty(self) -> str:
        return "elitist-approximate" if self.penalty == "elitist" and not self.exact else self.penalty

    def _model_of(self, weights: NDArray[np.float32], layout: Layout) -> _native.Model:
        edges = np.zeros(0, np.float32)
        if self.chain:
            count = len(self.labels_)
            edges = np.zeros(count * (count + 2), np.float32)
            edges[layout.edges] = weights[layout.pair_count :]
        parts = layout.features, layout.labels, weights[: layout.pair_count].copy(), edges
        encoder = self._encoder
        if isinstance(encoder, Encoder):
            return _native.Model.from_encoder(encoder.fitted_native, list(self.labels_), *parts)
        assert encoder is not None
        return _native.Model.from_given(encoder.fitted_native, list(self.labels_), *parts)

    # Members ------------------------------------------------------------------------------------------------------------

    @property
    def weights_(self) -> tuple[float, ...]:
        """How much each expert counts."""
        self._fitted()
        return tuple(self._alpha.tolist())

    def __len__(self) -> int:
        return len(self._members) if self.is_fitted else self.experts

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Expert]:
        """The experts, each fitted: their predictions are their own, not the pool's."""
        self._fitted()
        return (self._single(model) for model in self._members)

    def __getitem__(self, number: int) -> Expert:
        self._fitted()
        return self._single(self._members[number])

    def merge(self) -> Expert:
        """The one expert that the pool is: the weights Σ_j α_j W_j, and the same predictions."""
        return self._single(self._fitted())

    def sharing(self) -> Sharing:
        """How the experts have shared the features out: sizes of their supports, overlaps, by template."""
        self._fitted()
        return sharing(self._members, feature_names(self))

    def _single(self, model: _native.Model) -> Expert:
        kind = _KINDS[self.kind]
        known = kind.parameters()
        expert = kind(**{name: value for name, value in self.get_params(deep=False).items() if name in known})
        expert._model, expert._encoder, expert._names = model, self._encoder, self._names
        expert._summary = dict(self.summary_)
        expert._origins = self._origins
        return expert

    # Keeping ------------------------------------------------------------------------------------------------------------

    def _kept_besides(self, half: bool) -> tuple[dict[str, str], dict[str, bytes]]:
        # All have the lexicons of the pool, which its file holds once.
        blocks = (_native.without_arrays(model.write({"kind": self.kind}, {}, half), LEXICONS) for model in self._members)
        return {"alpha": json.dumps(self._alpha.tolist())}, {f"member{number}": block for number, block in enumerate(blocks)}

    @classmethod
    def load(cls: type[Self], path: str | Path) -> Self:
        """Loads a pool from its file, with its members."""
        return cls.of_model(load_tagger(path), path)

    @classmethod
    def of_model(cls: type[Self], whole: Tagger, source: str | Path) -> Self:
        """The pool that a model with members beside it is."""
        try:
            pool = cls()._restored(whole._fitted())
            pool._origins = whole._origins
            return pool
        except ModelError as error:
            raise ModelError(error.message, source=source) from None
        except (AttributeError, TypeError, ValueError) as error:  # InputFault is a ValueError
            raise ModelError(f"the pool is damaged: {error}", source=source) from None

    def _restored(self: Self, model: _native.Model) -> Self:
        kind, alpha = model.text("kind"), model.text("alpha")
        if kind not in _KINDS or alpha is None:
            raise ModelError(f"it holds no pool but a single {kind}; load it with tagpool.load")
        self._alpha = np.array(json.loads(alpha), np.float64)
        blocks = [model.array(f"member{number}") for number in range(len(self._alpha))]
        self._members = [_native.Model.read(_native.with_lexicons_of(block, model)) for block in blocks if block is not None]
        if not self._members or len(self._members) < len(self._alpha):
            raise ModelError("the file lacks members of the pool")
        if any(member.labels != model.labels for member in self._members):
            raise ModelError("a member of the pool has other labels than the pool")
        self.kind, self.chain = kind, _KINDS[kind].chain
        for name, value in json.loads(model.text("parameters") or "{}").items():
            if name in self.parameters():
                setattr(self, name, value)
        self._model = model
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_members", "_alpha")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._model is not None:
            parameters = self.get_params(deep=False)
            self._restored(self._model).set_params(**parameters)
