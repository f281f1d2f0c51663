"""Public tasks in the process that asks for them, which is one of its own where the app or a run asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from synth.app.jobs.elsewhere.executor import check_public, nobody, nothing
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.progress import Reporter, silent

TITLE = "this machine"


@dataclass(frozen=True)
class Here:
    """An `Executor` that needs nobody. Being killed, it takes the task with it: `runner` says so then."""

    title: str = TITLE

    def do(
        self,
        task: Task,
        kind: TaskKind,
        *,
        report: Reporter = silent,
        wants: str = "",
        on: Callable[[str], object] = nobody,
        waiting: Callable[[], object] = nothing,
    ) -> None:
        check_public(task.kind, kind)
        on(self.title)
        answer = kind.work(task, report)
        if answer is not None:
            task.keep("answer.json", json.dumps(answer, allow_nan=False))
