"""Settings of all tests: examples of Hypothesis, Ctrl-C, the folder of real corpora, and a limit for tests that hang."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline: the first example of a test pays for imports, and slow machines are not failures.
settings.register_profile("tagpool", deadline=None, max_examples=70, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tagpool")

# A shell may start the tests with SIGINT ignored (nohup, background jobs); commands under test would inherit that and never stop.
with contextlib.suppress(ValueError):  # not in the main thread
    signal.signal(signal.SIGINT, signal.default_int_handler)

SECONDS = 900


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of the real corpora; the licences do not allow copies here, so tests are skipped without it."""
    folder = os.environ.get("TAGPOOL_DATA")
    if not folder:
        pytest.skip("TAGPOOL_DATA is not set")
    return Path(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that hangs, such as one that waits for a process which ignores Ctrl-C."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"{item.nodeid} took more than {SECONDS} seconds")

    try:
        before = signal.signal(signal.SIGALRM, stop)
    except ValueError:  # not in the main thread
        return (yield)
    signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
