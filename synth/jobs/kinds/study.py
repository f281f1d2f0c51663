"""A look at finished runs, at a lower priority than releases; `jobs.study` is what may be asked."""

from __future__ import annotations

from typing import Any

from synth.jobs.kind import Needs, TaskKind
from synth.jobs.store import Task
from synth.jobs.study import StudyOrder
from synth.progress import Reporter


def _study(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.jobs.study_work import study  # brings numpy, pyarrow, scikit-learn

    return study(StudyOrder.of(task.order()), report)


KIND = TaskKind(
    work=_study,
    needs=Needs(niceness=10),
    busy="A comparison of this project is still being made. Wait for it, or stop it first.",
    stopped="The comparison was stopped. Nothing was spent by it.",
    lost="The process that compared stopped without a word. Nothing was spent by it; start it again.",
    failed="The comparison stopped for a reason it does not tell. Nothing was spent by it.",
)
