"""Run a trial of the benchmark, on any machine that has its tables. The order is the trial.

This package may not import the benchmark, so it is started as a program:
`python -m synth.bench.trials.measure TRIAL`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter


def _measure(task: Task, report: Reporter) -> dict[str, Any]:
    order = task.order()
    report(Progress(stage="measure", done=0.0, fact=str(order.get("title", ""))))
    command = [sys.executable, "-m", "synth.bench.trials.measure", json.dumps(order["trial"])]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        printed, _ = process.communicate()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    if "mistake" in answer:
        raise Mistake(answer["mistake"])
    return answer


KIND = TaskKind(work=_measure, is_public=True)
