"""The declarations of parameters: the reference page, signatures and tuning ranges."""

from __future__ import annotations

import inspect
import math
import runpy
from pathlib import Path

import numpy as np
import pytest

from tagpool import CRF, SGD, InputError
from tagpool.cli.training.learners import LEARNERS
from tagpool.optim.trainers import TRAINERS
from tagpool.parameters import Exclusive, Parameters, declare_parameters, parameter

CLASSES = [*LEARNERS.values(), *TRAINERS.values()]


def test_the_reference_page_is_up_to_date() -> None:
    tool = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "parameter_reference.py"))
    assert tool["PAGE"].read_text(encoding="utf-8") == tool["page"](), "run python tools/parameter_reference.py"


@pytest.mark.parametrize("declared", CLASSES)
def test_every_parameter_has_help_and_a_valid_default(declared: type[Parameters]) -> None:
    for name, item in declared.parameters().items():
        assert item.help.endswith("."), name
        assert item.required or item.problem(item.default) is None, name
        for value in item.tune or ():
            assert item.problem(value) is None, name


def test_the_signature_is_that_of_the_declarations() -> None:
    signature = inspect.signature(CRF)
    assert list(signature.parameters) == list(CRF.parameters())
    assert signature.parameters["templates"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert signature.parameters["l2"].default == 1.0
    assert str(inspect.signature(SGD)).startswith("(*, epochs: 'int' = 30")


@declare_parameters
class Inner(Parameters):
    """Parameters of a nested object."""

    size: int = parameter(default=3, minimum=1, maximum=9, help="Size.")


@declare_parameters
class Base(Parameters):
    """Parameters of every kind."""

    path: str = parameter(kw_only=False, help="Path.")
    rate: float = parameter(default=0.5, minimum=Exclusive(0), maximum=Exclusive(1), help="Rate.")
    limit: int | None = parameter(default=None, minimum=2, help="Limit.")
    mode: str = parameter(default="fast", choices=("fast", "exact"), help="Mode.")
    inner: str | Inner = parameter(default="small", kinds=lambda: {"small": Inner}, help="Inner.")
    verbose: bool = parameter(default=False, help="Verbose.")


@declare_parameters
class Derived(Base):
    """A class with one more parameter."""

    table: dict | float = parameter(default=1.0, maximum=2.0, help="Table.")


VALID = {
    "path": ["", "any text"],
    "rate": [1e-9, 0.999, np.float32(0.5)],
    "limit": [None, 2, 10**9, np.int64(2)],
    "mode": ["fast", "exact"],
    "inner": ["small", Inner()],
    "verbose": [True, False, np.bool_(True)],
    "table": [{}, {"a": 1}, 2.0, -1e9, 1],
}
INVALID = {
    "path": [None, 1, 1.5, True, b"bytes", Inner()],
    "rate": [0, 0.0, 1, 1.0, -1, math.inf, math.nan, None, "0.5", True, [0.5], np.array([0.5])],
    "limit": [1, -3, 2.0, "3", False, math.inf],
    "mode": ["", "slow", None, 1],
    "inner": ["large", None, 3, 2.5, True],
    "verbose": [0, 1, None, "yes", 1.0],
    "table": [2.1, math.inf, -math.inf, math.nan, "a", None, True],
}
EXPECTED = {
    "path": "expected text",
    "rate": "expected a number above 0 to less than 1; the default is 0.5",
    "limit": "expected a whole number from 2 or None; the default is None",
    "mode": "expected 'fast' or 'exact'; the default is 'fast'",
    "inner": "expected 'small' or a Inner; the default is 'small'",
    "verbose": "expected True or False; the default is False",
    "table": "expected a dict or a number to 2; the default is 1.0",
}


@pytest.mark.parametrize("name", VALID)
def test_values_are_checked_on_assignment(name: str) -> None:
    for value in VALID[name]:
        example = Derived(**{"path": "x", name: value})
        assert getattr(example, name) is value
    for value in INVALID[name]:
        with pytest.raises(InputError) as error:
            Derived(**{"path": "x", name: value})
        assert str(error.value) == f"Derived({name}={value!r}): {EXPECTED[name]}"
        example = Derived("x")
        before = getattr(example, name)
        with pytest.raises(InputError):
            setattr(example, name, value)
        assert getattr(example, name) is before


def test_a_declaration_has_all_its_fields() -> None:
    fields = {"default": 2, "help": "Size.", "minimum": 1, "maximum": 3, "choices": ("a",), "kinds": dict, "tune": (1, 2)}
    for kw_only in (True, False):
        declared = parameter(**fields, kw_only=kw_only)
        assert {name: getattr(declared, name) for name in fields} == fields
        assert declared.kw_only is kw_only
    short = parameter(help="Path.")
    assert short.required
    assert short.kw_only
    assert [getattr(short, name) for name in ("minimum", "maximum", "choices", "kinds", "tune")] == [None] * 5


def test_declarations_are_inherited_and_in_order() -> None:
    assert list(Base.parameters()) == ["path", "rate", "limit", "mode", "inner", "verbose"]
    assert list(Derived.parameters()) == [*Base.parameters(), "table"]
    assert [name for name, declared in Derived.parameters().items() if declared.required] == ["path"]
    assert Derived.parameters()["table"].types == ("dict", "float")
    assert [declared.kw_only for declared in Base.parameters().values()] == [False] + [True] * 5
    signature = str(inspect.signature(Base))
    assert signature.startswith("(path: 'str', *, rate: 'float' = 0.5, limit: 'int | None' = None, mode")


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ([], {}, "Base() needs 'path': Path."),
        (["x", 0.1], {}, "Base() takes 1 positional argument, got 2"),
        (["x"], {"path": "y"}, "Base() got several values for 'path'"),
        (["x"], {"limmit": 3}, "Base() got an unexpected argument 'limmit'; did you mean 'limit'?"),
        (
            ["x"],
            {"zzz": 3},
            "Base() got an unexpected argument 'zzz'; expected one of path, rate, limit, mode, inner, verbose",
        ),
    ],
)
def test_arguments_that_do_not_match_the_signature(arguments: list[object], named: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError) as error:
        Base(*arguments, **named)
    assert str(error.value) == message


