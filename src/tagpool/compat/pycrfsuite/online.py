"""CRFsuite's trainers that update the weights after each instance: l2sgd, averaged perceptron, passive aggressive and AROW."""

from __future__ import annotations

import time
import warnings
from math import inf, isfinite
from typing import Generic, TypeVar

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import AP, AROW, PA
from tagpool.compat.pycrfsuite.training import NOT_FINITE, Training
from tagpool.errors import InputError

AnyTrainer = TypeVar("AnyTrainer", bound=_native.OnlineTrainer)


class OnlineTraining(Training, Generic[AnyTrainer]):
    """Base of the online algorithms."""

    trainer: AnyTrainer

    def prepare(self) -> int:
        """Create the trainer; return the number of its weights."""
        get = self.parameters.get
        self.trainer = self._create(
            _native.CrfsuiteOptions(
                holdout=self.group,
                minimum=get("feature.minfreq"),
                all_labels=get("feature.possible_states"),
                all_transitions=get("feature.possible_transitions"),
                seed=get("tagpool.seed"),
            )
        )
        return self.trainer.feature_count

    def _create(self, options: _native.CrfsuiteOptions) -> AnyTrainer:
        raise NotImplementedError

    def weights(self) -> _native.TrainedWeights:
        """Return the weights of the model after the last epoch."""
        return _native.TrainedWeights(self.trainer)


class PathTraining(OnlineTraining[_native.OnlineTrainer]):
    """Training by the best labels of each instance: averaged perceptron, passive aggressive or AROW."""

    def _create(self, options: _native.CrfsuiteOptions) -> _native.OnlineTrainer:
        get, algorithm = self.parameters.get, self.parameters.algorithm
        if algorithm == AP:
            return _native.AveragedPerceptron(self.instances, options)
        if algorithm == AROW:
            return _native.Arow(self.instances, options, get("variance"), get("gamma"))
        values = {name: get(name) for name in ("type", "c", "error_sensitive", "averaging")}
        return _native.PassiveAggressive(self.instances, options, **values)

    def learn(self) -> _native.TrainedWeights:
        """Train until the mean loss falls to epsilon."""
        titles = {AP: "Averaged perceptron", PA: "Passive Aggressive", AROW: "Adaptive Regularization of Weights (AROW)"}
        get, algorithm, count = self.parameters.get, self.parameters.algorithm, self.trainer.sentence_count
        self.write(titles[algorithm], *self.parameters.lines(self.parameters.names()[3:]), "")
        for number in range(1, get("max_iterations") + 1):
            loss = self.trainer.epoch()
            self.write(f"***** Iteration #{number} *****", f"Loss: {loss:f}", f"Feature norm: {self.trainer.norm():f}")
            self.write_iteration_end(self.weights)
            mean = loss / count if count else 0.0
            if mean < get("epsilon") or (algorithm == AROW and mean <= get("epsilon")):
                self.write("Terminated with the stopping criterion", "")
                break
        return self.weights()


class EmptyTraining(PathTraining):
    """Training without instances, which gives a model without weights, as CRFsuite does."""

    def _create(self, options: _native.CrfsuiteOptions) -> _native.OnlineTrainer:
        return _native.AveragedPerceptron(self.instances, options)

    def learn(self) -> _native.TrainedWeights:
        """Warn that there is nothing to learn from."""
        warnings.warn("the model has no weights, since there are no instances: call append(xseq, yseq) first", stacklevel=6)
        self.write("L-BFGS terminated with error code (-1020)")
        return self.weights()


class L2sgdTraining(OnlineTraining[_native.L2Sgd]):
    """Stochastic gradient descent with calibrated steps."""

    def _create(self, options: _native.CrfsuiteOptions) -> _native.L2Sgd:
        if self.parameters.get("c2") == 0:
            raise InputError("c2=0.0: l2sgd derives its steps from c2; set c2 to a small positive number")
        return _native.L2Sgd(self.instances, options, self.parameters.get("c2"))

    def learn(self) -> _native.TrainedWeights:
        """Train until the loss falls by less than delta over a period; return the weights of the best epoch."""
        get, trainer = self.parameters.get, self.trainer
        self.write("Stochastic Gradient Descent (SGD)", *self.parameters.lines(("c2", "max_iterations", "period", "delta")), "")
        trainer.start(self._calibrate())
        losses: list[float] = []
        period, epochs = get("period"), get("max_iterations")
        for number in range(1, epochs + 1):
            self.write(f"***** Epoch #{number} *****")
            loss = trainer.epoch()
            if not isfinite(loss):
                raise CRFSuiteError(NOT_FINITE)
            losses.append(loss)
            improvement = _divide(losses[-1 - period] - loss, loss) if number > period else get("delta")
            self.write(f"Loss: {loss:f}", *([f"Improvement ratio: {improvement:f}"] if number > period else []))
            self.write(f"Feature L2-norm: {trainer.norm():f}", f"Learning rate (eta): {trainer.step:f}")
            self.write(f"Total number of feature updates: {trainer.update_count:.0f}")
            self.write_iteration_end(self.weights)
            if improvement < get("delta"):
                break
        reason = "stopping criteria" if len(losses) < epochs else "maximum number of iterations"
        self.write(f"SGD terminated with the {reason}", f"Loss: {min(losses, default=0.0):f}")
        trainer.restore_best()
        return self.weights()

    def _calibrate(self) -> float:
        """Return the first step with the least loss after one pass over a sample."""
        get, trainer = self.parameters.get, self.trainer
        samples = min(int(get("calibration.samples")), trainer.sentence_count)
        names = ("calibration.eta", "calibration.rate")
        self.write("Calibrating the learning rate (eta)", *self.parameters.lines(names), f"calibration.samples: {samples}")
        self.write(*self.parameters.lines(("calibration.candidates", "calibration.max_trials")))
        first, rate, candidates = get("calibration.eta"), get("calibration.rate"), get("calibration.candidates")
        if first <= 0 or rate <= 0:
            raise InputError(f"calibration.eta={first}, calibration.rate={rate}: expected positive numbers")
        begun = time.perf_counter()
        trainer.begin_calibration()
        initial = trainer.initial_loss(samples)
        self.write(f"Initial loss: {initial:f}")
        losses: dict[float, float] = {}
        eta, left, is_rising, trial = first, candidates, True, 1
        while left > 0 or is_rising:
            self.log(f"Trial #{trial} (eta = {eta:f}): ")
            loss = trainer.try_step(eta, samples)
            is_better = isfinite(loss) and loss < initial
            self.write(f"{loss:f}" if is_better else f"{loss:f} (worse)")
            left -= is_better
            if isfinite(loss):
                losses.setdefault(loss, eta)
            if is_rising and is_better and left > 0:
                eta *= rate
            elif is_rising:
                is_rising, left, eta = False, candidates, first / rate
            else:
                eta /= rate
            trial += 1
            if get("calibration.max_trials") <= trial:
                break
        best = losses[min(losses)] if losses else first
        self.write(f"Best learning rate (eta): {best:f}", f"Seconds required: {time.perf_counter() - begun:.3f}", "")
        return float(best)


def _divide(number: float, by: float) -> float:
    """Divide as C does: by zero as well."""
    return number / by if by else number * inf
