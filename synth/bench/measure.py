"""How one trial is measured: each part in a process of its own, all under the same judge."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache

from synth.bench import command, references
from synth.bench.judge import Figures, Judge
from synth.bench.peers import outing
from synth.bench.peers.catalogue import PEERS
from synth.bench.peers.homes import NotInstalled
from synth.bench.results import FAILED, LAST, Record
from synth.bench.runs import Cell, workload_of
from synth.bench.tables import find
from synth.bench.trial import Part, Trial
from synth.errors import MarginaliaError

Found = Iterator[tuple[str, int, Figures]]
"""Method, seed, figures by their names."""


class MechanismFailed(MarginaliaError):
    """A mechanism of ours gave no table; quotes its last words (the tables are public)."""


def records_of(trial: Trial) -> list[Record]:
    """Measure it; one that fails is one record which says why. What cannot be used at all is raised."""
    start = time.perf_counter()
    try:
        found = list(_found(trial))
    except (MechanismFailed, command.CommandFailed, outing.PeerFailed, NotInstalled) as failure:
        told = {FAILED: 1.0, LAST: time.perf_counter() - start}
        return [
            _record(trial, trial.method, trial.run, figure, value, str(failure))
            for figure, value in told.items()
        ]
    seconds = (time.perf_counter() - start) / max(len(found), 1)
    return [
        _record(trial, method, run, figure, value)
        for method, run, figures in found
        for figure, value in {**figures, LAST: seconds}.items()
        if value is not None
    ]


def _record(trial: Trial, method: str, run: int, figure: str, value: float, note: str = "") -> Record:
    return Record(
        table=trial.table,
        method=method,
        epsilon=trial.epsilon,
        delta=trial.delta,
        run=run,
        figure=figure,
        value=float(value),
        part=str(trial.part),
        task=trial.task,
        variant=trial.variant,
        note=note,
    )


def cell_of(trial: Trial) -> Cell:
    """As `bench.runs` is asked. A reference has no promise; its cell only names a workload."""
    return Cell(
        table=trial.table,
        method=trial.method,
        epsilon=trial.epsilon or 0.0,
        delta=trial.delta or 0.0,
        repeats=trial.repeats,
        seed=trial.run,
        workload=trial.workload,
        aim=trial.aim,
        rules=trial.rules,
        options=trial.options,
        metrics=trial.metrics,
    )


def _found(trial: Trial) -> Found:
    match trial.part:
        case Part.REFERENCE:
            table = find(trial.table)
            workload = workload_of(cell_of(trial), table)
            yield from references.measure(table, trial.repeats, workload=workload, metrics=trial.metrics)
        case Part.MECHANISM:
            yield trial.method, trial.run, _mechanism(trial)
        case Part.COMMAND:
            yield trial.method, trial.run, _command(trial)
        case Part.PEER:
            yield trial.method, trial.run, _peer(trial)


def _mechanism(trial: Trial) -> Figures:
    asked = [sys.executable, "-m", "synth.bench.runs", json.dumps(asdict(cell_of(trial)))]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=trial.limit)
    except subprocess.TimeoutExpired:
        raise MechanismFailed(f"stopped after {trial.limit:.0f} seconds") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
        raise MechanismFailed(f"ended with code {done.returncode}: {last}")
    (figures,) = json.loads(done.stdout)
    return dict(figures)


def _command(trial: Trial) -> Figures:
    assert trial.epsilon is not None and trial.delta is not None
    table = find(trial.table)
    timed = command.release(table, method=trial.method, epsilon=trial.epsilon, delta=trial.delta)
    return {f"command_{name}": value for name, value in asdict(timed).items()}


def _peer(trial: Trial) -> Figures:
    assert trial.epsilon is not None and trial.delta is not None
    judge = _judge(trial.table, trial.aim, trial.workload, trial.metrics)
    made = outing.run(
        PEERS[trial.method],
        find(trial.table),
        judge.real,
        epsilon=trial.epsilon,
        delta=trial.delta,
        seed=trial.run,
        limit=trial.limit,
    )
    times: Figures = {
        "seconds": made.seconds,
        "cpu_seconds": made.cpu_seconds,
        "process_seconds": made.process_seconds,
        "peak_mb": made.peak_mb,
        "rows": made.synthetic.rows,
    }
    return times | judge.figures(made.synthetic, seed=trial.run)


@lru_cache(maxsize=1)
def _judge(table: str, aim: str, workload: int, metrics: str) -> Judge:
    """One real table is read and counted once for all peers."""
    found = find(table)
    cell = Cell(table=table, method="", epsilon=0.0, delta=0.0, repeats=1, workload=workload, aim=aim)
    return Judge(found, workload_of(cell, found), metrics=metrics)
