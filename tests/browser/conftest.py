"""Fixtures: a real server, and stewards with a real browser; skipped with a reason where there is none."""

from __future__ import annotations

import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

import pytest

from synth.app.jobs.process import Process
from synth.app.jobs.store import Job
from tests.browser.server import PATIENCE, ROOT, Server, chromium, serving
from tests.browser.steward import Steward


def held(server: Server, run: str, *, answers: int) -> Process:
    """Stop a run's worker (SIGSTOP) between two answers, `answers` or more after its start.

    It is stopped while this process holds the ledger's write lock, so it holds no lock itself.
    """
    deadline, job = time.monotonic() + PATIENCE, Job(server.home / "jobs" / run)
    while not server.ledger.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    count = "SELECT count(*) FROM entry WHERE kind = 'charge' AND run = ?"
    with closing(sqlite3.connect(server.ledger, timeout=600, isolation_level=None)) as lock:
        while time.monotonic() < deadline:
            lock.execute("BEGIN IMMEDIATE")
            ready = lock.execute("SELECT 1 FROM sqlite_schema WHERE name = 'entry'").fetchone()
            worker = job.process()
            asked = bool(ready) and lock.execute(count, (run,)).fetchone()[0] >= answers
            if asked and worker is not None:
                worker.signal(signal.SIGSTOP)
            lock.execute("ROLLBACK")
            if asked and worker is not None:
                return worker
            time.sleep(0.002)
    raise AssertionError("the run was not caught in its middle")


@pytest.fixture
def hold(server: Server) -> Iterator[Callable[..., Process]]:
    """`held` for this server; whatever it stopped is ended when the test is over."""
    kept: list[Process] = []

    def keep(run: str, *, answers: int = 16) -> Process:
        kept.append(held(server, run, answers=answers))
        return kept[-1]

    yield keep
    for process in kept:
        process.signal(signal.SIGKILL)


@pytest.fixture
def serve() -> Callable[..., AbstractContextManager[Server]]:
    """`serving`, for a test with another program."""
    return serving


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path, [sys.executable, "-m", "synth"], cwd=ROOT) as server:  # as `make run` does
        yield server


@pytest.fixture
def people(server: Server) -> Iterator[Callable[..., Steward]]:
    """As many stewards as a test needs, each by name and with a browser of their own."""
    with ExitStack() as house:

        def come(name: str, *, listen: bool = False) -> Steward:
            driver = chromium(server.place / name, listen=listen)
            house.callback(driver.quit)
            return Steward(driver, server)

        yield come


@pytest.fixture
def steward(server: Server, tmp_path: Path) -> Iterator[Steward]:
    driver = chromium(tmp_path)
    try:
        yield Steward(driver, server)
    finally:
        driver.quit()