def test_getting_and_setting() -> None:
    example = Base("x", inner=Inner(size=4))
    values = {"path": "x", "rate": 0.5, "limit": None, "mode": "fast", "inner": example.inner, "verbose": False}
    assert example.get_params(deep=False) == values
    assert example.get_params() == values | {"inner__size": 4}
    assert example.set_params(rate=0.25, inner__size=9) is example
    assert (example.rate, example.inner.size) == (0.25, 9)
    assert repr(example) == "Base(path='x', rate=0.25, inner=Inner(size=9))"
    assert repr(Base("x", rate=0.5, limit=None, verbose=False)) == "Base(path='x')"
    assert repr(Derived("x", table=1)) == "Derived(path='x', table=1)"
    for named, message in [
        ({"modes": 1}, "Base has no parameter 'modes'; did you mean 'mode'?"),
        ({"inner__size": 10}, "Inner(size=10): expected a whole number from 1 to 9; the default is 3"),
        ({"rate__size": 1}, "rate__size: rate=0.25 has no parameters; pass an object that has them"),
    ]:
        with pytest.raises(InputError) as error:
            example.set_params(**named)
        assert str(error.value) == message
    assert Base("x").rate == 0.5


def test_the_tags_of_scikit_learn() -> None:
    tags = CRF().__sklearn_tags__()
    assert tags.estimator_type is None
    assert (tags.target_tags.required, tags.target_tags.multi_output) == (True, True)
    assert (tags.input_tags.two_d_array, tags.input_tags.string) == (False, True)
