"""Training by L-BFGS, or by stochastic gradient descent on the same objective.

L-BFGS needs only the native core: importing NumPy takes 17 MB.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import EXACT, SGD, UNLIMITED
from tagpool.compat.pycrfsuite.training import NOT_FINITE, Training
from tagpool.errors import InputError

_WARM_UP = 10  # epochs of stochastic descent before L-BFGS
_MIN_WARM_UP_TOKENS = 2000
_MANY_ITERATIONS = "L-BFGS terminated with the maximum number of iterations"
_ENDS = {
    "converged": "L-BFGS resulted in convergence",
    "small gain": "L-BFGS terminated with the stopping criteria",
    "iterations": _MANY_ITERATIONS,
    "no progress": "L-BFGS terminated with error code (-1001)",
}


class LbfgsTraining(Training):
    """Minimisation of the summed loss with penalties.

    The iterations are those of CRFsuite (libLBFGS) unless a warm-up pays: from 2,000 tokens on, without c1 and without a limit of
    iterations, ten epochs of stochastic descent find a better start, and fewer iterations reach the optimum.
    """

    has_any_period = True

    def prepare(self) -> int:
        """Create the training set; return the number of its weights."""
        get = self.parameters.get
        encoding = self.instances.all()
        self._part = self.instances.part(self.group, False) if self.group is not None else None
        if self._part:
            encoding = self._part[0]
        self.is_batch = get("tagpool.trainer") != SGD
        if not self.is_batch and get("c1") > 0:
            raise InputError("tagpool.trainer=sgd has no l1 penalty: set c1=0, or tagpool.trainer=lbfgs")
        # Frequencies are sums of values; without negative values and a minimum, every observed cell has a weight.
        self._is_usual = self._part is None and get("feature.minfreq") <= 0 and not encoding.has_negative_values
        is_unlimited = get("max_iterations") in (0, UNLIMITED) and self.parameters.is_default("linesearch")
        wants_speed = self.is_batch and get("c1") == 0 and is_unlimited and get("tagpool.trainer") != EXACT
        self._warms_up = wants_speed and encoding.token_count >= _MIN_WARM_UP_TOKENS
        self.set = self._create_training_set(lean=self.is_batch and not self._warms_up)
        return self.set.parameter_count

    def _create_training_set(self, *, lean: bool) -> _native.TrainingSet:
        get, instances = self.parameters.get, self.instances
        # Merged attributes need values in stochastic descent, which would take more memory than merging saves.
        options = {"merge_twins": self._warms_up and lean, "lean": lean}
        if self._is_usual:
            return instances.training_set(get("feature.possible_states"), get("feature.possible_transitions"), **options)
        encoding, gold = self._part or (instances.all(), instances.gold())
        counts = instances.attribute_count, len(instances.labels())
        from tagpool.compat.pycrfsuite.layout import create_training_set

        return create_training_set(encoding, gold, *counts, self.parameters, **options)

    def learn(self) -> _native.TrainedWeights:
        """Minimise the objective."""
        names = ("c1", "c2", "num_memories", "max_iterations", "epsilon", "period", "delta", "linesearch", "max_linesearch")
        names_in_log = {"period": "stop", "max_linesearch": "linesearch.max_iterations"}
        self.write("L-BFGS optimization", *self.parameters.lines(names, names_in_log), "")
        return self._minimise() if self.is_batch else self._descend()

    def release(self) -> None:
        """Free the training set."""
        del self.set
        _native.release_memory()

    def _minimise(self) -> _native.TrainedWeights:
        get = self.parameters.get
        start = self._warm_up() if self._warms_up else None
        objective = _native.Objective(self.set, True, 2 * get("c2"), None, get("tagpool.threads"))

        def report(number: int, loss: float, norm: float, trials: int, step: float) -> bool:
            length, active = objective.norm_here()
            self.write(
                f"***** Iteration #{number} *****", f"Loss: {loss:f}", f"Feature norm: {length:f}", f"Error norm: {norm:f}"
            )
            self.write(f"Active features: {active}", f"Line search trials: {trials}", f"Line search step: {step:f}")
            self.write_iteration_end(lambda: _native.TrainedWeights(self.set, objective))
            return True

        options = _native.LbfgsOptions(
            iterations=get("max_iterations") or UNLIMITED,
            memory=get("num_memories"),
            gradient_tolerance=get("epsilon"),
            value_tolerance=get("delta") if get("period") else 0.0,
            period=get("period"),
            l1=get("c1"),
            search=("" if self._warms_up else get("linesearch"), get("max_linesearch")),
        )
        end, value = objective.minimise_in_place(start, options, report)
        if not isfinite(value):
            raise CRFSuiteError(NOT_FINITE)
        self.write(_ENDS.get(end) or f"L-BFGS terminated with error code ({end})")
        return _native.TrainedWeights(self.set, objective)

    def _warm_up(self) -> _native.Parameters | None:
        """Return the weights after stochastic descent; None if it diverges. Only one of the two layouts exists at a time."""
        get = self.parameters.get
        self.set.keep_shards_only()
        options = _native.SgdOptions(l2=2 * get("c2"), seed=get("tagpool.seed"), threads=get("tagpool.threads"))
        learner = _native.Sgd(self.set, True, options)
        losses = [learner.epoch()]
        while len(losses) < _WARM_UP and losses[-1] <= 10 * losses[0] + 1:
            losses.append(learner.epoch())
        weights = learner.native_parameters()
        del learner, self.set
        _native.release_memory()
        self.set = self._create_training_set(lean=True)
        return weights if weights.finite() and isfinite(losses[-1]) and losses[-1] <= losses[0] else None

    def _descend(self) -> _native.TrainedWeights:
        from tagpool.compat.pycrfsuite.descent import create_weights, descend

        def report(number: int, loss: float, weights: Callable[[], Any]) -> None:
            vector = weights()
            self.write(f"***** Epoch #{number} *****", f"Loss: {loss:f}", f"Feature norm: {float(vector @ vector) ** 0.5:f}")
            self.write(f"Active features: {int((vector != 0).sum())}")
            self.write_iteration_end(lambda: create_weights(self.set, vector))

        weights = descend(self.set, self.parameters, report)
        self.write(_MANY_ITERATIONS)
        return weights
