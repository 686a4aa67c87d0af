"""Parameters of learners and trainers, each declared once.

The constructor with its checks, ``get_params``, ``set_params``, ``repr``, the keys of the configuration, the tuning ranges and
the reference page derive from the declaration. Loading a model imports this module, so that it imports no typing or dataclasses.
"""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING
from tagpool.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from typing_extensions import dataclass_transform

    Self = TypeVar("Self", bound="Parameters")
    Class = TypeVar("Class", bound="type[Parameters]")
else:

    def dataclass_transform(**_):  # noqa: D103 - typing has it for type checkers only
        return lambda decorated: decorated


LARGEST_INTEGER = (1 << 63) - 1  # that the native core reads
_REQUIRED: Any = object()
_SCALARS = ("None", "bool", "int", "float", "str")


class Exclusive(float):
    """A bound that is not part of the range: ``minimum=Exclusive(0)`` means above 0."""


class Parameter:
    """The declaration of one parameter. It checks every assignment; reading is an ordinary attribute."""

    __slots__ = ("choices", "default", "help", "kinds", "kw_only", "maximum", "minimum", "name", "tune", "types")

    name: str
    types: tuple[str, ...]
    default: Any
    help: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...] | None
    kinds: Callable[[], Mapping[str, Any]] | None
    tune: tuple[Any, ...] | None
    kw_only: bool

    def __init__(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self, name, value)

    def __set__(self, owner: Parameters, value: Any) -> None:
        problem = self.problem(value)
        if problem is not None:
            raise InputError(f"{type(owner).__name__}({self.name}={value!r}): {problem}")
        owner.__dict__[self.name] = value

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is _REQUIRED

    def problem(self, value: Any) -> str | None:
        """Return the error message for a value; None if the value is valid.

        >>> from tagpool import SGD
        >>> SGD.parameters()["epochs"].problem(0)
        'expected a whole number from 1; the default is 30'
        """
        if (problem := self.native_problem(value)) is not None or self._accepts(value):
            return problem
        return f"expected {self.expected()}" + ("" if self.required else f"; the default is {self.default!r}")

    def native_problem(self, value: Any) -> str | None:
        """Return the error message for a text or number that the native core does not represent."""
        if isinstance(value, str) and not is_text(value):
            return "expected text; this has a lone surrogate, which UTF-8 does not encode"
        if "int" in self.types and _whole(value) and value > LARGEST_INTEGER:
            return "expected a whole number below 2^63"
        return None

    def _accepts(self, value: Any) -> bool:
        types = self.types
        if value is None:
            return "None" in types
        if isinstance(value, str):
            choices = self.accepted_words()
            return value in choices if choices else "str" in types
        if type(value).__name__ in ("bool", "bool_"):
            return "bool" in types
        if "int" in types and _whole(value):
            return self._in_range(value)
        if "float" in types and (number := _number(value)) is not None:
            return number - number == 0 and self._in_range(number)  # neither infinite nor NaN
        return any(name not in _SCALARS for name in types) and _number(value) is None

    def _in_range(self, value: Any) -> bool:
        low, high = self.minimum, self.maximum
        if low is not None and (value <= low if isinstance(low, Exclusive) else value < low):
            return False
        return high is None or not (value >= high if isinstance(high, Exclusive) else value > high)

    def accepted_words(self) -> tuple[str, ...]:
        """Return the strings that are valid; empty if every string is."""
        if self.kinds is not None and "str" in self.types:
            return tuple(self.kinds())
        return tuple(self.choices or ())

    def expected(self, names: Mapping[str, str] | None = None) -> str:
        """Return the valid values in words; ``names`` has other words for types, and an empty word omits a type.

        >>> from tagpool import SGD
        >>> SGD.parameters()["dropout"].expected()
        'a number from 0 to less than 1'
        """
        parts = [repr(word) for word in self.accepted_words()]
        words = {"bool": "True or False", "int": f"a whole number{self._range()}", "float": f"a number{self._range()}"}
        words |= {"str": "text", "None": "None", **(names or {})}
        parts += [words.get(name, f"a {name}") for name in self.types if (name != "str" or not parts) and words.get(name) != ""]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"

    def _range(self) -> str:
        low = (
            "" if self.minimum is None else f" {'above' if isinstance(self.minimum, Exclusive) else 'from'} {_show(self.minimum)}"
        )
        high = "" if self.maximum is None else f" to {'less than ' * isinstance(self.maximum, Exclusive)}{_show(self.maximum)}"
        return low + high


def parameter(
    *,
    default: Any = _REQUIRED,
    help: str,  # noqa: A002 - the usual name
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] | None = None,
    kinds: Callable[[], Mapping[str, Any]] | None = None,
    tune: tuple[Any, ...] | None = None,
    kw_only: bool = True,
) -> Any:
    """Declare a parameter: ``l2: float = parameter(default=1.0, minimum=0, help="…")``.

    ``kinds`` returns the classes by name where the value is an object with parameters; ``tune`` is the range to search: the
    lowest and the highest number, or the words to try. A parameter without a default is required.
    """
    return Parameter(**locals())


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
def declare_parameters(cls: Class) -> Class:
    """Collect the parameters that a class declares, after those of its bases."""
    declared = dict(cls.parameters())
    for name, value in list(cls.__dict__.items()):
        if type(value) is Parameter:
            value.name = name
            value.types = tuple(cls.__annotations__[name].split(" | "))
            declared[name] = value
    cls._declared = declared
    return cls


