"""Parameters of each training algorithm: names, defaults and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tagpool.compat.pycrfsuite.errors import FeatureError
from tagpool.errors import InputError

LBFGS, L2SGD, AP, PA, AROW = "lbfgs", "l2sgd", "averaged-perceptron", "passive-aggressive", "arow"
EXACT, SGD = "exact", "sgd"  # values of tagpool.trainer, besides lbfgs
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
_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")
_EXTRA = (
    Parameter("tagpool.threads", 1, "Number of threads of lbfgs; the result does not depend on it.", listed=False),
    Parameter(
        "tagpool.seed", 1, "Random seed; 1 gives the order of instances of a process that does not call srand().", listed=False
    ),
)
_EPOCHS = Parameter("max_iterations", 100, "Maximum number of epochs.")
_LOSS = Parameter("epsilon", 0.0, "Training stops when the mean loss of an instance is below this.")

ALGORITHMS: dict[str, tuple[Parameter, ...]] = {
    LBFGS: (
        *_FEATURES,
        Parameter("c1", 0.0, "L1 penalty: c1 times the sum of absolute weights. Above 0, OWL-QN trains."),
        _C2,
        Parameter("max_iterations", UNLIMITED, "Maximum number of iterations."),
        Parameter("num_memories", 6, "Number of steps in the L-BFGS approximation of the curvature."),
        Parameter("epsilon", 1e-5, "Training stops when the norm of the gradient is below epsilon times that of the weights."),
        _PERIOD,
        Parameter("delta", 1e-5, "Training stops if the loss falls by less than delta (relative) over a period."),
        Parameter("linesearch", "MoreThuente", f"Line search: {', '.join(_SEARCHES)}; with c1 always Backtracking.", _SEARCHES),
        Parameter("max_linesearch", 20, "Maximum number of trials of a line search."),
        Parameter(
            "tagpool.trainer",
            LBFGS,
            "lbfgs reaches the optimum; exact has CRFsuite's iterations; sgd is averaged stochastic descent: nearly as accurate "
            "and much faster.",
            (LBFGS, EXACT, SGD),
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
        Parameter("calibration.eta", 0.1, "First learning rate of the calibration."),
        Parameter("calibration.rate", 2.0, "Factor between the learning rates of the calibration."),
        Parameter("calibration.samples", 1000.0, "Number of instances of the calibration."),
        Parameter("calibration.candidates", 10, "Number of learning rates of the calibration that lower the loss."),
        Parameter("calibration.max_trials", 20, "Maximum number of learning rates of the calibration."),
        *_EXTRA,
    ),
    AP: (
        *_FEATURES,
        _EPOCHS,
        Parameter("epsilon", 0.0, "Training stops when the mean rate of wrong labels of an instance is below this."),
        *_EXTRA,
    ),
    PA: (
        *_FEATURES,
        Parameter("type", 1, "Update: 0 without slack variables, 1 for PA-I, 2 for PA-II."),
        Parameter("c", 1.0, "Aggressiveness: upper limit of a step (PA-I), or inverse of its damping (PA-II)."),
        Parameter("error_sensitive", True, "The margin is the square root of the number of wrong labels, not 1."),
        Parameter("averaging", True, "Average the weights over time."),
        _EPOCHS,
        _LOSS,
        *_EXTRA,
    ),
    AROW: (
        *_FEATURES,
        Parameter("variance", 1.0, "Variance of every weight at the start."),
        Parameter("gamma", 1.0, "Regularisation: a larger one makes smaller steps."),
        _EPOCHS,
        _LOSS,
        *_EXTRA,
    ),
}


def _show(value: Any) -> str:
    return f"{value:f}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)


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
            raise InputError(
                f"Bad arguments: algorithm={algorithm!r}, type={kind!r}; expected one of {known}, and the type 'crf1d'"
            )
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

    def is_default(self, name: str) -> bool:
        """Return whether a parameter has its default."""
        return bool(self.get(name) == self._known[name].default)

    def lines(self, names: Iterable[str], titles: Mapping[str, str] | None = None) -> list[str]:
        """Return the lines of the log for parameters; ``titles`` has the names in the log that differ."""
        return [f"{(titles or {}).get(name, name)}: {_show(self.get(name))}" for name in names]

    def help(self, name: str | bytes) -> str:
        """Return the description of a parameter."""
        return self._parameter(name).help

    def _parameter(self, name: str | bytes) -> Parameter:
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
        if not isinstance(text, str):
            raise FeatureError(f"expected the name of a parameter, got {name!r}")
        if text not in self._known:
            raise InputError(f"Parameter not found: {text}; the algorithm {self.algorithm} has {', '.join(self._known)}")
        return self._known[text]
