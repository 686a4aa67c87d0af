"""A real browser. ``make browser`` installs it and runs these tests; without it they are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("TAGPOOL_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 900}},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 360, "height": 780}, "is_mobile": True, "has_touch": True},
}
OpenPage = Callable[..., Any]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests unless they are wanted: they need packages and a browser that other tests do not."""
    if not os.environ.get("TAGPOOL_BROWSER"):
        for item in items:
            if "browser" in item.path.parts:
                item.add_marker(pytest.mark.skip(reason="run them with make browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; install it, or name it in TAGPOOL_CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield one
        one.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Return a function that opens an address; at the end, the page must have no errors and no requests to other hosts."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_one(address: str, mode: str = "light") -> Any:
        context = browser.new_context(**OPTIONS[mode], accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        origin = address.partition("/static")[0].rstrip("/") if address.startswith("http") else address
        allowed = (origin, "data:", "blob:")
        page.on("request", lambda request: request.url.startswith(allowed) or problems.append(f"request: {request.url}"))
        page.goto(address)
        page.problems = problems
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []


def take_screenshot(page: Any, name: str) -> None:
    """Write a picture of the whole page, if TAGPOOL_SCREENSHOTS names a folder."""
    if folder := os.environ.get("TAGPOOL_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def check_accessibility(page: Any) -> None:
    """Fail on serious violations that axe-core finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    violations = axe.run(page).response["violations"]
    serious = [
        f"{one['id']}: {one['help']}: {[node['html'] for node in one['nodes']][:3]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def check_width(page: Any) -> None:
    """Fail if the page scrolls sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@contextmanager
def expecting(problems: list[str], text: str) -> Iterator[None]:
    """Expect one message of the console with a text, and forget it."""
    yield
    assert any(text in one for one in problems)
    problems[:] = [one for one in problems if text not in one]
