"""The parameters of each training algorithm: names, defaults and what they mean, declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tagpool.compat.pycrfsuite.errors import FeatureError
from tagpool.errors import InputError

LBFGS, L2SGD, AP, PA, AROW = "lbfgs", "l2sgd", "averaged-perceptron", "passive-aggressive", "arow"
UNLIMITED = 2**31 - 1  # iterations
ALIASES = {"ap": AP, "pa": PA}


@dataclass(frozen=True)
class Parameter:
    """One parameter; its type is the default's."""

    name: str
    default: float | int | bool | str
    help: str
    choices: tuple[str, ...] = ()
    listed: bool = True  # whether params() names it: what python-crfsuite does not have is not listed

    def read(self, value: Any) -> float | int | bool | str:
        """A value somebody has set, as python-crfsuite takes it: numbers also as text."""
        try:
            found = _READ[type(self.default)](value)
        except (TypeError, ValueError, OverflowError):
            expected = "text" if isinstance(self.default, str) else "a number"
            raise InputError(f"{self.name}={value!r}: expected {expected}") from None
        if self.choices and found not in self.choices:
            raise InputError(f"{self.name}={value!r}: expected {', '.join(self.choices)}")
        return found


def _number(value: Any) -> float:
    found = float(value)
    if found != found:
        raise ValueError
    return found


_READ: dict[type, Callable[[Any], float | int | bool | str]] = {
    float: _number,
    int: lambda value: int(_number(value)),
    bool: lambda value: bool(int(_number(value))),
    str: str,
}

_FEATURES = (
    Parameter("feature.minfreq", 0.0, "How often an attribute must be met with a label (the sum of its values) to get a weight."),
    Parameter("feature.possible_states", False, "Weights for all attributes with all labels, not only for those met together."),
    Parameter("feature.possible_transitions", False, "Weights for all labels after all labels, not only for those met."),
)
_C2 = Parameter("c2", 1.0, "How much large weights cost: c2 times the sum of their squares is added to the loss.")
_PERIOD = Parameter("period", 10, "Over how many iterations the loss must fall by delta of itself, lest training stops.")
_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")
_EXTRA = (
    Parameter("tagpool.threads", 1, "How many threads train; the result does not depend on it.", listed=False),
    Parameter("tagpool.seed", 1, "Where random numbers begin.", listed=False),
)
_PERCEPTRON = (
    Parameter("max_iterations", 100, "How many times the sentences are gone over at most."),
    Parameter("epsilon", 0.0, "Training stops when the share of wrong labels is not above this."),
)

ALGORITHMS: dict[str, tuple[Parameter, ...]] = {
    LBFGS: (
        *_FEATURES,
        Parameter("c1", 0.0, "How much weights cost that are not zero: c1 times the sum of their sizes. Above 0, OWL-QN trains."),
        _C2,
        Parameter("max_iterations", 2147483647, "How many iterations there are at most."),
        Parameter("num_memories", 6, "How many steps L-BFGS remembers to know the curvature."),
        Parameter("epsilon", 1e-5, "Training stops when the gradient is shorter than epsilon, or epsilon times the weights."),
        _PERIOD,
        Parameter("delta", 1e-5, "By which part of itself the loss must fall over a period, lest training stops."),
        Parameter("linesearch", "MoreThuente", "Accepted and not used: tagpool has one line search (strong Wolfe).", _SEARCHES),
        Parameter("max_linesearch", 20, "Accepted and not used: tagpool's line search has its own limits."),
        Parameter(
            "tagpool.trainer",
            "lbfgs",
            "lbfgs reaches the optimum; sgd is tagpool's averaged stochastic descent: nearly as good, and much sooner.",
            ("lbfgs", "sgd"),
            listed=False,
        ),
        Parameter("tagpool.epochs", 10, "How many epochs tagpool.trainer=sgd takes.", listed=False),
        *_EXTRA,
    ),
    L2SGD: (
        *_FEATURES,
        _C2,
        Parameter("max_iterations", 1000, "How many times the sentences are gone over at most."),
        _PERIOD,
        Parameter("delta", 1e-6, "By which part of itself the loss must fall over a period, lest training stops."),
        Parameter("calibration.eta", 0.1, "Accepted and not used: the step size is found by tagpool's own trials."),
        Parameter("calibration.rate", 2.0, "Accepted and not used, as calibration.eta."),
        Parameter("calibration.samples", 1000.0, "Accepted and not used, as calibration.eta."),
        Parameter("calibration.candidates", 10, "Accepted and not used, as calibration.eta."),
        Parameter("calibration.max_trials", 20, "Accepted and not used, as calibration.eta."),
        *_EXTRA,
    ),
    AP: (*_FEATURES, *_PERCEPTRON, *_EXTRA),
    PA: (
        *_FEATURES,
        Parameter("type", 1, "Accepted and not used: the averaged perceptron trains instead."),
        Parameter("c", 1.0, "Accepted and not used: the averaged perceptron trains instead."),
        Parameter("error_sensitive", True, "Accepted and not used: the averaged perceptron trains instead."),
        Parameter("averaging", True, "Accepted and not used: weights are always averaged."),
        *_PERCEPTRON,
        *_EXTRA,
    ),
    AROW: (
        *_FEATURES,
        Parameter("variance", 1.0, "Accepted and not used: the averaged perceptron trains instead."),
        Parameter("gamma", 1.0, "Accepted and not used: the averaged perceptron trains instead."),
        *_PERCEPTRON,
        *_EXTRA,
    ),
}


class Parameters:
    """The parameters of the algorithm that was selected, with their values.

    >>> parameters = Parameters("lbfgs")
    >>> parameters.set("c2", "0.5")
    >>> parameters.get("c2"), parameters.get("max_iterations")
    (0.5, 2147483647)
    """

    def __init__(self, algorithm: str, kind: str = "crf1d") -> None:
        name = ALIASES.get(algorithm.lower(), algorithm.lower())
        if name not in ALGORITHMS or kind != "crf1d":
            known = ", ".join((LBFGS, L2SGD, "ap", "pa", AROW))
            raise InputError(f"algorithm={algorithm!r}, type={kind!r}: expected one of {known}, and the type 'crf1d'")
        self.algorithm = name
        self._known = {parameter.name: parameter for parameter in ALGORITHMS[name]}
        self._values: dict[str, Any] = {parameter.name: parameter.default for parameter in ALGORITHMS[name]}

    def names(self) -> list[str]:
        """Those that python-crfsuite has, in its order."""
        return [parameter.name for parameter in self._known.values() if parameter.listed]

    def set(self, name: str | bytes, value: Any) -> None:
        """Sets one of them."""
        parameter = self._parameter(name)
        self._values[parameter.name] = parameter.read(value)

    def get(self, name: str | bytes) -> Any:
        """The value of one of them."""
        return self._values[self._parameter(name).name]

    def help(self, name: str | bytes) -> str:
        """What one of them means."""
        return self._parameter(name).help

    def _parameter(self, name: str | bytes) -> Parameter:
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
        if not isinstance(text, str):
            raise FeatureError(f"expected the name of a parameter, got {name!r}")
        if text not in self._known:
            raise InputError(f"parameter not found: {text}; the algorithm {self.algorithm} has {', '.join(self._known)}")
        return self._known[text]
