"""One cell of the benchmark in a process of its own: a mechanism on a table at an epsilon, several times.

`python -m synth.bench.runs JSON` prints one JSON list. The mechanism asks a real `PrivateSource`, exact noise
and a ledger on disk included; its time runs from the first question to the last record. The tables are
public, so true errors may be printed.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synth.axis import Axis, domain_of, ordered_codes
from synth.bench.tables import BenchTable, find
from synth.check.bounds import Bound, Support, bounds
from synth.errors import Mistake
from synth.evaluate.fidelity import Yardstick
from synth.evaluate.report import load_real
from synth.measure.accounting import rho_from, units_of
from synth.measure.ingest import open_table
from synth.measure.ledger import Ledger
from synth.measure.room import Room
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Task
from synth.preprocess.axes import resolve_axes
from synth.rules import parse_rules
from synth.select.workload import Workload
from synth.table import CodeTable
from synth.zeros import Zero


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What to measure."""

    table: str
    method: str
    epsilon: float
    delta: float
    repeats: int
    workload: int = 2
    confidence: float = 0.95


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One run. Seconds are wall time; `peak_mb` the process's largest memory until its first table was made.

    `covered*` are shares of the workload's marginals whose true L1 error is below its bound, `loose*` the
    median of bound over error, for all, measured and inferred ones (None where there are none).
    """

    tvd2: float
    tvd3: float
    seconds: float
    peak_mb: float
    rows: int
    measurements: int
    model_cells: int
    covered: float | None
    covered_measured: float | None
    covered_inferred: float | None
    loose_measured: float | None
    loose_inferred: float | None


def measure(cell: Cell) -> list[Figures]:
    """All repeats. Errors: Mistake for an unknown table or method."""
    table = find(cell.table)
    if cell.method not in MECHANISMS:
        raise Mistake(f"There is no method {cell.method!r}. Choose one of: {', '.join(MECHANISMS)}.")
    real = load_real(table.csv, table.schema, _axes(table)[0])
    yardstick, found, peak = Yardstick(real), [], 0.0
    for repeat in range(cell.repeats):
        figures = _once(cell, table, real, yardstick, repeat, peak)
        peak = figures.peak_mb
        found.append(figures)
    return found


def _axes(table: BenchTable) -> tuple[tuple[Axis, ...], tuple[Zero, ...]]:
    rules = parse_rules([], table.schema)
    axes = resolve_axes(table.schema, rules)
    return axes, rules.zeros(axes)


def _once(
    cell: Cell, table: BenchTable, real: CodeTable, yardstick: Yardstick, repeat: int, peak: float
) -> Figures:
    axes, zeros = _axes(table)
    domain, units = domain_of(axes), units_of(rho_from(cell.epsilon, cell.delta))
    workload = Workload.all_kway(domain, cell.workload)
    task = Task(
        workload=workload,
        zeros=zeros,
        ordered=ordered_codes(axes),
    )
    rng = np.random.default_rng(repeat)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        ledger.open_population(table.schema.population, units=units, reason="benchmark on public data")
        ledger.open_run(table.schema.population, "bench", units=units, label="bench")
        room = Room(open_table(table.csv, table.schema), table.schema, ledger, "bench")
        source = room.source(axes, room.account("mechanism", units))
        start = time.perf_counter()
        fitted = MECHANISMS[cell.method]().run(source, task, rng=rng)
        codes = fitted.model.sample(round(fitted.model.total), rng)
        seconds = time.perf_counter() - start
        ledger.close()
    peak = peak or _peak_mb()
    synthetic = CodeTable(domain, codes)
    fidelity = yardstick.fidelity(synthetic)
    claims = bounds(
        measurements=fitted.measurements,
        choices=fitted.choices,
        domain=domain,
        candidates=workload.candidates(),
        synthetic=synthetic,
        total=fitted.model.total,
        beta=1.0 - cell.confidence,
    )
    return Figures(
        tvd2=fidelity.mean2,
        tvd3=fidelity.mean3,
        seconds=seconds,
        peak_mb=peak,
        rows=synthetic.rows,
        measurements=len(fitted.measurements),
        model_cells=int(fitted.model.cells),
        **coverage(claims, real, synthetic, total=fitted.model.total),
    )


def _peak_mb() -> float:
    """The largest this process has been; from /proc where there is one (see `bench.stopwatch`)."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def coverage(
    claims: tuple[Bound, ...], real: CodeTable, synthetic: CodeTable, *, total: float
) -> dict[str, float | None]:
    """Shares and looseness of bounds against the truth, as `Figures` names them."""
    ratios: dict[str, list[float]] = {Support.MEASURED: [], Support.INFERRED: []}
    for claim in claims:
        if claim.l1_counts is None:
            continue
        weight = total / max(synthetic.rows, 1)
        error = np.abs(real.counts(claim.clique) - weight * synthetic.counts(claim.clique)).sum()
        ratios[claim.kind].append(claim.l1_counts / max(float(error), 1e-9))
    measured, inferred = ratios[Support.MEASURED], ratios[Support.INFERRED]
    return {
        "covered": _share(measured + inferred),
        "covered_measured": _share(measured),
        "covered_inferred": _share(inferred),
        "loose_measured": float(np.median(measured)) if measured else None,
        "loose_inferred": float(np.median(inferred)) if inferred else None,
    }


def _share(ratios: list[float]) -> float | None:
    return float(np.mean([r >= 1.0 for r in ratios])) if ratios else None


def main(arguments: list[str]) -> int:
    cell: dict[str, Any] = json.loads(arguments[0])
    sys.stdout.write(json.dumps([asdict(f) for f in measure(Cell(**cell))]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
