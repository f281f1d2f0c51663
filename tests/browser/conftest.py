"""A real server on a free port and a real headless Chromium; skipped with a reason where there is none."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

ROOT = Path(__file__).parents[2]
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
SHOTS = ROOT / "assets" / "screenshots"
PATIENCE = 60.0
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)


@dataclass(frozen=True)
class Server:
    """A running app with a home of its own."""

    url: str
    home: Path


class Steward:
    """What a person does with a page: look, click, type, wait for it to settle."""

    def __init__(self, driver: WebDriver, server: Server) -> None:
        self.driver, self.server = driver, server

    def wait(self, sight: Callable[[], object], *, what: str, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if sight():
                    return
            except (StaleElementReferenceException, WebDriverException):
                pass
            time.sleep(0.1)
        raise AssertionError(f"never saw {what}; the page says: {self.text()[-800:]}")

    def settle(self) -> None:
        time.sleep(0.25)  # a click takes a moment to reach the server
        self.wait(lambda: self.all(IDLE), what="an idle page")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self) -> str:
        return str(self.driver.find_element(By.TAG_NAME, "body").text)

    def see(self, words: str, *, seconds: float = PATIENCE) -> None:
        self.wait(lambda: words in self.text(), what=repr(words), seconds=seconds)

    def open(self, path: str = "") -> None:
        self.driver.get(self.server.url + path)
        self.settle()

    def click(self, key: str) -> None:
        """Press the button of a widget key."""
        self.wait(lambda: self.all(f".st-key-{key} button"), what=f"the button {key}")
        button = self.all(f".st-key-{key} button")[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        self.settle()

    def type(self, key: str, words: str) -> None:
        """Replace the content of a box and leave it."""
        selector = f".st-key-{key} input, .st-key-{key} textarea"
        self.wait(lambda: self.all(selector), what=f"the box {key}")
        box = self.all(selector)[0]
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(words, Keys.TAB)
        self.settle()

    def dom(self) -> str:
        return str(self.driver.execute_script("return document.documentElement.outerHTML"))

    def shoot(self, name: str, *, themes: tuple[str, ...] = ("light", "dark")) -> None:
        """Keep a picture of the whole page in these themes, if asked to."""
        if os.environ.get("MARGINALIA_SCREENSHOTS") != "1":
            return
        SHOTS.mkdir(exist_ok=True)
        self.driver.execute_script("document.activeElement.blur()")
        for theme in themes:
            media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            self.settle()
            height = self.driver.execute_script(
                "return document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight + 16"
            )
            size = {"width": 1280, "height": max(int(height), 720), "deviceScaleFactor": 1, "mobile": False}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            time.sleep(1.5)
            self.driver.save_screenshot(str(SHOTS / f"{name}-{theme}.png"))
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        )
        self.settle()

    def choose(self, words: str, *, key: str = "") -> None:
        """Press one segment of a row of choices, or one of a column of them, in the widget of a key."""
        within = f".st-key-{key} " if key else ""
        selector = f'{within}[data-testid^="stButtonGroup"] button, {within}[data-testid="stRadioOption"]'

        def found() -> list[WebElement]:
            return [b for b in self.all(selector) if words in b.text]

        self.wait(found, what=f"the choice {words}")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found()[0])
        found()[0].click()
        self.settle()

    def pick(self, key: str, words: str) -> None:
        """Type into a box with a list, and take what is offered or what was typed."""
        self.wait(lambda: self.all(f".st-key-{key} input"), what=f"the list {key}")
        box = self.all(f".st-key-{key} input")[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
        box.click()
        box.send_keys(words)
        time.sleep(0.3)  # the list narrows while one types
        box.send_keys(Keys.ENTER)
        self.settle()

    def tick(self, key: str) -> None:
        """Press a box to tick or a switch."""
        self.wait(lambda: self.all(f".st-key-{key} label"), what=f"the box {key}")
        label = self.all(f".st-key-{key} label")[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", label)
        label.click()
        self.settle()

    def upload(self, name: str, path: Path) -> None:
        """Give a file to the box whose key ends so."""
        selector = f'[class*="st-key-"][class*="-{name}"] input[type="file"]'
        self.wait(lambda: self.all(selector), what=f"the file box {name}")
        self.all(selector)[0].send_keys(str(path))
        self.settle()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "MARGINALIA_HOME": str(home),
        "MARGINALIA_LEDGER": str(tmp_path / "ledger.sqlite"),
        "MARGINALIA_FOLDER": str(tmp_path / "tables"),
        "TMPDIR": str(tmp_path),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "streamlit", "run", "synth/ui/serve.py", f"--server.port={port}"]
    with (tmp_path / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for_health(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield Server(f"http://127.0.0.1:{port}", home)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)


def _wait_for_health(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it was ready"
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not become ready in a minute")


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[WebDriver]:
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Chromium or its driver is not installed here (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path / 'profile'}")
    options.add_experimental_option("prefs", {"download.default_directory": str(tmp_path / "downloads")})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def steward(browser: WebDriver, server: Server) -> Steward:
    return Steward(browser, server)
