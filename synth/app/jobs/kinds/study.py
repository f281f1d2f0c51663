"""A comparison of finished runs in a process of its own, at a lower priority than releases.

Two kinds. A *steward* study compares the runs with the private table: NOT PRIVATE, so its answer stays in a
folder that only the owner can open, and its progress shows nothing of it. An *atlas* maps the synthetic
tables of the runs, reads nothing else, and may be drawn by another machine. A study spends no budget and
holds no place in the queue of runs.
"""

from __future__ import annotations

import shutil
from typing import Any

from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.kind import Needs, TaskKind
from synth.app.jobs.kinds import atlas
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import Task, placed
from synth.core.progress import Progress, Reporter


def _study(task: Task, report: Reporter) -> dict[str, Any]:
    order = StudyOrder.of(task.order())
    if order.kind is StudyKind.ATLAS:
        return {"runs": list(order.runs), **_mapped(task, order, report)}
    from synth.app.jobs.study_work import study  # brings numpy, pyarrow, scikit-learn

    return study(order, report)


def _mapped(task: Task, order: StudyOrder, report: Reporter) -> dict[str, Any]:
    report(Progress(stage="read", done=0.0, fact="reading the synthetic tables"))
    places = {run: placed(run)[1] for run in order.runs}
    folder = task.folder / "errand"
    shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed
    asked = atlas.order(runs=order.runs, rows=order.rows)
    try:
        errand = prepared(folder, "atlas", order=asked, files=atlas.files(places))
        chosen().do(errand, atlas.KIND, report=report, on=task.say_where)
        return errand.answer() or {}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


KIND = TaskKind(work=_study, needs=Needs(niceness=10))
