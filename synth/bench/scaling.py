"""Time and memory as functions of rows, columns, epsilon and the largest clique, and of the engine's parts.

`python -m synth.bench.scaling rows columns epsilons caps engine --out DIR`; sizes, methods and the limit per
run can be set. Every run has a process of its own, one that takes longer than the limit is recorded as such,
and a run again with the same folder goes on where it was interrupted. Rows are those of Adult grown, columns
those of an invented chain (`bench.invented`), epsilons and caps are on Adult.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from synth.bench import curves, engine
from synth.bench.judge import NONE, USUAL
from synth.bench.machine import keep_to, machine
from synth.bench.measure import records_of
from synth.bench.results import LAST, Record, Results
from synth.bench.tables import find
from synth.bench.trial import Part, Trial
from synth.errors import MarginaliaError, Mistake
from synth.mechanisms import MECHANISMS

DELTA = 1e-9
SIZES: dict[str, tuple[float, ...]] = {
    "rows": (1e4, 1e5, 1e6, 1e7),
    "columns": (5, 10, 20, 50, 100),
    "epsilons": (0.1, 0.3, 1.0, 3.0, 10.0),
    "caps": (1e5, 1e6, 1e7),
    "engine": (1e5, 1e6, 5e6),
}
"""What is tried along each axis unless sizes are given."""

ABOUT = "Time and memory along rows, columns, epsilon and cliques, and of the engine's parts."
SIGMAS = (10.0, 100.0, 1000.0)
CSV, PAGE = "results.csv", "scaling.html"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Which axis, its sizes, methods (caps are grove's alone), seconds per run, runs of each."""

    axis: str
    sizes: tuple[float, ...]
    methods: tuple[str, ...]
    limit: float
    repeats: int = 1


def trials(wish: Wish) -> Iterator[Trial]:
    """From small to large. What is measured of the table beside time: nothing where that would take longer
    than making it (many rows), the usual elsewhere."""
    for size in wish.sizes:
        for method in ("grove",) if wish.axis == "caps" else wish.methods:
            for run in range(wish.repeats):
                yield Trial(
                    part=Part.MECHANISM,
                    table={"rows": f"adult-{size:.0f}-rows", "columns": f"chain-{size:.0f}"}.get(
                        wish.axis, "adult"
                    ),
                    method=method,
                    epsilon={"epsilons": size, "caps": 10.0}.get(wish.axis, 1.0),
                    delta=DELTA,
                    run=run,
                    options={"clique_cells": int(size)} if wish.axis == "caps" else {},
                    metrics=NONE if wish.axis == "rows" else USUAL,
                    limit=wish.limit,
                )


def engine_records(sizes: Sequence[float]) -> Iterator[list[Record]]:
    """One list per part and size: a sweep at so many cells, and noise of every kind at every sigma."""
    for size in sizes:
        yield _engine("sweep", f"cells={size:.0f}", engine.sweep(int(size)))
    for kind in engine.NOISE:
        for sigma in SIGMAS:
            yield _engine(f"{kind} noise", f"sigma={sigma:g}", engine.noise(kind, sigma))


def _engine(what: str, variant: str, figures: dict[str, float]) -> list[Record]:
    return [
        Record(
            table="engine",
            method=what,
            epsilon=None,
            delta=None,
            run=0,
            figure=figure,
            value=value,
            task="",
            variant=variant,
        )
        for figure, value in {**figures, LAST: 0.0}.items()
    ]


def run(wishes: Sequence[Wish], out: Path, *, command: str) -> None:
    """Measure what is not measured yet, and write the page. Errors: Mistake for what cannot be measured;
    what was measured until then is written all the same."""
    out.mkdir(parents=True, exist_ok=True)
    results = Results(out / CSV)
    told = {"measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "command": command} | machine()
    try:
        for wish in wishes:
            if wish.axis == "engine":
                _measure_engine(wish, results)
                continue
            for trial in trials(wish):
                if trial.key not in results.finished():
                    find(trial.table)  # an invented table is written before the clock runs
                    _say(f"{datetime.now(UTC):%H:%M:%S}  {trial}")
                    results.add(records_of(trial))
    finally:
        (out / PAGE).write_text(curves.html(results.records, told), encoding="utf-8")
    _say(f"All figures: {out / CSV}. With charts: {out / PAGE}.")


def _measure_engine(wish: Wish, results: Results) -> None:
    """Quick enough to be measured again every time."""
    results.forget({r.key for r in results.records if r.table == "engine"})
    for records in engine_records(wish.sizes):
        results.add(records)
        _say(" ".join(f"{r.figure} {r.value:.4g}" for r in records[:-1]))


def wishes_of(arguments: Sequence[str]) -> tuple[list[Wish], argparse.Namespace]:
    """What was typed. Errors: Mistake for numbers that measure nothing."""
    parser = argparse.ArgumentParser(prog="python -m synth.bench.scaling", description=__doc__)
    parser.add_argument("axes", nargs="+", choices=tuple(SIZES))
    parser.add_argument("--sizes", nargs="+", type=float, help="along the axis; for one axis at a time")
    parser.add_argument("--methods", nargs="+", choices=tuple(MECHANISMS), default=["grove", "aim"])
    parser.add_argument("--limit", type=float, default=900.0, help="seconds per run (default: 900)")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each (default: 1)")
    parser.add_argument("--cores", type=int, default=1, help="cores and threads (default: 1)")
    parser.add_argument("--out", default="out/scaling", metavar="DIR", help="default: out/scaling")
    asked = parser.parse_args(arguments)
    if asked.sizes and len(asked.axes) > 1:
        raise Mistake("Sizes belong to one axis. Ask for one axis at a time, or leave the sizes out.")
    if asked.repeats < 1 or asked.limit <= 0 or asked.cores < 1 or min(asked.sizes or [1.0]) <= 0:
        raise Mistake("Scaling needs at least one run and one core, and sizes and limits above 0.")
    wishes = [
        Wish(
            axis=axis,
            sizes=tuple(asked.sizes or SIZES[axis]),
            methods=tuple(asked.methods),
            limit=asked.limit,
            repeats=asked.repeats,
        )
        for axis in asked.axes
    ]
    return wishes, asked


def main(arguments: Sequence[str]) -> int:
    """The command line; 0, or 1 with a sentence on standard error."""
    try:
        wishes, asked = wishes_of(arguments)
        keep_to(asked.cores)
        command = shlex.join(["python", "-m", "synth.bench.scaling", *arguments])
        run(wishes, Path(asked.out), command=command)
    except MarginaliaError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
