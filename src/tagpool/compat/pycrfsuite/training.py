"""How weights for CRFsuite's model are found: the same weights as it has, the same loss, by tagpool's trainers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.holdout import Holdout
from tagpool.compat.pycrfsuite.layout import laid_out
from tagpool.compat.pycrfsuite.log import Event, iteration_text
from tagpool.compat.pycrfsuite.parameters import AROW, L2SGD, LBFGS, PA, Parameters
from tagpool.errors import InputError, TrainingError
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.watch import Epoch, Watch

Tell = Callable[[Event], None]
_UNLIMITED = 2**31 - 1
_WARM_UP = 10  # epochs of stochastic descent before L-BFGS
_WORTH_WARMING_UP = 2000  # tokens: fewer are learned from in no time anyway


class Training:
    """One training, from instances to a model file."""

    def __init__(self, instances: _native.Instances, parameters: Parameters, holdout: int, tell: Tell) -> None:
        self.instances = instances
        self.parameters = parameters
        self.tell = tell
        self.labels = instances.labels()
        self._check()
        held_out = holdout in instances.groups()
        begun = time.perf_counter()
        self._start(holdout if held_out else None)
        encoding, gold = instances.part(holdout, False) if held_out else (instances.all(), instances.gold())
        if encoding.token_count == 0:
            raise InputError("there is nothing to learn from: append instances first, and not all to the holdout group")
        self.tokens = encoding.token_count
        self.set = laid_out(encoding, gold, instances.attribute_count, len(self.labels), parameters, smooth=self._is_smooth())
        self.holdout: Holdout | None = None
        if held_out:
            self.holdout = Holdout(self.labels, instances.attribute_count, *instances.part(holdout, True))
        self.pairs = self.set.pair_features(), self.set.pair_labels()
        self._prepared(time.perf_counter() - begun)

    def run(self) -> bytes:
        """Trains, and returns the model file."""
        begun = time.perf_counter()
        self._last = begun
        weights, end = self._minimise() if self._is_smooth() or self._is_sparse() else self._descend()
        if not np.isfinite(weights).all():
            raise CRFSuiteError("the weights are not finite; check the values of the features")
        seconds = time.perf_counter() - begun
        self.tell(
            Event(
                "optimization_end",
                f"{end}\nTotal seconds required for training: {seconds:.3f}\n\n",
                {"training_seconds": seconds},
            )
        )
        begun = time.perf_counter()
        states, transitions = self._parts(weights)
        del self.set
        model = self.instances.write(*self.pairs, states, transitions)
        seconds = time.perf_counter() - begun
        active = int(np.count_nonzero(weights))
        text = f"Storing the model\nNumber of active features: {active} ({len(weights)})\nSeconds required: {seconds:.3f}\n\n"
        self.tell(Event("end", text, {"storing_seconds": seconds}))
        return model

    def _is_sparse(self) -> bool:
        return self.parameters.algorithm == LBFGS and self.parameters.get("c1") > 0

    def _is_smooth(self) -> bool:
        get = self.parameters.get
        return self.parameters.algorithm == LBFGS and get("c1") == 0 and get("tagpool.trainer") == LBFGS

    def _check(self) -> None:
        for name in (*self.parameters.names(), "tagpool.threads", "tagpool.seed"):
            value = self.parameters.get(name)
            least = 1 if name in ("num_memories", "period", "tagpool.threads") else 0
            if name != "feature.minfreq" and not isinstance(value, (str, bool)) and not least <= value < np.inf:
                raise InputError(f"{name}={value!r}: expected a finite number from {least} on")
        if self._is_sparse() and self.parameters.get("tagpool.trainer") != LBFGS:
            raise InputError("tagpool.trainer=sgd has no l1 penalty: use c1=0, or tagpool.trainer=lbfgs")

    def _problem(self) -> Problem:
        get = self.parameters.get
        l2 = 2 * get("c2") if self.parameters.algorithm in (LBFGS, L2SGD) else 0.0
        return Problem(self.set, True, l2=l2, seed=get("tagpool.seed"), threads=get("tagpool.threads"))

    def _minimise(self) -> tuple[NDArray[np.float64], str]:
        get = self.parameters.get
        problem = self._problem()
        start = np.zeros(problem.parameter_count)
        if self._is_smooth() and self.tokens >= _WORTH_WARMING_UP:
            start = SGD(epochs=_WARM_UP).train(problem, Watch()).astype(np.float64)
        objective = problem.objective()

        def report(number: int, loss: float, norm: float, trials: int, step: float) -> bool:
            more = {"error_norm": norm, "linesearch_trials": trials, "linesearch_step": step}
            self._iteration(number, loss, "Iteration", objective.here(), more)
            return True

        found, end, value, _, _ = objective.minimise(
            start,
            get("max_iterations") or _UNLIMITED,
            get("num_memories"),
            get("epsilon"),
            get("delta"),
            get("period"),
            report,
            get("c1"),
        )
        if not np.isfinite(value):
            raise CRFSuiteError("the loss is not finite; check the values of the features")
        ends = {"converged": "resulted in convergence", "iterations": "terminated with the maximum number of iterations"}
        return found, f"L-BFGS {ends.get(end, 'terminated: no better weights were found')}"

    def _descend(self) -> tuple[NDArray[np.float64], str]:
        get, algorithm = self.parameters.get, self.parameters.algorithm
        recent: deque[float] = deque(maxlen=get("period") if algorithm == L2SGD else 1)

        def on_epoch(epoch: Epoch) -> bool:
            self._iteration(epoch.number, epoch.loss, "Epoch", watch.kept() if self.holdout else None, {})
            if algorithm == LBFGS:
                return True
            if algorithm != L2SGD:
                return bool(epoch.loss > get("epsilon") * self.tokens)
            settled = len(recent) == recent.maxlen and recent[0] - epoch.loss < get("delta") * abs(epoch.loss)
            recent.append(epoch.loss)
            return not bool(settled)

        watch = Watch(on_epoch=on_epoch)
        epochs = get("tagpool.epochs") if algorithm == LBFGS else get("max_iterations") or _UNLIMITED
        trainer = SGD(epochs=epochs) if algorithm in (LBFGS, L2SGD) else Perceptron(epochs=epochs)
        try:
            weights = trainer.train(self._problem(), watch)
        except TrainingError as error:
            raise CRFSuiteError(str(error)) from None
        return weights.astype(np.float64), "Training ended"

    def _parts(self, weights: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weights of attributes, and those of transitions as a matrix."""
        count, states = len(self.labels), self.set.pair_count
        transitions = np.zeros(count * count)
        transitions[self.set.edges()] = weights[states:]
        return weights[:states].astype(np.float64), transitions

    def _iteration(self, number: int, loss: float, what: str, weights: NDArray[Any] | None, more: dict[str, Any]) -> None:
        now = time.perf_counter()
        found: dict[str, Any] = {"num": number, "scores": {}, "loss": loss, "time": now - self._last} | more
        self._last = now
        if weights is not None:
            found["feature_norm"] = float(np.sqrt(np.dot(weights, weights)))
            found["active_features"] = int(np.count_nonzero(weights))
            if self.holdout:
                found |= self.holdout.scores(*self.pairs, *self._parts(weights))
        self.tell(Event("iteration", iteration_text(found, what), found))

    def _start(self, holdout: int | None) -> None:
        lines = [] if holdout is None else [f"Holdout group: {holdout}\n"]
        lines.append("Feature generation\ntype: CRF1d")
        lines += [f"{name}: {self.parameters.get(name):f}" for name in self.parameters.names()[:3]]
        self.tell(Event("start", "\n".join(lines) + "\n", {}))

    def _prepared(self, seconds: float) -> None:
        count = self.set.parameter_count
        self.tell(Event("featgen_progress", "0....1....2....3....4....5....6....7....8....9....10\n", {"featgen_percent": 100}))
        text = f"Number of features: {count}\nSeconds required: {seconds:.3f}\n\n"
        self.tell(Event("featgen_end", text, {"featgen_num_features": count, "featgen_seconds": seconds}))
        algorithm = self.parameters.algorithm
        note = " (by the averaged perceptron)" if algorithm in (PA, AROW) else ""
        lines = [f"{algorithm}{note}", *(f"{name}: {self.parameters.get(name)}" for name in self.parameters.names()[3:])]
        self.tell(Event("prepared", "\n".join(lines) + "\n\n", {}))
