"""A cluster that is not there, one without a card, one of two workers of which one has a card, and a library
that is the heavy half of neither."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.cluster import Cluster
from synth.app.jobs.elsewhere.executor import CARD, NO_CARD, prepared
from synth.core.errors import Mistake


def test_a_cluster_that_does_not_answer_is_a_sentence(
    tmp_path: Path, spies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synth.app.jobs.elsewhere.cluster._CONNECT_SECONDS", 0.5)
    task = prepared(tmp_path / "errand", "spy", order={"seed": 1}, files={"deep/word.txt": b"w"})
    with pytest.raises(Mistake, match=r"'tcp://127\.0\.0\.1:9' does not answer"):
        Cluster("tcp://127.0.0.1:9").do(task, spies.PUBLIC)


def test_without_a_card_it_is_done_on_the_processor_and_said(
    tmp_path: Path, spies, tried: Path, scheduler: str
) -> None:
    files = {"deep/word.txt": b"w"}
    task = prepared(tmp_path / "errand", "spy", order={"seed": 1, "device": "cuda"}, files=files)
    told: list[str] = []
    cluster = Cluster(scheduler, entry="spy_process")
    cluster.do(task, spies.PUBLIC, wants=CARD, report=lambda p: told.append(p.fact))
    assert NO_CARD in told and (task.answer() or {})["device"] == "cpu"


@pytest.fixture(scope="module")
def labelled(modules: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a scheduler with two workers, each started by itself as on a machine of its own: one
    says that it has a card, which it has not; and its process."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        line = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        line += ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--name"]
        hired = [subprocess.Popen([*line, "small"])]
        hired.append(subprocess.Popen([*line, "large", "--resources", f"{CARD}=1"]))
        with Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield cluster.scheduler_address, hired[1]
        for process in hired:
            process.terminate()
        for process in hired:
            process.wait(timeout=60)


@pytest.mark.long
def test_what_wants_a_card_goes_to_the_worker_that_says_it_has_one(
    tmp_path: Path, spies, tried: Path, labelled: tuple[str, subprocess.Popen[bytes]]
) -> None:
    address, large = labelled
    cluster, files = Cluster(address, entry="spy_process"), {"deep/word.txt": b"w"}
    done: dict[str, tuple[list[str], list[str], str]] = {}

    def do(name: str, *, wants: str) -> None:
        on, told = list[str](), list[str]()
        order = {"seed": 1, "device": "cuda", "steps": 8, "pause": 0.2}
        task = prepared(tmp_path / name, "spy", order=order, files=files)
        cluster.do(task, spies.PUBLIC, wants=wants, on=on.append, report=lambda p: told.append(p.fact))
        done[name] = on, told, (task.answer() or {})["device"]

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: do(name, wants=CARD), ("one", "two", "three")))
    for on, told, device in done.values():
        assert on == ["worker large"] and device == "cuda" and NO_CARD not in told
    do("any", wants="")
    assert done["any"][2] == "cpu" and NO_CARD not in done["any"][1]
    large.terminate()
    large.wait(timeout=60)
    do("late", wants=CARD)
    on, told, device = done["late"]
    assert on == ["worker small"] and device == "cpu" and NO_CARD in told


def test_the_library_is_not_imported_before_it_is_chosen() -> None:
    code = "import sys, synth.app.jobs.elsewhere.choice; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
