"""One run of a peer: integer codes out to its own process, integer codes back, the time it took, or why not.

The driver is given one JSON file: `codes` (a CSV of integer codes with a header), `domain` (codes of every
column by its name, in the order of the file), `method`, `epsilon`, `delta`, `seed`, `rows` to make, and two
paths to write: `made` (a CSV like the first) and `timed` ({"seconds": from the table in memory to the
synthetic one, without imports, "cpu_seconds": those in which it computed}). It leaves this process's cores
and threads as they are.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from synth.bench import stopwatch
from synth.bench.peers import homes
from synth.bench.peers.catalogue import Peer
from synth.bench.tables import BenchTable
from synth.errors import MarginaliaError
from synth.table import CodeTable


class PeerFailed(MarginaliaError):
    """A peer gave no table: it did not end in time, ended with an error, or broke the domain."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """What came back. Seconds of the method alone and of its whole process; the process's peak memory."""

    synthetic: CodeTable
    seconds: float
    cpu_seconds: float
    process_seconds: float
    peak_mb: float


def run(
    peer: Peer,
    table: BenchTable,
    real: CodeTable,
    *,
    epsilon: float,
    delta: float,
    seed: int,
    limit: float,
) -> Made:
    """Errors: NotInstalled, PeerFailed."""
    python = homes.interpreter(peer.library)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        codes = folder / "codes.csv"
        request = {
            "codes": str(codes),
            "domain": declared(table, real),
            "method": peer.method,
            "epsilon": epsilon,
            "delta": delta,
            "seed": seed,
            "rows": real.rows,
            "made": str(folder / "made.csv"),
            "timed": str(folder / "timed.json"),
        }
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        header = ",".join(real.domain.names)
        np.savetxt(codes, real.codes, fmt="%d", delimiter=",", header=header, comments="")
        asked = [str(python), str(peer.library.driver), str(folder / "request.json")]
        _watched(asked, folder, limit)
        outer = json.loads((folder / "watched.json").read_text(encoding="utf-8"))
        inner = json.loads((folder / "timed.json").read_text(encoding="utf-8"))
        synthetic = _read(folder / "made.csv", real)
    return Made(
        synthetic=synthetic,
        seconds=inner["seconds"],
        cpu_seconds=inner["cpu_seconds"],
        process_seconds=outer["seconds"],
        peak_mb=outer["peak_mb"],
    )


def declared(table: BenchTable, real: CodeTable) -> dict[str, int]:
    """The codes of every column. Of a coded set only the declared ones: our own code for whatever lies
    outside a declaration is empty there, and would be a burden to others."""
    sizes = dict(zip(real.domain.names, real.domain.sizes, strict=True))
    if table.as_values:
        return sizes
    return {c.name: len(c.values) for c in table.schema.modelled if c.name in sizes}


def _watched(asked: list[str], folder: Path, limit: float) -> None:
    """Run under the stopwatch in a session of its own, which is ended whole when time is up."""
    watched = [sys.executable, stopwatch.__file__, str(folder / "watched.json"), *asked]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            watched,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            raise PeerFailed(f"stopped after {limit:.0f} seconds") from None
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if code != 0:
        lines = (folder / "said").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise PeerFailed(f"ended with code {code}: {(lines or ['no word of why'])[-1]}")


def _read(made: Path, real: CodeTable) -> CodeTable:
    with made.open(encoding="utf-8") as lines:
        header = lines.readline().strip().split(",")
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
    if sorted(header) != sorted(real.domain.names) or len(rows) == 0:
        raise PeerFailed("gave a table of other columns, or none")
    rows = rows[:, [header.index(name) for name in real.domain.names]]
    if (rows < 0).any() or (rows >= np.array(real.domain.sizes)).any():
        raise PeerFailed("gave codes outside the domain")
    return CodeTable(real.domain, rows)
