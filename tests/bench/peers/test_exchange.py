import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers.catalogue import Library, Peer
from synth.bench.peers.exchange import run
from synth.bench.tables.tables import BenchTable, read, schema_of
from synth.bench.trials.processes import RunFailed

DRIVER = """
import json, os, subprocess, sys, time
asked = json.load(open(sys.argv[1]))
assert list(asked["domain"]) == open(asked["codes"]).readline().strip().split(",")
if asked["method"] == "slow":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    with open({pid!r} + ".part", "w") as out:
        out.write(str(child.pid))
    os.rename({pid!r} + ".part", {pid!r})
    time.sleep(3600)
if asked["method"] == "broken":
    raise RuntimeError("out of luck")
text = open(asked["codes"]).read()
if asked["method"] == "wild":
    text = text.replace("\\n1,", "\\n9,")
open(asked["made"], "w").write(text)
json.dump({{"seconds": 1.25, "cpu_seconds": 0.5}}, open(asked["timed"], "w"))
"""


@pytest.fixture
def table(tmp_path: Path) -> BenchTable:
    (tmp_path / "twins.csv").write_text("b,a\n" + "".join(f"{i % 3},{i % 2}\n" for i in range(300)))
    return BenchTable(
        name="twins", csv=tmp_path / "twins.csv", schema=schema_of("twins", {"a": 2, "b": 3}, ())
    )


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "drive.py").write_text(DRIVER.format(pid=str(tmp_path / "pid")))
    library = Library(name="mirror", driver=tmp_path / "drive.py", installs=(), neighbours="none", caveats=())
    return Peer(library=library, method="copy", settings="none")


def away(peer: Peer, table: BenchTable, *, method: str = "copy", limit: float = 300.0) -> object:
    requested = Peer(library=peer.library, method=method, settings="none")
    return run(requested, table, read(table), epsilon=1.0, delta=1e-9, seed=0, limit=limit)


def test_codes_go_out_and_come_back_with_their_times(peer: Peer, table: BenchTable) -> None:
    synthetic, figures = run(peer, table, read(table), epsilon=1.0, delta=1e-9, seed=0, limit=300)
    np.testing.assert_array_equal(synthetic.codes, read(table).codes)
    assert figures["seconds"] == 1.25 and figures["cpu_seconds"] == 0.5
    assert figures["process_seconds"] > 0 and figures["peak_mb"] > 1


def test_a_peer_that_breaks_or_leaves_the_domain_gives_no_table(peer: Peer, table: BenchTable) -> None:
    with pytest.raises(RunFailed, match="out of luck"):
        away(peer, table, method="broken")
    with pytest.raises(RunFailed, match="outside the domain"):
        away(peer, table, method="wild")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_peer_out_of_time_is_ended_with_its_children(peer: Peer, table: BenchTable, tmp_path: Path) -> None:
    away(peer, table)  # so that the environment is there when time begins to count
    for limit in (5, 40, 320):  # a loaded machine may not even start it in the first of them
        with pytest.raises(RunFailed, match=f"stopped after {limit} seconds"):
            away(peer, table, method="slow", limit=limit)
        if (tmp_path / "pid").exists():
            break
    pid, deadline = int((tmp_path / "pid").read_text()), time.monotonic() + 600
    while _lives(pid) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_the_python_of_a_peer_is_not_ours(peer: Peer, table: BenchTable, tmp_path: Path) -> None:
    away(peer, table)
    (python,) = (tmp_path / "cache").rglob("bin/python")
    prefix = subprocess.run(
        [python, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True
    )
    assert prefix.stdout.strip() != sys.prefix
