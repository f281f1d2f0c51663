"""`python -m synth bench`: speed, error and bound coverage on public tables, each figure with its run.

For every table, method and epsilon two things are run: the mechanism in a process of its own (`bench.runs`)
and the whole release command (`bench.command`); references without privacy come with each table.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synth.bench import command, references
from synth.bench.results import Record, machine, table_of, write_csv
from synth.bench.runs import Cell
from synth.bench.tables import HOMES, find, read
from synth.errors import Mistake
from synth.evaluate.fidelity import Yardstick
from synth.table import CodeTable

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Preset:
    sets: tuple[str, ...]
    epsilons: tuple[float, ...]
    methods: tuple[str, ...]
    repeats: int


PRESETS = {
    "quick": Preset(sets=("titanic",), epsilons=(1.0,), methods=("grove",), repeats=1),
    "full": Preset(
        sets=tuple(HOMES), epsilons=(0.1, 1.0, 10.0), methods=("grove", "aim", "independent"), repeats=3
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments; what is not given comes from the preset."""
    parser.add_argument("--preset", choices=tuple(PRESETS), default="full", help="default: full")
    parser.add_argument("--sets", nargs="+", choices=tuple(HOMES), help="benchmark tables")
    parser.add_argument("--epsilons", nargs="+", type=float, help="promises to measure at")
    parser.add_argument("--methods", nargs="+", help="mechanisms")
    parser.add_argument("--repeats", type=int, help="runs of each, with fresh noise")
    parser.add_argument("--delta", type=float, default=1e-9, help="default: 1e-9")
    parser.add_argument("--no-command", action="store_true", help="time the mechanism only, not the command")
    parser.add_argument("--out", default="out/bench", metavar="DIR", help="default: out/bench")


def run(asked: argparse.Namespace) -> int:
    """Measure, print a table, write `results.csv` and `machine.json`. Returns 0; errors are raised, but what
    was measured until then is printed and written all the same."""
    preset = PRESETS[asked.preset]
    records: list[Record] = []
    measured = measure(
        sets=asked.sets or preset.sets,
        epsilons=asked.epsilons or preset.epsilons,
        methods=asked.methods or preset.methods,
        repeats=asked.repeats or preset.repeats,
        delta=asked.delta,
        with_command=not asked.no_command,
        say=_say if not asked.json else _silent,
    )
    try:
        records.extend(measured)
    finally:
        _publish(records, Path(asked.out), as_json=asked.json)
    return 0


def _publish(records: Sequence[Record], out: Path, *, as_json: bool) -> None:
    out.mkdir(parents=True, exist_ok=True)
    facts = machine() | {"command": shlex.join(["python", "-m", "synth", *sys.argv[1:]])}
    write_csv(records, out / "results.csv")
    (out / "machine.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    if as_json:
        for record in records:
            _say(json.dumps(asdict(record)))
    else:
        _say("\n".join(f"{name}: {value}" for name, value in facts.items()))
        _say(table_of(records))
        _say("bootstrap and product use the real rows without privacy; TVD is the mean over marginals.")
        _say(f"All figures: {out / 'results.csv'}")


def measure(
    *,
    sets: Sequence[str],
    epsilons: Sequence[float],
    methods: Sequence[str],
    repeats: int,
    delta: float,
    with_command: bool = True,
    say: Say = lambda line: None,
) -> Iterator[Record]:
    """All figures as records, as they come. Errors: Mistake for what cannot be used; CommandFailed."""
    if repeats < 1 or min(epsilons, default=0.0) <= 0:
        raise Mistake("A benchmark needs at least one run and epsilons above 0.")
    for name in sets:
        table = find(name)
        yield from _references(name, read(table), repeats)
        for method in methods:
            for epsilon in epsilons:
                say(f"{name}, {method}, epsilon {epsilon:g}: {repeats} runs")
                cell = Cell(table=name, method=method, epsilon=epsilon, delta=delta, repeats=repeats)
                for i, figures in enumerate(_in_a_process_of_its_own(cell)):
                    yield from _records(cell, i, figures)
                for i in range(repeats if with_command else 0):
                    timed = command.release(table, method=method, epsilon=epsilon, delta=delta)
                    yield from _records(cell, i, {f"command_{k}": v for k, v in asdict(timed).items()})


def _records(cell: Cell, run: int, figures: dict[str, float | None]) -> list[Record]:
    return [
        Record(
            table=cell.table,
            method=cell.method,
            epsilon=cell.epsilon,
            delta=cell.delta,
            run=run,
            figure=figure,
            value=value,
        )
        for figure, value in figures.items()
        if value is not None
    ]


def _references(name: str, real: CodeTable, repeats: int) -> list[Record]:
    yardstick, records = Yardstick(real), []
    for method, make in (("bootstrap", references.bootstrap), ("product", references.product)):
        for run in range(repeats):
            fidelity = yardstick.fidelity(make(real, np.random.default_rng(run)))
            for figure, value in (("tvd2", fidelity.mean2), ("tvd3", fidelity.mean3)):
                records.append(
                    Record(
                        table=name,
                        method=method,
                        epsilon=None,
                        delta=None,
                        run=run,
                        figure=figure,
                        value=value,
                    )
                )
    return records


def _in_a_process_of_its_own(cell: Cell) -> list[dict[str, Any]]:
    asked = [sys.executable, "-m", "synth.bench.runs", json.dumps(asdict(cell))]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no word of why"]
        raise command.CommandFailed(f"The benchmark of {cell.table} ended early: {last[0]}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _silent(line: str) -> None:
    del line
