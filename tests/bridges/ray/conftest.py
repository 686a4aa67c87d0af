"""Clusters of Ray. ``make scale`` installs Ray and runs the tests that need it; without it they are skipped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest

from tagpool.bridges.ray import Ray
from tagpool.bridges.ray.session import Session
from tagpool.experts.tasks import leave_tasks, use_tasks


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that start Ray, which takes long, unless they are wanted."""
    for item in items:
        starts_ray = "scale" in item.keywords or "session" in getattr(item, "fixturenames", ())
        if starts_ray and not os.environ.get("TAGPOOL_SCALE"):
            item.add_marker(pytest.mark.skip(reason="run them with make scale"))
        if "long" in item.keywords and not os.environ.get("TAGPOOL_LONG"):
            item.add_marker(pytest.mark.skip(reason="run them with make scale, without SHORT"))


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    """Ray with two workers on this machine; later sessions of the process use the same connection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray itself
        with Ray(workers=2).start() as started:
            token = use_tasks(None)  # fits without an engine stay in this process
            yield started
            leave_tasks(token)
