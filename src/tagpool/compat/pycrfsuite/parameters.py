"""Parameters of each training algorithm: names, defaults and descriptions."""

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
    listed: bool = True  # whether params() names it: python-crfsuite has it

    def read(self, value: Any) -> float | int | bool | str:
        """Convert a value as python-crfsuite does: numbers may be text."""
        try:
            converted = _READ[type(self.default)](value)
        except (TypeError, ValueError, OverflowError):
            expected = "text" if isinstance(self.default, str) else "a number"
            raise InputError(f"{self.name}={value!r}: expected {expected}") from None
        if self.choices and converted not in self.choices:
            raise InputError(f"{self.name}={value!r}: expected {', '.join(self.choices)}")
        return converted


def _number(value: Any) -> float:
    number = float(value)
    if number != number:
        raise ValueError
    return number


_READ: dict[type, Callable[[Any], float | int | bool | str]] = {
    float: _number,
    int: lambda value: int(_number(value)),
    bool: lambda value: bool(int(_number(value))),
    str: str,
}

_FEATURES = (
    Parameter("feature.minfreq", 0.0, "Minimum frequency of an attribute with a label (the sum of its values)."),
    Parameter("feature.possible_states", False, "Weights for all attributes with all labels, not only the observed ones."),
    Parameter("feature.possible_transitions", False, "Weights for all label bigrams, not only the observed ones."),
)
_C2 = Parameter("c2", 1.0, "L2 penalty: c2 times the sum of squared weights is added to the loss.")
_PERIOD = Parameter("period", 10, "Training stops if the loss falls by less than delta (relative) over this many iterations.")
_CALIBRATION = "tagpool calibrates the step size"
_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")
_EXTRA = (
    Parameter("tagpool.threads", 1, "Number of threads; the result does not depend on it.", listed=False),
    Parameter("tagpool.seed", 1, "Random seed.", listed=False),
)
_PERCEPTRON = (
    Parameter("max_iterations", 100, "Maximum number of epochs."),
    Parameter("epsilon", 0.0, "Training stops when the rate of wrong labels is at most this."),
)


def _unused(name: str, default: float | int | bool | str, reason: str = "the averaged perceptron trains instead") -> Parameter:
    return Parameter(name, default, f"Accepted and not used: {reason}.", _SEARCHES if name == "linesearch" else ())


ALGORITHMS: dict[str, tuple[Parameter, ...]] = {
    LBFGS: (
        *_FEATURES,
        Parameter("c1", 0.0, "L1 penalty: c1 times the sum of absolute weights. Above 0, OWL-QN trains."),
        _C2,
        Parameter("max_iterations", 2147483647, "Maximum number of iterations."),
        Parameter("num_memories", 6, "Number of steps in the L-BFGS approximation of the curvature."),
        Parameter("epsilon", 1e-5, "Training stops when the norm of the gradient is below epsilon times that of the weights."),
        _PERIOD,
        Parameter("delta", 1e-5, "Training stops if the loss falls by less than delta (relative) over a period."),
        _unused("linesearch", "MoreThuente", "tagpool has one line search (strong Wolfe)"),
        _unused("max_linesearch", 20, "the limits of tagpool's line search are fixed"),
        Parameter(
            "tagpool.trainer",
            "lbfgs",
            "lbfgs reaches the optimum; sgd is averaged stochastic descent: nearly as accurate and much faster.",
            ("lbfgs", "sgd"),
            listed=False,
        ),
        Parameter("tagpool.epochs", 10, "Number of epochs of tagpool.trainer=sgd.", listed=False),
        *_EXTRA,
    ),
    L2SGD: (
        *_FEATURES,
        _C2,
        Parameter("max_iterations", 1000, "Maximum number of epochs."),
        _PERIOD,
        Parameter("delta", 1e-6, "Training stops if the loss falls by less than delta (relative) over a period."),
        _unused("calibration.eta", 0.1, _CALIBRATION),
        _unused("calibration.rate", 2.0, _CALIBRATION),
        _unused("calibration.samples", 1000.0, _CALIBRATION),
        _unused("calibration.candidates", 10, _CALIBRATION),
        _unused("calibration.max_trials", 20, _CALIBRATION),
        *_EXTRA,
    ),
    AP: (*_FEATURES, *_PERCEPTRON, *_EXTRA),
    PA: (
        *_FEATURES,
        _unused("type", 1),
        _unused("c", 1.0),
        _unused("error_sensitive", True),
        _unused("averaging", True, "weights are always averaged"),
        *_PERCEPTRON,
        *_EXTRA,
    ),
    AROW: (*_FEATURES, _unused("variance", 1.0), _unused("gamma", 1.0), *_PERCEPTRON, *_EXTRA),
}


class Parameters:
    """Values of the parameters of an algorithm.

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
        """Return the names that python-crfsuite has, in its order."""
        return [parameter.name for parameter in self._known.values() if parameter.listed]

    def set(self, name: str | bytes, value: Any) -> None:
        """Set a parameter."""
        parameter = self._parameter(name)
        self._values[parameter.name] = parameter.read(value)

    def get(self, name: str | bytes) -> Any:
        """Return the value of a parameter."""
        return self._values[self._parameter(name).name]

    def help(self, name: str | bytes) -> str:
        """Return the description of a parameter."""
        return self._parameter(name).help

    def _parameter(self, name: str | bytes) -> Parameter:
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
        if not isinstance(text, str):
            raise FeatureError(f"expected the name of a parameter, got {name!r}")
        if text not in self._known:
            raise InputError(f"parameter not found: {text}; the algorithm {self.algorithm} has {', '.join(self._known)}")
        return self._known[text]
