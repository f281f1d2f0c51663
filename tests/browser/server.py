"""The app on a free port with a home and a ledger of its own, and a headless Chromium to look at it."""

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds to wait for a page on a busy machine."""
RUN_PATIENCE = 600.0
"""Seconds to wait for the end of a run or another job."""
WIRE = """
  window.wire = {sent: -1e9, heard: 0};
  const send = WebSocket.prototype.send, known = new WeakSet();
  WebSocket.prototype.send = function (...words) {
    if (!known.has(this)) {
      known.add(this);
      this.addEventListener('message', () => { wire.heard = performance.now(); });
    }
    wire.sent = performance.now();
    return send.apply(this, words); }"""
"""Run before a page: when it last sent a word to the server, and when it last heard one."""
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic")
FLAGS += ("--no-first-run", "--disable-background-networking", "--disable-component-update")
FLAGS += ("--disable-sync", "--window-size=1280,1000")


@dataclass(frozen=True)
class Server:
    """A running app with a home and a ledger of its own; everything it writes lies under `place`."""

    url: str
    place: Path
    pid: int

    @property
    def home(self) -> Path:
        return self.place / "home"

    @property
    def ledger(self) -> Path:
        return self.place / "ledger.sqlite"


@contextmanager
def serving(
    place: Path, program: Sequence[str | Path], *, cwd: Path, command: Sequence[str] = ("app",)
) -> Iterator[Server]:
    """The app, started by a command of this program in this folder; what it writes lies in `place`."""
    home = place / "home"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "MARGINALIA_HOME": str(home),
        "MARGINALIA_LEDGER": str(place / "ledger.sqlite"),
        "MARGINALIA_FOLDER": str(place / "tables"),
        "TMPDIR": str(place),
        "OMP_NUM_THREADS": "1",
    }
    started = [*program, *command, f"--port={port}", "--no-browser"]
    with (place / "server.log").open("wb") as log:
        process = subprocess.Popen(
            started, cwd=cwd, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for_health(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield Server(f"http://127.0.0.1:{port}", place, process.pid)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE)


def _wait_for_health(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it was ready"
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not become ready")


def chromium(place: Path, *, listen: bool = False) -> WebDriver:
    """A browser with a profile and downloads of its own; `listen` keeps what goes over the wire."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Chromium or its driver is not installed here (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={place / 'profile'}")
    options.add_experimental_option("prefs", {"download.default_directory": str(place / "downloads")})
    if listen:
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(PATIENCE)
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WIRE})
    return driver
