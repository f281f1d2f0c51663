"""Fixtures: one server and one browser for all tests, and others for tests that need their own."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browser.server import ROOT, Server, chromium, serving
from tests.browser.steward import Steward

PROGRAM = (sys.executable, "-m", "synth")
"""As `make run` starts the app."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("app"), PROGRAM, cwd=ROOT) as server:
        yield server


@pytest.fixture(scope="session")
def browser(server: Server) -> Iterator[WebDriver]:
    driver = chromium(server.place)
    yield driver
    driver.quit()


@pytest.fixture
def steward(server: Server, browser: WebDriver) -> Iterator[Steward]:
    """A new session in the common browser, without downloads of other tests."""
    for path in (server.place / "downloads").glob("*"):
        path.unlink()
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    yield Steward(browser, server)
    browser.get("about:blank")


@pytest.fixture
def program() -> Sequence[str | Path]:
    """What starts the app of `own_server`; a test may override it."""
    return PROGRAM


@pytest.fixture
def own_server(tmp_path: Path, program: Sequence[str | Path]) -> Iterator[Server]:
    """A server for one test, for example to search everything that it wrote."""
    with serving(tmp_path, program, cwd=ROOT if program is PROGRAM else tmp_path) as server:
        yield server


@pytest.fixture
def people(own_server: Server) -> Iterator[Callable[..., Steward]]:
    """As many stewards as a test needs at a server of its own, each by name and with an own browser."""
    with ExitStack() as stack:

        def come(name: str, *, listen: bool = False) -> Steward:
            driver = chromium(own_server.place / name, listen=listen)
            stack.callback(driver.quit)
            return Steward(driver, own_server)

        yield come