class _Signature:
    """The constructor's signature, built when ``help`` or ``inspect.signature`` needs it."""

    def __get__(self, instance: object, owner: type[Parameters]) -> Any:
        from inspect import Parameter as Argument
        from inspect import Signature

        arguments = [
            Argument(
                declared.name,
                Argument.KEYWORD_ONLY if declared.kw_only else Argument.POSITIONAL_OR_KEYWORD,
                default=Argument.empty if declared.required else declared.default,
                annotation=" | ".join(declared.types),
            )
            for declared in sorted(owner.parameters().values(), key=lambda declared: declared.kw_only)
        ]
        return Signature(arguments)


class Parameters:
    """An object whose constructor arguments are declared parameters, with the conventions of scikit-learn."""

    _declared: Mapping[str, Parameter] = {}
    __signature__ = _Signature()

    def __init__(self, *positional: Any, **named: Any) -> None:
        declared = self._declared
        allowed = [name for name, parameter in declared.items() if not parameter.kw_only]
        if len(positional) > len(allowed):
            raise TypeError(
                f"{type(self).__name__}() takes {counted(len(allowed), 'positional argument')}, got {len(positional)}"
            )
        arguments = dict(zip(allowed, positional, strict=False))
        if twice := arguments.keys() & named.keys():
            raise TypeError(f"{type(self).__name__}() got several values for {twice.pop()!r}")
        arguments |= named
        for name in arguments:
            if name not in declared:
                raise TypeError(f"{type(self).__name__}() got an unexpected argument {name!r}; {self._nearest(name)}")
        for name, parameter in declared.items():
            if parameter.required and name not in arguments:
                raise TypeError(f"{type(self).__name__}() needs {name!r}: {parameter.help}")
            self.__dict__[name] = parameter.default
        for name, value in arguments.items():
            setattr(self, name, value)

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """Return the declared parameters by name, in order."""
        return cls._declared

    def idle_parameters(self) -> frozenset[str]:
        """Return the names of parameters that have no effect with the values of the others, or that must keep their default.

        >>> from tagpool import CRF, OWLQN
        >>> sorted(CRF().idle_parameters()), sorted(CRF(trainer=OWLQN()).idle_parameters())
        (['l1'], [])
        """
        return frozenset()

    @classmethod
    def _nearest(cls, name: str) -> str:
        from difflib import get_close_matches

        names = list(cls.parameters())
        close = get_close_matches(name, names, 1, cutoff=0.5)
        return f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(names)}"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments; with ``deep`` also those of nested objects, as ``name__inner``.

        >>> from tagpool import SGD
        >>> SGD(epochs=3).get_params()["epochs"]
        3
        """
        values = {name: getattr(self, name) for name in self.parameters()}
        if deep:
            for name, value in list(values.items()):
                if isinstance(value, Parameters):
                    values |= {f"{name}__{inner}": nested for inner, nested in value.get_params().items()}
        return values

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set arguments by name, ``name__inner`` for those of a nested object.

        >>> from tagpool import SGD
        >>> SGD().set_params(epochs=3)
        SGD(epochs=3)
        >>> from tagpool import CRF
        >>> CRF(trainer="lbfgs").set_params(trainer__iterations=50)
        CRF(trainer=LBFGS(iterations=50))
        """
        before = {name: getattr(self, name) for name in self.parameters()}
        try:
            self._set_params(parameters)
        except Exception:
            self.__dict__.update(before)  # a wrong value changes nothing
            raise
        return self

    def _set_params(self, parameters: Mapping[str, Any]) -> None:
        nested: dict[str, dict[str, Any]] = {}
        for name, value in parameters.items():
            outer, _, inner = name.partition("__")
            if outer not in self.parameters():
                raise InputError(f"{type(self).__name__} has no parameter {outer!r}; {self._nearest(outer)}")
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, outer, value)
        for outer, values in nested.items():  # after the objects themselves
            self._create_nested(outer)
            if not isinstance(getattr(self, outer), Parameters):
                name = f"{outer}__{next(iter(values))}"
                raise InputError(f"{name}: {outer}={getattr(self, outer)!r} has no parameters; pass an object that has them")
            getattr(self, outer).set_params(**values)

    def _create_nested(self, name: str) -> None:
        """Replace the kind of a nested object by an object with its defaults."""
        value, kinds = getattr(self, name), self.parameters()[name].kinds
        if isinstance(value, str) and kinds is not None:
            setattr(self, name, kinds()[value]())

    def __repr__(self) -> str:
        declared = self.parameters()
        shown = [
            f"{name}={value!r}" for name, value in self.get_params(deep=False).items() if not _same(value, declared[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        target = TargetTags(required=True, multi_output=True)
        return Tags(estimator_type=None, target_tags=target, input_tags=InputTags(two_d_array=False, string=True))


def _show(bound: float) -> str:
    return f"{bound:g}" if abs(bound) < 1e6 else f"{int(bound):,}"


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def is_text(value: str) -> bool:
    """Return whether UTF-8 encodes a text: it has no lone surrogates.

    >>> is_text("a"), is_text("\\ud800")
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(value: Any) -> bool:
    try:
        value.__index__()
    except (AttributeError, TypeError):
        return False
    return True


def _number(value: Any) -> float | None:
    if isinstance(value, type) or hasattr(value, "__len__") or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number above the range of float
        return float("inf")
