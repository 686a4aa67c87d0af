"""FOBOS: forward-backward splitting, for penalties that are not smooth (Duchi and Singer 2009)."""

from __future__ import annotations

from tagpool import _native
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer, refuse_l1
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Exclusive, declare_parameters, parameter

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")


@declare_parameters
class FOBOS(Trainer):
    """Proximal stochastic descent: a gradient step, then the proximal step of the penalty, with lazy updates.

    The penalty "elastic" is the learner's l1 and l2. The others act on the weights of one feature for all labels: "group" is
    λ Σ_g ‖θ_g‖₂, which removes whole features, beside the learner's l2; "elitist" is (λ/2) Σ_g (Σ_m |θ_gm|)², which leaves
    each feature few labels.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]", l1=0.5, trainer=FOBOS(epochs=5)).fit(builtin_corpus(50))
    >>> crf.weight_count < CRF("word[-1..1]").fit(builtin_corpus(50)).weight_count
    True
    """

    kind = "fobos"

    penalty: str = parameter(
        default="elastic",
        choices=("elastic", "group", "elitist"),
        help="Penalty: l1 and l2 of the learner (elastic), or over the labels of a feature (group, elitist).",
    )
    strength: float = parameter(
        default=1.0, minimum=Exclusive(0), tune=(0.01, 10.0), help="Strength λ of the penalties group and elitist."
    )
    epochs: int = parameter(default=20, minimum=1, tune=(5, 50), help="Passes over the sentences.")
    step: float | None = parameter(
        default=None, minimum=Exclusive(0), help="First step size; calibrated on a sample of the sentences if not given."
    )
    batch: int = parameter(default=8, minimum=1, tune=(1, 32), help="Sentences per step.")

    @property
    def unused_penalties(self) -> frozenset[str]:  # noqa: D102
        return frozenset({"elastic": (), "group": ("l1",), "elitist": ("l1", "l2")}[self.penalty])

    def idle_parameters(self) -> frozenset[str]:  # noqa: D102
        return frozenset({"strength"} if self.penalty == "elastic" else ())

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        strength, ridge = problem.l1, problem.l2
        if self.penalty != "elastic":
            refuse_l1(problem, f"fobos with the penalty {self.penalty}")
            strength = self.strength
        if self.penalty == "elitist":
            ridge = 0.0

        def begin(step: float) -> _native.Fobos:
            options = _native.FobosOptions(
                penalty=self.penalty,
                strength=strength,
                ridge=ridge,
                step=step,
                seed=problem.seed,
                batch=self.batch,
                threads=problem.threads,
            )
            learner = _native.Fobos(problem.training, problem.chain, options, problem.example_weights)
            if problem.start is not None:
                learner.start_from(np.asarray(problem.start, np.float64))
            return learner

        return descend(begin, self.step or 0.0, self.epochs, watch)
