"""Compare finished runs in a separate process, at a lower priority than releases.

There are two kinds of studies. A *steward* study compares the runs with the private table. Its result is NOT
PRIVATE, so it is stored in a folder that only the owner can open, and its progress reveals no results. An
*atlas* study maps the synthetic tables of the runs and reads nothing else. A study spends no budget and does
not wait in the queue of runs.
"""

from __future__ import annotations

from typing import Any

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.spec import StudyOrder
from synth.app.jobs.store import Task
from synth.core.documents import read_as
from synth.core.progress import Reporter


def _study(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.app.jobs.study_work import study  # imports numpy, pyarrow and scikit-learn

    return study(read_as(StudyOrder, task.order()), report)


KIND = TaskKind(work=_study, niceness=10)
