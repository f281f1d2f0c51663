"""Time and memory as functions of rows, columns, epsilon and the largest clique, and of the engine's parts.

`python -m synth.bench.scaling rows columns epsilons caps engine --out DIR`; sizes, methods and the limit per
run can be set. Every run has a process of its own, one that takes longer than the limit is recorded as such,
and a run again with the same folder goes on where it was interrupted. Rows are those of Adult grown, columns
those of an invented chain (`bench.invented`), epsilons and caps are on Adult.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from synth.bench.metrics import BY_NAME, NONE
from synth.bench.report.charts import chart
from synth.bench.report.report import TEMPLATES, Drawn, Section, series_of, shown_of
from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.trials import engine
from synth.bench.trials.machine import keep_to, machine, typed
from synth.bench.trials.measure import measure_all, say
from synth.bench.trials.results import LAST, Record, Results
from synth.bench.trials.trial import Part, Trial
from synth.core.errors import MarginaliaError, Mistake
from synth.mechanisms import MECHANISMS

ABOUT = "Time and memory along rows, columns, epsilon and cliques, and of the engine's parts."
_DELTA = 1e-9
ENGINE, ENGINE_SIZES, SIGMAS = "engine", (1e5, 1e6, 5e6), (10.0, 100.0, 1000.0)
CSV, PAGE = "results.csv", "scaling.html"
_SHOWN = ("seconds", "cpu_seconds", "peak_mb", "model_cells", "measurements", "tvd2", "tvd3")
_DRAWN = ("seconds", "peak_mb", "tvd2")
_LEDE = (
    "What a release costs as tables and promises grow. Every run has a process of its own; seconds count "
    "from the first question to the last record, with exact noise and the ledger on disk, and memory is the "
    "largest the process has been, the table read in included."
)


@dataclass(frozen=True, kw_only=True)
class ScalingAxis:
    """One thing that grows: title of its section, what its sizes count, and those tried unless others are
    given. `trial` is what a size changes of a trial on Adult at epsilon 1; `of` matches the table, the
    epsilon and the variant of what was measured on this axis, and takes the size from it; `methods` are the
    only ones to which a size means something."""

    title: str
    across: str
    sizes: tuple[float, ...]
    trial: Callable[[float], dict[str, Any]]
    of: str
    methods: tuple[str, ...] = ()


AXES = {
    "rows": ScalingAxis(
        title="Rows: Adult grown, epsilon 1",
        across="rows",
        sizes=(1e4, 1e5, 1e6, 1e7),
        # the usual metrics would take longer than the table itself
        trial=lambda size: {"table": f"adult-{size:.0f}-rows", "metrics": NONE},
        of=r"adult-(\d+)-rows .*",
    ),
    "columns": ScalingAxis(
        title="Columns: an invented chain of 50,000 rows, epsilon 1",
        across="columns",
        sizes=(5, 10, 20, 50, 100),
        trial=lambda size: {"table": f"chain-{size:.0f}"},
        of=r"chain-(\d+) .*",
    ),
    "epsilons": ScalingAxis(
        title="Epsilon: Adult",
        across="epsilon",
        sizes=(0.1, 0.3, 1.0, 3.0, 10.0),
        trial=lambda size: {"epsilon": size},
        of=r"adult ([\d.e+-]+) ",
    ),
    "caps": ScalingAxis(
        title="The largest clique of the tree: Adult, epsilon 10",
        across="cells of the largest clique",
        sizes=(1e5, 1e6, 1e7),
        trial=lambda size: {"epsilon": 10.0, "options": {"clique_cells": int(size)}},
        of=r"adult [\d.e+-]+ clique_cells=(\d+)",
        methods=("grove",),
    ),
}
SIZES = {name: axis.sizes for name, axis in AXES.items()} | {ENGINE: ENGINE_SIZES}


def place_of(one: Outcome | Record) -> tuple[str, float] | None:
    """Axis and size; None for what was measured by another benchmark."""
    text = f"{one.table} {'' if one.epsilon is None else one.epsilon} {one.variant}"
    for name, axis in AXES.items():
        if size := re.fullmatch(axis.of, text):
            return name, float(size[1])
    return None


@dataclass(frozen=True, kw_only=True)
class Growth:
    """What is asked for: an axis, its sizes, methods, seconds per run, runs of each."""

    axis: str
    sizes: tuple[float, ...]
    methods: tuple[str, ...]
    limit: float
    repeats: int = 1


def trials(growth: Growth) -> Iterator[Trial]:
    """From small to large."""
    axis = AXES[growth.axis]
    for size in growth.sizes:
        for method in axis.methods or growth.methods:
            for run in range(growth.repeats):
                base = Trial(
                    part=Part.MECHANISM, table="adult", method=method, epsilon=1.0, delta=_DELTA, run=run
                )
                yield replace(base, limit=growth.limit, **axis.trial(size))


def engine_records(sizes: Sequence[float]) -> Iterator[list[Record]]:
    """One list per part and size: a sweep at so many cells, and noise of every kind at every sigma."""
    for size in sizes:
        yield _engine("sweep", f"cells={size:.0f}", engine.sweep(int(size)))
    for kind in engine.NOISE:
        for sigma in SIGMAS:
            yield _engine(f"{kind} noise", f"sigma={sigma:g}", engine.noise(kind, sigma))


def _engine(part: str, variant: str, figures: dict[str, float]) -> list[Record]:
    shared: dict[str, Any] = {"table": ENGINE, "epsilon": None, "delta": None, "run": 0, "task": ""}
    return [
        Record(method=part, variant=variant, figure=figure, value=value, **shared)
        for figure, value in {**figures, LAST: 0.0}.items()
    ]


def run(growths: Sequence[Growth], out: Path, *, command: str) -> None:
    """Measure what is not measured yet, and write the page. Raises: `Mistake` for what cannot be measured;
    what was measured until then is written all the same."""
    out.mkdir(parents=True, exist_ok=True)
    results = Results(out / CSV)
    session = {"measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "command": command} | machine()
    try:
        for growth in growths:
            if growth.axis == ENGINE:
                _measure_engine(growth, results)
            else:
                measure_all(list(trials(growth)), results, say)
    finally:
        (out / PAGE).write_text(html(results.records, session), encoding="utf-8")
    say(f"All figures: {out / CSV}. With charts: {out / PAGE}.")


def _measure_engine(growth: Growth, results: Results) -> None:
    """Quick enough to be measured again every time."""
    results.forget({r.key for r in results.records if r.table == ENGINE})
    for records in engine_records(growth.sizes):
        results.add(records)
        say(" ".join(f"{r.figure} {r.value:.4g}" for r in records[:-1]))


def html(records: Sequence[Record], session: Mapping[str, str]) -> str:
    """The page of these records; `session` says when, how and on what they were measured."""
    outcomes = outcomes_by_size(records)
    return TEMPLATES.get_template("scaling.html.j2").render(
        title="How it scales",
        measured=session["measured"],
        about=[_LEDE],
        sections=[section for name in AXES if (section := _section(name, outcomes)).outcomes],
        size_of=lambda one: f"{_size(one):,.0f}" if _size(one) >= 1000 else f"{_size(one):g}",
        engine=[r for r in records if r.table == ENGINE and r.figure != LAST],
        session=session,
    )


def outcomes_by_size(records: Sequence[Record]) -> list[Outcome]:
    """Those that lie on an axis, from small to large."""
    return sorted((one for one in outcomes_of(records) if place_of(one)), key=_size)


def _size(one: Outcome) -> float:
    place = place_of(one)
    return place[1] if place else 0.0


def _section(name: str, outcomes: Sequence[Outcome]) -> Section:
    axis, figures = AXES[name], []
    here = [one for one in outcomes if (place := place_of(one)) and place[0] == name]
    styles = {method: i for i, method in enumerate(dict.fromkeys(one.method for one in here))}
    for figure in _DRAWN:
        label = BY_NAME[figure].heading
        series = series_of(here, styles, figure, _size, by="method")
        svg = chart(series, x=axis.across, y=label, title=f"{label} against {axis.across}")
        figures.append(Drawn(caption=label, svg=svg, legend=series))
    return Section(
        title=axis.title,
        figures=[drawn for drawn in figures if drawn.svg],
        shown=shown_of(here, [BY_NAME[figure] for figure in _SHOWN]),
        outcomes=here,
        across=axis.across,
    )


def growths_of(arguments: Sequence[str]) -> tuple[list[Growth], argparse.Namespace]:
    """What was typed. Raises: `Mistake` for numbers that measure nothing."""
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
    shared = {"methods": tuple(asked.methods), "limit": asked.limit, "repeats": asked.repeats}
    return [Growth(axis=a, sizes=tuple(asked.sizes or SIZES[a]), **shared) for a in asked.axes], asked


def main(arguments: Sequence[str]) -> int:
    """The command line; 0, or 1 with a sentence on standard error."""
    try:
        growths, asked = growths_of(arguments)
        keep_to(asked.cores)
        command = typed(["python", "-m", "synth.bench.scaling", *arguments])
        run(growths, Path(asked.out), command=command)
    except MarginaliaError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
