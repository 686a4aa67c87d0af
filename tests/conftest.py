"""What all tests share: how long Hypothesis tries."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# No deadline: the first example of a test pays for imports, and slow machines are no failures.
settings.register_profile("tagpool", deadline=None, max_examples=70, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tagpool")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Drop the collected tests: pytest keeps their parameters until after the leak check of nanobind."""
    session.items.clear()
