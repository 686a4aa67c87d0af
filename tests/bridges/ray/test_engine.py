"""Values of an engine, and errors before Ray starts."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import tagpool
from tagpool import CRF, InputError, builtin_corpus
from tagpool.bridges.ray import Ray
from tagpool.bridges.ray.session import check_version
from tagpool.cli.engine_options import EngineOptions


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"workers": 0}, "workers = 0: expected a whole number from 1"),
        ({"workers": -1}, "workers = -1"),
        ({"workers": True}, "workers = True"),
        ({"workers": 1.5}, "expected a number of workers, got float"),
        ({"address": 6379}, "expected the address of a Ray cluster"),
        ({"cpus": 0}, "cpus = 0: expected a number above 0"),
        ({"timeout": float("inf")}, "timeout = inf"),
        ({"timeout": "1"}, "timeout = '1'"),
    ],
)
def test_bad_values(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ray(**values)


def test_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'tagpool\[ray\]'"):
        CRF("word[0]", trainer="owlqn").fit(builtin_corpus(5), engine=Ray())


def test_versions() -> None:
    check_version("10.0.0.7", tagpool.__version__, "avx2")
    with pytest.raises(
        InputError, match=r"10.0.0.7: the machine has tagpool 9.9.9, and this one .*pip install 'tagpool\[ray\]=="
    ):
        check_version("10.0.0.7", "9.9.9", "avx2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (EngineOptions("spark"), "--engine spark: expected local or ray"),
        (EngineOptions(workers=2), "--workers: add --engine ray, or use --threads"),
        (EngineOptions(address="auto"), "--address: add --engine ray"),
        (EngineOptions("ray", workers=0), "--workers 0: expected a whole number from 1"),
    ],
)
def test_bad_options(options: EngineOptions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        options.create()


def test_options() -> None:
    assert EngineOptions().create() is None
    assert EngineOptions("ray").create() == Ray(workers=2)
    assert EngineOptions("ray", 3, "10.0.0.1:6379").create() == Ray(workers=3, address="10.0.0.1:6379")
