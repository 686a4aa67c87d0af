"""Settings of all tests: Hypothesis, Ctrl-C, real corpora, a limit for tests that hang, and objects that outlive the tests."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import signal
import sys
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
TESTS = Path(__file__).parent
LRU_CACHE = type(functools.cache(len))


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


def pytest_unconfigure(config: pytest.Config) -> None:
    """Release the objects that tests keep in modules, parameters, fixtures and caches.

    Threads of a worker refer to its session until the interpreter ends, so nanobind would report these objects as leaked.
    """
    for value in gc.get_objects():
        if type(value) is LRU_CACHE:
            value.cache_clear()
    session = config.pluginmanager.get_plugin("session")
    for item in getattr(session, "items", []):
        vars(item).clear()
    getattr(getattr(session, "_fixturemanager", None), "_arg2fixturedefs", {}).clear()
    for name, module in list(sys.modules.items()):
        if name != __name__ and TESTS in Path(getattr(module, "__file__", None) or "/").parents:
            vars(module).clear()
            del sys.modules[name]  # mutmut runs pytest several times in one process, which imports them again
    gc.collect()
