"""The search space of a learner: the parameters that are declared with a range to search (``parameter(..., tune=...)``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.config_keys import FEATURES
from tagpool.errors import InputError
from tagpool.parameters import Parameter, Parameters

LOG_RATIO = 10.0  # of the highest to the lowest number of a logarithmic range
_DIGITS = 3  # of numbers that are tried: more make no difference, and fewer are easier to read

Path = tuple[str, ...]
"""The names of the parameters that lead to a value, such as ("trainer", "dropout")."""


@dataclass(frozen=True)
class Dimension:
    """One parameter of a search space.

    ``name`` is its key in a configuration. ``paths`` has the places of the value in the learner; the stages of a pool share the
    minimum count of features. ``bounds`` has the lowest and the highest number, or the words to try.
    """

    name: str
    paths: tuple[Path, ...]
    bounds: tuple[Any, ...]
    default: Any
    whole: bool = False

    @property
    def has_words(self) -> bool:
        """Whether the values are words."""
        return isinstance(self.bounds[0], str)

    @property
    def logarithmic(self) -> bool:
        """Whether the range has a logarithmic scale: of numbers above 0 that are not whole, with a large ratio.

        >>> Dimension("learner.l2", (("l2",),), (0.01, 10.0), 1.0).logarithmic
        True
        >>> Dimension("learner.trainer.dropout", (("trainer", "dropout"),), (0.0, 0.5), 0.0).logarithmic
        False
        """
        if self.has_words or self.whole:
            return False
        low, high = self.bounds
        return bool(low > 0 and high / low >= LOG_RATIO)

    @property
    def has_default(self) -> bool:
        """Whether the default is in the range."""
        if self.has_words:
            return self.default in self.bounds
        return self.default is not None and bool(self.bounds[0] <= self.default <= self.bounds[1])

    def suggest(self, trial: Any) -> Any:
        """Return the value of a trial of Optuna; numbers have three significant digits."""
        if self.has_words:
            return trial.suggest_categorical(self.name, self.bounds)
        low, high = self.bounds
        if self.whole:
            return trial.suggest_int(self.name, low, high)
        return float(f"{trial.suggest_float(self.name, low, high, log=self.logarithmic):.{_DIGITS}g}")

    def describe(self) -> str:
        """Return the range in words.

        >>> Dimension("learner.l2", (("l2",),), (0.01, 10.0), 1.0).describe()
        '0.01 to 10, logarithmic'
        """
        if self.has_words:
            return ", ".join(self.bounds)
        return f"{self.bounds[0]:g} to {self.bounds[1]:g}{', logarithmic' if self.logarithmic else ''}"


def search_space(learner: Parameters, fixed: Collection[str] = ()) -> list[Dimension]:
    """Return the parameters of a learner and its nested objects that have a range to search.

    Parameters that differ from their defaults, that are in ``fixed``, or that have no effect keep their values.

    >>> from tagpool import CRF
    >>> [one.name for one in search_space(CRF("ner", l2=0.5))]
    ['features.min_count', 'learner.trainer.dropout']
    """
    places: dict[str, list[Path]] = {}
    declared: dict[str, Parameter] = {}
    constant = set(fixed)
    known = []
    for path, owner in _owners(learner, ()):
        idle = owner.idle_parameters()
        for name, parameter in owner.parameters().items():
            if parameter.tune is None or name in idle:
                continue
            key = _key((*path, name))
            if key not in known:
                known.append(key)
            if getattr(owner, name) != parameter.default:
                constant.add(key)
            declared.setdefault(key, parameter)
            places.setdefault(key, []).append((*path, name))
    if not known:
        raise InputError(f"{type(learner).__name__} has no parameter with a range to search; choose another learner")
    for name in fixed:
        if name not in known:
            raise InputError(f"fixed: {name!r} has no range to search; expected some of {', '.join(known)}")
    space = [
        Dimension(key, tuple(places[key]), _bounds(one), one.default, _is_whole(one))
        for key, one in declared.items()
        if key not in constant
    ]
    if not space:
        raise InputError(f"every parameter that can be searched is set: {', '.join(known)}; leave out at least one of them")
    return space


def _key(path: Path) -> str:
    """Return the key of a parameter in a configuration."""
    return f"features.{path[-1]}" if path[-1] in FEATURES else ".".join(("learner", *path))


def _is_whole(declared: Parameter) -> bool:
    return "int" in declared.types and "float" not in declared.types


def _bounds(declared: Parameter) -> tuple[Any, ...]:
    assert declared.tune is not None
    return tuple(declared.tune)


def _owners(owner: Parameters, path: Path) -> Iterator[tuple[Path, Parameters]]:
    """Yield an object with parameters and those nested in it, each with its path."""
    yield path, owner
    for name, nested in _nested(owner).items():
        yield from _owners(nested, (*path, name))


def _nested(owner: Parameters) -> dict[str, Parameters]:
    """Return the nested objects with parameters by name; one that is given by its kind is created."""
    objects = {}
    for name, declared in owner.parameters().items():
        if declared.kinds is not None:
            value = getattr(owner, name)
            value = declared.kinds()[value]() if isinstance(value, str) else value
            if isinstance(value, Parameters):
                objects[name] = value
    return objects


def with_values(learner: Any, space: Sequence[Dimension], values: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of a learner with other values, by the names of dimensions.

    >>> from tagpool import CRF
    >>> with_values(CRF("ner"), search_space(CRF()), {"learner.l2": 0.1, "learner.trainer.dropout": 0.2})
    CRF(templates='ner', l2=0.1, trainer=SGD(dropout=0.2))
    """
    return _copy(learner, {path: values[one.name] for one in space if one.name in values for path in one.paths})


def _copy(owner: Parameters, values: Mapping[Path, Any]) -> Parameters:
    changes: dict[str, Any] = {path[0]: value for path, value in values.items() if len(path) == 1}
    for name, nested in _nested(owner).items():
        changes[name] = _copy(nested, {path[1:]: value for path, value in values.items() if path[0] == name})
    return type(owner)(**{**owner.get_params(deep=False), **changes})
