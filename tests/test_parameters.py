"""The declarations of parameters: the reference page, signatures and tuning ranges."""

from __future__ import annotations

import inspect
import runpy
from pathlib import Path

import pytest

from tagpool import CRF, SGD
from tagpool.cli.training.learners import LEARNERS
from tagpool.optim.trainers import TRAINERS
from tagpool.parameters import Parameters

CLASSES = [*LEARNERS.values(), *TRAINERS.values()]


def test_the_reference_page_is_up_to_date() -> None:
    tool = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "parameter_reference.py"))
    assert tool["PAGE"].read_text(encoding="utf-8") == tool["page"](), "run python tools/parameter_reference.py"


@pytest.mark.parametrize("declared", CLASSES)
def test_every_parameter_has_help_and_a_valid_default(declared: type[Parameters]) -> None:
    for name, parameter in declared.parameters().items():
        assert parameter.help.endswith("."), name
        assert parameter.required or parameter.problem(parameter.default) is None, name
        for value in parameter.tune or ():
            assert parameter.problem(value) is None, name


def test_the_signature_is_that_of_the_declarations() -> None:
    signature = inspect.signature(CRF)
    assert list(signature.parameters) == list(CRF.parameters())
    assert signature.parameters["templates"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert signature.parameters["l2"].default == 1.0
    assert str(inspect.signature(SGD)).startswith("(*, epochs: 'int' = 10")
