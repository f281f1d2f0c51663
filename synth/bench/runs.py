"""One cell of the benchmark in a process of its own: a mechanism on a table at an epsilon, several times.

`python -m synth.bench.runs JSON` prints one JSON list with one object per run. The mechanism asks a real
`PrivateSource`, exact noise and a ledger on disk included; its time runs from the first question to the last
record. The tables are public, so true errors may be printed.

Keys of an object, None where something does not apply: `seconds` (wall) and `cpu_seconds` of the mechanism,
`decode_seconds` from codes to values, `peak_mb` the process's largest memory until its first table was made,
`rows`, `measurements`, `model_cells`; what `bench.judge` names; `covered`, `covered_measured` and
`covered_inferred`, the shares of the workload's marginals whose true L1 error is below its bound, and
`loose_measured` and `loose_inferred`, the medians of bound over error.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synth.axis import domain_of
from synth.bench.judge import NONE, USUAL, Figures, Judge
from synth.bench.tables import BenchTable, find
from synth.check.bounds import Bound, Support, bounds
from synth.codebook import Codebook
from synth.errors import Mistake
from synth.measure.accounting import limit_for
from synth.measure.ingest import open_table
from synth.measure.ledger import Ledger
from synth.measure.room import Room
from synth.mechanisms.base import Fitted, Task
from synth.mechanisms.recipe import Recipe, recipe_of
from synth.preprocess.decode import decode
from synth.rules import settle
from synth.select.workload import Workload
from synth.table import CodeTable

AIMS = ("all", "target", "skewed")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What to measure. `method` is a recipe in words (`mechanisms.recipe.recipe_of`). `aim` and `workload`
    name AIM's workloads: all marginals of so many columns, those that hold the table's target, or the skewed
    triples. `rules` puts those of the table in force; `options` are the method's own; `metrics` is "none",
    "usual" or "all"; `seed` is that of the first run's modelling, the next ones follow."""

    table: str
    method: str
    epsilon: float
    delta: float
    repeats: int
    workload: int = 2
    aim: str = "all"
    rules: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    confidence: float = 0.95
    seed: int = 0


def measure(cell: Cell) -> list[Figures]:
    """All repeats. Errors: Mistake for an unknown table, method, option, workload or extent of metrics."""
    recipe = recipe_of(cell.method, cell.options)
    table = find(cell.table).with_rules(cell.rules)
    workload = workload_of(cell, table)
    found: list[Figures] = []
    judge, peak = None, 0.0
    for repeat in range(cell.repeats):
        made = _once(cell, recipe, table, workload, repeat)
        peak = peak or _peak_mb()
        figures = _facts(made) | {"peak_mb": peak}
        if cell.metrics != NONE:
            judge = judge or Judge(table, workload, metrics=cell.metrics)
            figures |= _judged(cell, made, judge, workload)
        found.append(figures)
    return found


def workload_of(cell: Cell, table: BenchTable) -> Workload:
    """The cell's workload over the table's codes. Errors: Mistake for a name that is none, or no target."""
    domain = domain_of(table.axes)
    if cell.aim == "target":
        if table.target is None:
            raise Mistake(f"The benchmark table {table.name!r} has no target column.")
        return Workload.target(domain, table.target, cell.workload)
    if cell.aim == "skewed":
        return Workload.skewed(domain)
    if cell.aim != "all":
        raise Mistake(f"There is no workload {cell.aim!r}. Choose one of: {', '.join(AIMS)}.")
    weights = {c.name: c.weight for c in table.schema.modelled}
    return Workload.all_kway(domain, cell.workload, column_weights=weights)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Made:
    fitted: Fitted
    synthetic: CodeTable
    values: pd.DataFrame | None
    seconds: float
    cpu_seconds: float
    decode_seconds: float | None


def _once(cell: Cell, recipe: Recipe, table: BenchTable, workload: Workload, repeat: int) -> _Made:
    gaussian, limit = recipe.mechanism.is_gaussian, limit_for(cell.epsilon, cell.delta)
    units = limit.of(is_gaussian=gaussian)
    codebook = Codebook(schema=table.schema, axes=table.axes, zeros=table.zeros)
    task = Task(workload=workload, codebook=codebook)
    rng = np.random.default_rng(cell.seed + repeat)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        ledger.open_population(
            table.schema.population,
            units=limit,
            reason="benchmark on public data",
            protects=table.schema.protects,
        )
        ledger.open_run(
            table.schema.population,
            "bench",
            units=units,
            label="bench",
            is_gaussian=gaussian,
            protects=table.schema.protects,
        )
        private = open_table(table.csv, table.schema, axes=table.axes)
        room = Room(private, table.schema, ledger, "bench", is_gaussian=gaussian)
        source = room.source(table.axes, room.account("mechanism", units))
        start, start_cpu = time.perf_counter(), time.process_time()
        fitted = recipe.run(source, task, rng=rng)
        codes = fitted.model.sample(round(fitted.model.total), rng)
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        ledger.close()
    values, decoding = None, None
    if table.as_values:
        start = time.perf_counter()
        values = decode(codes, table.axes, rng)
        settle(table.rules_in_force, values, table.axes)
        decoding = time.perf_counter() - start
    return _Made(
        fitted=fitted,
        synthetic=CodeTable(domain_of(table.axes), codes),
        values=values,
        seconds=seconds,
        cpu_seconds=cpu,
        decode_seconds=decoding,
    )


def _facts(made: _Made) -> Figures:
    return {
        "seconds": made.seconds,
        "cpu_seconds": made.cpu_seconds,
        "decode_seconds": made.decode_seconds,
        "rows": made.synthetic.rows,
        "measurements": len(made.fitted.evidence.measurements),
        "model_cells": int(made.fitted.model.cells),
    }


def _judged(cell: Cell, made: _Made, judge: Judge, workload: Workload) -> Figures:
    total = made.fitted.model.total
    claims = bounds(
        made.fitted.evidence,
        candidates=workload.candidates(),
        synthetic=made.synthetic,
        beta=1.0 - cell.confidence,
    )
    judged = judge.figures(made.synthetic, made.values)
    return judged | coverage(claims, judge.real, made.synthetic, total=total)


def _peak_mb() -> float:
    """The largest this process has been; from /proc where there is one (see `bench.stopwatch`)."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def coverage(claims: tuple[Bound, ...], real: CodeTable, synthetic: CodeTable, *, total: float) -> Figures:
    """Shares and looseness of bounds against the truth, under the names of the module's description."""
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
    sys.stdout.write(json.dumps(measure(Cell(**cell))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
