"""Training of a CRFsuite model: the cells and the loss of CRFsuite, by tagpool's trainers.

L-BFGS, the usual case, needs only the native core: importing NumPy takes 17 MB.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.log import Event, iteration_text
from tagpool.compat.pycrfsuite.parameters import AROW, LBFGS, PA, UNLIMITED, Parameters
from tagpool.errors import InputError

Report = Callable[[Event], None]
Receive = Callable[[memoryview], object]
_WARM_UP = 10  # epochs of stochastic descent before L-BFGS
_MIN_WARM_UP_TOKENS = 2000


class Training:
    """One training, from instances to a model file."""

    def __init__(self, instances: _native.Instances, parameters: Parameters, holdout: int, report: Report) -> None:
        self.instances = instances
        self.parameters = parameters
        self.report = report
        self.labels = instances.labels()
        get, is_lbfgs = parameters.get, parameters.algorithm == LBFGS
        self._is_sparse = is_lbfgs and get("c1") > 0
        self._is_smooth = is_lbfgs and get("c1") == 0 and get("tagpool.trainer") == LBFGS
        self._is_batch = self._is_smooth or self._is_sparse  # every step uses all instances
        self._check()
        held_out = holdout in instances.groups()
        begun = time.perf_counter()
        self._start(holdout if held_out else None)
        self._part = instances.part(holdout, False) if held_out else None
        encoding = self._part[0] if self._part else instances.all()
        self.tokens = encoding.token_count
        if self.tokens == 0:
            raise InputError("nothing to learn from: append instances, and not all of them to the holdout group")
        # Frequencies are sums of values; without values and a minimum, every observed cell has a weight.
        self._is_usual = not held_out and get("feature.minfreq") <= 0 and not encoding.has_values
        self._warms_up = self._is_smooth and self.tokens >= _MIN_WARM_UP_TOKENS
        self.set = self._create_training_set(lean=self._is_batch and not self._warms_up)
        self.holdout: Any = None
        if held_out:
            from tagpool.compat.pycrfsuite.holdout import Holdout

            self.holdout = Holdout(self.labels, instances.attribute_count, *instances.part(holdout, True))
        self._prepared(time.perf_counter() - begun)

    def run(self, receive: Receive) -> None:
        """Train and pass the model file to ``receive``; its buffer is valid until ``receive`` returns."""
        begun = time.perf_counter()
        self._last = begun
        weights, end = self._minimise() if self._is_batch else self._descend()
        if not weights.finite():
            raise CRFSuiteError("the weights are not finite; check the values of the features")
        seconds = time.perf_counter() - begun
        text = f"{end}\nTotal seconds required for training: {seconds:.3f}\n\n"
        self.report(Event("optimization_end", text, {"training_seconds": seconds}))
        begun = time.perf_counter()
        del self.set
        _native.release_memory()
        self.instances.write(weights, receive)
        seconds = time.perf_counter() - begun
        counts = f"{weights.active()} ({len(weights)})"
        text = f"Storing the model\nNumber of active features: {counts}\nSeconds required: {seconds:.3f}\n\n"
        self.report(Event("end", text, {"storing_seconds": seconds}))

    def _create_training_set(self, *, lean: bool) -> _native.TrainingSet:
        get, instances = self.parameters.get, self.instances
        # Merged attributes need values in stochastic descent, which would take more memory than merging saves.
        options = {"merge_twins": self._is_smooth and lean, "lean": lean}
        if self._is_usual:
            return instances.training_set(get("feature.possible_states"), get("feature.possible_transitions"), **options)
        encoding, gold = self._part or (instances.all(), instances.gold())
        counts = instances.attribute_count, len(self.labels)
        from tagpool.compat.pycrfsuite.layout import create_training_set

        return create_training_set(encoding, gold, *counts, self.parameters, **options)

    def _check(self) -> None:
        for name in (*self.parameters.names(), "tagpool.threads", "tagpool.seed"):
            value = self.parameters.get(name)
            least = 1 if name in ("num_memories", "period", "tagpool.threads") else 0
            if name != "feature.minfreq" and not isinstance(value, (str, bool)) and not least <= value < inf:
                raise InputError(f"{name}={value!r}: expected a finite number from {least} on")
        if self._is_sparse and self.parameters.get("tagpool.trainer") != LBFGS:
            raise InputError("tagpool.trainer=sgd has no l1 penalty: set c1=0, or tagpool.trainer=lbfgs")

    def _minimise(self) -> tuple[_native.TrainedWeights, str]:
        get = self.parameters.get
        start = self._warm_up() if self._warms_up else None
        objective = _native.Objective(self.set, True, 2 * get("c2"), None, get("tagpool.threads"))

        def report(number: int, loss: float, norm: float, trials: int, step: float) -> bool:
            length, active = objective.norm_here()
            more = {"error_norm": norm, "linesearch_trials": trials, "linesearch_step": step}
            more |= {"feature_norm": length, "active_features": active}
            self._iteration(number, loss, "Iteration", objective.here, more)
            return True

        options = _native.LbfgsOptions(
            iterations=get("max_iterations") or UNLIMITED,
            memory=get("num_memories"),
            gradient_tolerance=get("epsilon"),
            value_tolerance=get("delta"),
            period=get("period"),
            l1=get("c1"),
        )
        end, value = objective.minimise_in_place(start, options, report)
        if not isfinite(value):
            raise CRFSuiteError("the loss is not finite; check the values of the features")
        ends = {"converged": "resulted in convergence", "iterations": "terminated with the maximum number of iterations"}
        weights = _native.TrainedWeights(self.set, objective)
        return weights, f"L-BFGS {ends.get(end, 'terminated: no better weights were found')}"

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

    def _descend(self) -> tuple[_native.TrainedWeights, str]:
        from tagpool.compat.pycrfsuite.descent import descend

        def report(number: int, loss: float, weights: Callable[[], Any]) -> None:
            more = {}
            if self.holdout:
                vector = weights()
                more = {"feature_norm": float(vector @ vector) ** 0.5, "active_features": int((vector != 0).sum())}
            self._iteration(number, loss, "Epoch", weights, more)

        return descend(self.set, self.parameters, self.tokens, report), "Training ended"

    def _iteration(self, number: int, loss: float, what: str, weights: Callable[[], Any], more: dict[str, Any]) -> None:
        now = time.perf_counter()
        values: dict[str, Any] = {"num": number, "scores": {}, "loss": loss, "time": now - self._last} | more
        self._last = now
        if self.holdout:
            values |= self.holdout.scores(self.set, weights())
        self.report(Event("iteration", iteration_text(values, what), values))

    def _start(self, holdout: int | None) -> None:
        lines = [] if holdout is None else [f"Holdout group: {holdout}\n"]
        lines.append("Feature generation\ntype: CRF1d")
        lines += [f"{name}: {self.parameters.get(name):f}" for name in self.parameters.names()[:3]]
        self.report(Event("start", "\n".join(lines) + "\n", {}))

    def _prepared(self, seconds: float) -> None:
        count = self.set.parameter_count
        self.report(Event("featgen_progress", "0....1....2....3....4....5....6....7....8....9....10\n", {"featgen_percent": 100}))
        text = f"Number of features: {count}\nSeconds required: {seconds:.3f}\n\n"
        self.report(Event("featgen_end", text, {"featgen_num_features": count, "featgen_seconds": seconds}))
        algorithm = self.parameters.algorithm
        note = " (by the averaged perceptron)" if algorithm in (PA, AROW) else ""
        lines = [f"{algorithm}{note}", *(f"{name}: {self.parameters.get(name)}" for name in self.parameters.names()[3:])]
        self.report(Event("prepared", "\n".join(lines) + "\n\n", {}))
