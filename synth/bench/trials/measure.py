"""Measure trials one after another, each part in a separate process. All are evaluated by the same judge."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import lru_cache

from synth.bench.metrics import Figures, Judge
from synth.bench.peers import exchange
from synth.bench.peers.catalogue import PEERS
from synth.bench.peers.homes import NotInstalled
from synth.bench.tables import references
from synth.bench.tables.tables import find
from synth.bench.trials.processes import RunFailed, timed
from synth.bench.trials.results import FAILED, LAST, Record, Results, records_for
from synth.bench.trials.trial import Part, Trial


def say(line: str) -> None:
    """Print a line immediately, so that the progress of a run is visible."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measure_all(trials: Sequence[Trial], results: Results, tell: Callable[[str], object]) -> None:
    """Measure the trials that are missing in the results, and store the figures of each trial."""
    finished = results.finished()
    left = [trial for trial in trials if trial.key not in finished]
    if len(left) < len(trials):
        tell(f"{len(trials) - len(left)} of {len(trials)} are measured already.")
    for i, trial in enumerate(left, start=1):
        find(trial.table)  # write a drawn table before the time is measured
        tell(f"{datetime.now(UTC):%H:%M:%S}  {i}/{len(left)}  {trial}")
        results.add(records_of(trial))


def records_of(trial: Trial) -> list[Record]:
    """Measure a trial. If it fails, return a record with the reason. Raises: errors that make any measurement
    impossible.
    """
    start = time.perf_counter()
    try:
        runs = list(_runs(trial))
    except (RunFailed, NotInstalled) as failure:
        return records_for(trial, {FAILED: 1.0, LAST: time.perf_counter() - start}, note=str(failure))
    seconds = (time.perf_counter() - start) / max(len(runs), 1)
    return [
        record
        for method, run, figures in runs
        for record in records_for(replace(trial, method=method, run=run), {**figures, LAST: seconds})
    ]


def _runs(trial: Trial) -> Iterator[tuple[str, int, Figures]]:
    """Yield the method, the seed, and the figures by name."""
    match trial.part:
        case Part.REFERENCE:
            judge = _judge(trial.table, trial.workload, trial.metrics)
            yield from references.measure(judge, trial.repeats)
        case Part.MECHANISM:
            command_line = [sys.executable, "-m", "synth.bench.trials.runs", json.dumps(asdict(trial))]
            repeats = json.loads(timed(command_line, limit=trial.limit).output)
            yield from ((trial.method, trial.run + i, figures) for i, figures in enumerate(repeats))
        case Part.PEER:
            yield trial.method, trial.run, _peer(trial)


def _peer(trial: Trial) -> Figures:
    epsilon, delta = trial.promise
    judge = _judge(trial.table, trial.workload, trial.metrics)
    synthetic, figures = exchange.run(
        PEERS[trial.method],
        find(trial.table),
        judge.real,
        epsilon=epsilon,
        delta=delta,
        seed=trial.run,
        limit=trial.limit,
    )
    return figures | {"rows": synthetic.rows} | judge.figures(synthetic, seed=trial.run)


@lru_cache(maxsize=1)
def _judge(name: str, columns: int, metrics: str) -> Judge:
    """Return the judge of a real table. The table is read and counted once for all trials on it."""
    table = find(name)
    trial = Trial(part=Part.PEER, table=name, method="", workload=columns)
    return Judge(table, trial.workload_of(table), metrics=metrics)
