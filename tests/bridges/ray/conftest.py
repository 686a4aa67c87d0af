"""Clusters of Ray. ``make scale`` installs Ray and runs the tests that need it; without it they are skipped."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator

import pytest

from tagpool.bridges.ray import Ray
from tagpool.bridges.ray.session import Session

CLUSTERS = {"session", "ray_module"}
"""Fixtures that start Ray."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that start Ray, which takes long, unless they are wanted."""
    for item in items:
        if CLUSTERS & set(getattr(item, "fixturenames", ())) and not os.environ.get("TAGPOOL_SCALE"):
            item.add_marker(pytest.mark.skip(reason="run them with make scale"))
        if "long" in item.keywords and not os.environ.get("TAGPOOL_LONG"):
            item.add_marker(pytest.mark.skip(reason="run them with make scale, without SHORT"))


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    """Ray with two workers on this machine; later sessions of the process use the same connection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray itself
        with Ray(workers=2).start() as started:
            yield started


@pytest.fixture
def ray_module() -> Iterator[object]:
    """Ray without a connection, for tests that start clusters of their own."""
    ray = importlib.import_module("ray")
    if ray.is_initialized():
        pytest.skip("this process is connected already; run this file alone")
    yield ray
    ray.shutdown()
