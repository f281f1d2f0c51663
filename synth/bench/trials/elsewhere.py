"""Measure trials on other machines, several at a time, and store each as it arrives.

A time is that of the machine that measured it. If workers share one machine or differ, times cannot be
compared; errors and scores can.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from synth.app.jobs.elsewhere.executor import Executor, Lost, prepared
from synth.app.jobs.kinds import trial as trials_by_others
from synth.bench.trials.results import FAILED, LAST, Record, Results, records_for
from synth.bench.trials.trial import Trial
from synth.core.errors import Cancelled

AT_ONCE = 8


def measure_elsewhere(
    trials: Sequence[Trial],
    results: Results,
    tell: Callable[[str], object],
    *,
    executor: Executor,
    at_once: int = AT_ONCE,
) -> None:
    """Measure trials on other machines, the given number at a time. A trial whose workers all died becomes a
    record with this reason. Raises: `Mistake` for trials that cannot be measured at all; earlier results are
    kept.
    """
    is_over = threading.Event()

    def waiting() -> None:
        if is_over.is_set():
            raise Cancelled("The benchmark was stopped.")

    def measured(folder: Path, trial: Trial) -> tuple[Sequence[Record], str]:
        waiting()
        order = {"title": str(trial), "trial": asdict(trial)}
        task, by = prepared(folder, "trial", order=order, files={}), [""]
        try:
            executor.do(task, trials_by_others.KIND, on=by.append, waiting=waiting)
        except Lost as lost:
            return records_for(trial, {FAILED: 1.0, LAST: 0.0}, note=str(lost)), by[-1]
        return [Record(**record) for record in (task.answer() or {})["records"]], by[-1]

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(at_once) as pool:
        asked: dict[Future[tuple[Sequence[Record], str]], Trial] = {
            pool.submit(measured, Path(scratch) / str(number), trial): trial
            for number, trial in enumerate(trials)
        }
        try:
            for count, future in enumerate(as_completed(asked), start=1):
                records, by = future.result()
                results.add(records)
                tell(f"{count}/{len(trials)}  {asked[future]}, by {by}")
        finally:
            is_over.set()
