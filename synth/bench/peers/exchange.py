"""Run a peer in a separate process: exchange integer codes, and return the running time or the reason for a
failure.

The driver receives one JSON file: `codes` (a CSV of integer codes with a header), `domain` (the number of
codes of every column by name, in the order of the file), `method`, `epsilon`, `delta`, `seed`, `rows` (the
number of rows to generate), and the paths of two files that it writes: `made` (a CSV like the first) and
`timed` ({"seconds": the time from the table in memory to the synthetic table, without imports, "cpu_seconds":
the processor time of this part}). The driver uses the cores and threads of this process.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.bench.metrics import Figures
from synth.bench.peers import homes
from synth.bench.peers.catalogue import Peer
from synth.bench.tables.tables import BenchTable
from synth.bench.trials.processes import RunFailed, Timed, timed
from synth.core.table import CodeTable


def run(
    peer: Peer, table: BenchTable, real: CodeTable, *, epsilon: float, delta: float, seed: int, limit: float
) -> tuple[CodeTable, Figures]:
    """Return the synthetic table, `seconds` and `cpu_seconds` of the method without its process, and
    `process_seconds` and `peak_mb` of its process. Raises: `NotInstalled` or `RunFailed`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, domain = Path(name), declared(table, real)
        process = drive(
            peer,
            folder,
            real.codes,
            domain,
            wanted=real.rows,
            epsilon=epsilon,
            delta=delta,
            seed=seed,
            limit=limit,
        )
        method: Figures = json.loads((folder / "timed").read_text(encoding="utf-8"))
        synthetic = _read(folder / "made", real)
    return synthetic, method | {"process_seconds": process.seconds, "peak_mb": process.peak_mb}


def drive(
    peer: Peer,
    folder: Path,
    codes: NDArray[np.integer],
    domain: Mapping[str, int],
    *,
    wanted: int,
    epsilon: float,
    delta: float,
    seed: int,
    limit: float,
    through: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> Timed:
    """Run the driver on these codes; it writes `made` and `timed` to the folder. If `through` is given, this
    program, with its first arguments, runs the driver. Raises: `NotInstalled` or `RunFailed`.
    """
    files = {at: str(folder / at) for at in ("codes", "made", "timed")}
    request = {
        "domain": dict(domain),
        "method": peer.method,
        "epsilon": epsilon,
        "delta": delta,
        "seed": seed,
        "rows": wanted,
    }
    (folder / "request.json").write_text(json.dumps(request | files), encoding="utf-8")
    np.savetxt(files["codes"], codes, fmt="%d", delimiter=",", header=",".join(domain), comments="")
    python, driver = homes.interpreter(peer.library), peer.library.driver
    command = [str(python), *through, str(driver), str(folder / "request.json")]
    return timed(command, limit=limit, cwd=folder, variables=variables)


def declared(table: BenchTable, real: CodeTable) -> dict[str, int]:
    """Return the number of codes of every column. For a coded table, only declared codes are included: our
    additional code for undeclared values does not occur there and would be a disadvantage for other
    libraries.
    """
    sizes = dict(zip(real.domain.names, real.domain.sizes, strict=True))
    if table.as_values:
        return sizes
    return {c.name: len(c.values) for c in table.schema.modelled if c.name in sizes}


def _read(made: Path, real: CodeTable) -> CodeTable:
    with made.open(encoding="utf-8") as lines:
        header = lines.readline().strip().split(",")
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
    if sorted(header) != sorted(real.domain.names) or len(rows) == 0:
        raise RunFailed("returned no table, or a table with other columns")
    rows = rows[:, [header.index(name) for name in real.domain.names]]
    if (rows < 0).any() or (rows >= np.array(real.domain.sizes)).any():
        raise RunFailed("returned codes outside the domain")
    return CodeTable(real.domain, rows)
