"""Invented tables of millions of rows: where the time of a release goes.

`python -m synth bench --preset scale` writes each table of `--sizes` once as Parquet, counts all its pairs,
makes a release with its bundle, and writes as many synthetic rows as the table has, in blocks. It prints
seconds, processor seconds and the peak memory. Every table has its own process, so a peak is that of one
table alone.

The law of the table: column j has 2, 3, 5, 8, 12, 20, 30 or 50 codes in turn. For half of the rows its code
is that of the previous column, stretched to its own number of codes; for the others floor(k u^2) for a
uniform u.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from synth.bench.trials.machine import machine
from synth.bench.trials.measure import say
from synth.bench.trials.runs import peak_mb
from synth.core.accounting import limit_for
from synth.core.discretisation import declared_axes
from synth.core.errors import Mistake
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.core.schema import Column, Kind, Schema, Unit
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.private.table import open_table
from synth.release import bundle
from synth.release.checks.bounds import Bound
from synth.release.plan import Plan
from synth.release.rows import write_rows
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

SIZE = "55e6x60"
ABOUT = f"A release of an invented table of 55 million rows and 60 columns, or --sizes ({SIZE}); ten minutes."
CODES = (2, 3, 5, 8, 12, 20, 30, 50)
ROWS_AT_A_TIME = 1 << 18
MOST_RECORDS = 1_000_000
"""Most records of the release itself; further rows are written afterwards."""


def schema_of(columns: int) -> Schema:
    """Return the declared schema of a table with this many columns."""
    declared = tuple(
        Column(name=f"c{j:02d}", kind=Kind.INTEGER, min=0, max=CODES[j % len(CODES)] - 1, blank=False)
        for j in range(columns)
    )
    return Schema(
        name="invented", population="invented", unit=Unit(max_rows=1), columns=declared, file_is_public=True
    )


def write_table(path: Path, *, rows: int, columns: int, seed: int = 0) -> None:
    """Write the invented table as Parquet, in blocks of rows."""
    rng, names = np.random.default_rng(seed), [c.name for c in schema_of(columns).columns]
    fields = pa.schema([(name, pa.uint8()) for name in names])
    draft = path.with_suffix(".draft")
    with pq.ParquetWriter(draft, fields) as writer:
        for start in range(0, rows, ROWS_AT_A_TIME):
            codes = _drawn(min(ROWS_AT_A_TIME, rows - start), columns, rng)
            writer.write_table(pa.table(dict(zip(names, codes, strict=True)), schema=fields))
    draft.replace(path)


def _drawn(rows: int, columns: int, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    drawn: list[np.ndarray[Any, Any]] = []
    for j in range(columns):
        k = CODES[j % len(CODES)]
        codes = np.minimum((rng.random(rows, dtype=np.float32) ** 2 * k).astype(np.uint8), k - 1)
        if drawn:
            follows = rng.random(rows, dtype=np.float32) < 0.5
            stretched = drawn[-1][follows].astype(np.uint16) * k // CODES[(j - 1) % len(CODES)]
            codes[follows] = stretched.astype(np.uint8)
        drawn.append(codes)
    return drawn


def measure(path: Path, method: str, epsilon: float) -> None:
    """Measure one table, and print its time and memory."""
    with pq.ParquetFile(path) as file:
        columns, rows = file.metadata.num_columns, file.metadata.num_rows
    schema = schema_of(columns)
    rules = parse_rules([], schema)
    axes = declared_axes(schema, rules)
    with _clock("read and encode"):
        codes = open_table(path, schema, axes=axes).codes(axes)
    pairs = list(combinations(range(columns), 2))
    with _clock(f"count {len(pairs):,} pairs"):
        codes.all_counts(pairs)
    del codes
    say(f"  peak {peak_mb():,.0f} MB so far")
    records = min(MOST_RECORDS, rows)
    plan = Plan(schema=schema, rules=rules, epsilon=epsilon, delta=1e-9, method=method, rows=records)
    made = _release(plan, path)
    say(f"  peak {peak_mb():,.0f} MB so far")
    with (
        tempfile.TemporaryDirectory() as folder,
        _clock(f"write {rows:,} rows as Parquet, with checks"),
    ):
        write_rows(replace(plan, rows=rows), made.evidence, made.model, Path(folder) / "rows.parquet")
    say(f"  peak {peak_mb():,.0f} MB")


def _release(plan: Plan, path: Path) -> Synthesis:
    """Run a whole release as the pipeline does. Return the time between its reported stages, and its
    bounds.
    """
    stages: dict[str, tuple[float, float]] = {}
    stage, since = "start", (time.perf_counter(), time.process_time())

    def report(progress: Progress | None) -> None:
        nonlocal stage, since
        now, before = (time.perf_counter(), time.process_time()), stages.get(stage, (0.0, 0.0))
        stages[stage] = before[0] + now[0] - since[0], before[1] + now[1] - since[1]
        stage, since = "" if progress is None else progress.stage, now

    with tempfile.TemporaryDirectory() as folder, _clock(f"release by {plan.method}, {plan.rows:,} rows"):
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        limit, protects = limit_for(plan.epsilon, plan.delta), plan.schema.protects
        ledger.open_population("invented", units=limit, reason="benchmark", protects=protects)
        made = release(plan, data=path, ledger=ledger, run="scale", report=report)
        report(Progress(stage="bundle", done=1.0, fact="writing the bundle"))
        bundle.write(made, Path(folder) / "bundle")
        report(None)
        ledger.close()
    say("    " + ", ".join(f"{name} {wall:.1f} s ({cpu:.1f})" for name, (wall, cpu) in stages.items()))
    tables = number_of(len(made.evidence.measurements), "table")
    say(f"    {bounds_told(made.checks.bounds)}; {tables} measured")
    return made


def bounds_told(bounds: Sequence[Bound]) -> str:
    """Return the number of bounds of each kind, with the median of each kind relative to the number of rows.

    >>> bounds_told([])
    'bounds: none'
    """
    told: dict[str, list[float]] = {}
    for bound in bounds:
        if bound.tvd is not None:
            told.setdefault(bound.kind.value, []).append(bound.tvd)
        if bound.coarse_tvd is not None and bound.coarse_kind is not None:
            told.setdefault(f"{bound.coarse_kind.value} in groups", []).append(bound.coarse_tvd)
    without = sum(bound.tvd is None for bound in bounds)
    words = [f"{median(some):.3f} ({len(some):,} {kind})" for kind, some in sorted(told.items())]
    words += [f"none in own codes for {without:,}"] if without else []
    return f"bounds: {', '.join(words) or 'none'}"


@contextmanager
def _clock(what: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    say(f"  {what}: {wall:.1f} s, {cpu:.1f} s of processors, load {os.getloadavg()[0]:.0f}")


def run(sizes: Sequence[tuple[int, int]], out: Path, *, method: str, epsilon: float) -> int:
    """Measure tables of these rows and columns, one after the other. Returns 1 if one failed."""
    out.mkdir(parents=True, exist_ok=True)
    say(", ".join(f"{name}: {value}" for name, value in machine().items()))
    failed = 0
    for rows, columns in sizes:
        path = out / f"invented-{rows}-{columns}.parquet"
        if not path.exists():
            write_table(path, rows=rows, columns=columns)
        say(f"{rows:,} rows x {columns} columns, {path.stat().st_size / 1e6:,.0f} MB of Parquet")
        words = [sys.executable, "-m", "synth.bench.scale", str(path), method, str(epsilon)]
        failed |= subprocess.call(words) != 0
    return int(failed)


def sizes_of(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return rows and columns from typed sizes. Raises: `Mistake` for text that is not the size of a table.

    >>> sizes_of(["55e6x60", "1000x2"])
    [(55000000, 60), (1000, 2)]
    """
    sizes = []
    for word in words:
        rows, _, columns = word.partition("x")
        try:
            size = int(float(rows)), int(columns)
        except (ValueError, OverflowError):
            size = 0, 0
        if min(size) < 1:
            raise Mistake(f"{word!r} is not the size of a table. Write rows x columns, such as 55e6x60.")
        sizes.append(size)
    return sizes


if __name__ == "__main__":
    measure(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
