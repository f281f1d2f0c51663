"""An invented table of millions of rows: where the time of a release goes, and DuckDB's counts beside ours.

`python -m synth.bench.scale --rows 2e6 5e6` writes each table once as Parquet under `--tables`, counts all
its pairs, releases it if `--method` names one, with its bundle, and prints what was run and nothing else.
With `--whole` as many synthetic rows as real ones are written as well, in blocks. Every table has a process
of its own, so that its peak of memory is that of it alone; the machine's load stands beside the times. DuckDB
counts only where it is installed; nothing of ours needs it.

The law of the table: column j has 2, 3, 5, 8, 12, 20, 30 or 50 codes in turn; its code is that of the column
before, stretched to its own number of codes, for half of the rows, and floor(k u^2) for a uniform u else.
"""

from __future__ import annotations

import argparse
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
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from synth.bench.machine import machine
from synth.bench.measure import say
from synth.bench.runs import peak_mb
from synth.laws import limit_for
from synth.measure.ledger import Ledger
from synth.measure.table import open_table
from synth.pipeline import release
from synth.plan import Plan
from synth.preprocess.axes import declared_axes
from synth.progress import Progress
from synth.release import bundle
from synth.release.rows import write_rows
from synth.rules import parse_rules
from synth.schema import Column, Kind, Schema, Unit
from synth.synthesis import Synthesis

CODES = (2, 3, 5, 8, 12, 20, 30, 50)
ROWS_AT_A_TIME = 1 << 18
DELTA = 1e-9


def schema_of(columns: int) -> Schema:
    """What would be declared of a table of so many columns."""
    declared = tuple(
        Column(name=f"c{j:02d}", kind=Kind.INTEGER, min=0, max=CODES[j % len(CODES)] - 1, blank=False)
        for j in range(columns)
    )
    return Schema(
        name="invented", population="invented", unit=Unit(max_rows=1), columns=declared, file_is_public=True
    )


def write_table(path: Path, *, rows: int, columns: int, seed: int = 0) -> None:
    """The invented table as Parquet, some rows at a time."""
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


def measure(path: Path, *, columns: int, method: str, epsilon: float, rows: int, whole: str) -> None:
    """Print what one table costs: its counts, those of DuckDB, a release, and with a form in `whole` as many
    rows as the table has."""
    schema = schema_of(columns)
    rules = parse_rules([], schema)
    axes = declared_axes(schema, rules)
    with _clock("read and encode"):
        codes = open_table(path, schema, axes=axes).codes(axes)
    pairs = list(combinations(range(columns), 2))
    with _clock(f"count {len(pairs)} pairs"):
        counts = codes.all_counts(pairs)
    _beside(path, schema, pairs, counts)
    del codes, counts
    say(f"  peak {peak_mb():,.0f} MB so far")
    if method:
        plan = Plan(schema=schema, rules=rules, epsilon=epsilon, delta=DELTA, method=method, rows=rows)
        made = _release(plan, path)
        if whole:
            _whole(replace(plan, rows=pq.ParquetFile(path).metadata.num_rows), made, whole)
        say(f"  peak {peak_mb():,.0f} MB")


def _release(plan: Plan, path: Path) -> Synthesis:
    """A whole release as the pipeline does it, and the time between the stages that it tells."""
    stages: dict[str, float] = {}
    stage, since = "start", time.perf_counter()

    def report(progress: Progress | None) -> None:
        nonlocal stage, since
        now = time.perf_counter()
        stages[stage] = stages.get(stage, 0.0) + now - since
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
    say("    " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in stages.items()))
    return made


def _whole(plan: Plan, made: Synthesis, form: str) -> None:
    """As many rows as the plan says, in blocks."""
    with tempfile.TemporaryDirectory() as folder, _clock(f"write {plan.rows:,} rows as {form}, with checks"):
        place = Path(folder) / f"rows.{form}"
        write_rows(plan, made.evidence, made.model, place)
        size = place.stat().st_size
    say(f"    {size / 1e6:,.0f} MB")


def _beside(
    path: Path, schema: Schema, pairs: Sequence[tuple[int, int]], counts: Sequence[np.ndarray[Any, Any]]
) -> None:
    """DuckDB's counts of the same pairs, one GROUP BY each over a table in memory; compared cell by cell."""
    try:
        import duckdb
    except ImportError:
        say("  DuckDB is not installed: no counts beside ours")
        return
    names = [c.name for c in schema.columns]
    base = duckdb.connect()
    base.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(path)])
    equal = True
    with _clock(f"count {len(pairs)} pairs, DuckDB GROUP BY"):
        for (i, j), ours in zip(pairs, counts, strict=True):
            asked = f"SELECT {names[i]}, {names[j]}, count(*) FROM t GROUP BY 1, 2"
            first, second, held = base.execute(asked).fetchnumpy().values()
            theirs = np.zeros_like(ours)
            theirs[np.asarray(first), np.asarray(second)] = np.asarray(held)
            equal &= bool((theirs == ours).all())
    say(f"  the counts are {'equal' if equal else 'NOT EQUAL'}")


@contextmanager
def _clock(what: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    say(f"  {what}: {wall:.1f} s, {cpu:.1f} s of processors, load {os.getloadavg()[0]:.0f}")


def main(arguments: Sequence[str]) -> int:
    """The command line: 0, or 1 if a table could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m synth.bench.scale", description=__doc__.split("\n")[0])
    parser.add_argument("--rows", nargs="+", type=float, default=[2e6], help="default: 2e6")
    parser.add_argument("--columns", type=int, default=60, help="default: 60")
    parser.add_argument("--method", default="", help="released with it; default: counted alone")
    parser.add_argument("--epsilon", type=float, default=1.0, help="default: 1")
    parser.add_argument("--records", type=int, default=1_000_000, help="synthetic ones; default: a million")
    parser.add_argument("--whole", choices=("parquet", "csv"), help="also write as many rows as were read")
    parser.add_argument("--tables", type=Path, default=Path("out/scale"), help="default: out/scale")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.alone is not None:
        measure(
            asked.alone,
            columns=asked.columns,
            method=asked.method,
            epsilon=asked.epsilon,
            rows=asked.records,
            whole=asked.whole or "",
        )
        return 0
    asked.tables.mkdir(parents=True, exist_ok=True)
    say(", ".join(f"{name}: {value}" for name, value in machine().items()))
    failed = 0
    for rows in map(int, asked.rows):
        path = asked.tables / f"invented-{rows}-{asked.columns}.parquet"
        if not path.exists():
            write_table(path, rows=rows, columns=asked.columns)
        say(f"{rows:,} rows x {asked.columns} columns, {path.stat().st_size / 1e6:,.0f} MB of Parquet")
        again = [sys.executable, "-m", "synth.bench.scale", *arguments, "--alone", str(path)]
        failed |= subprocess.call(again) != 0
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
