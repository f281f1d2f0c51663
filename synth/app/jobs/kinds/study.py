"""A look at finished runs, at a lower priority than releases; `jobs.study` is what may be asked.

A map of synthetic tables alone may be drawn by another machine; what looks at the private table never is.
"""

from __future__ import annotations

import shutil
from typing import Any

from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.kind import Needs, TaskKind
from synth.app.jobs.kinds import atlas
from synth.app.jobs.store import Task, placed
from synth.app.jobs.study import StudyKind, StudyOrder
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


KIND = TaskKind(
    work=_study,
    needs=Needs(niceness=10),
    busy="A comparison of this project is still being made. Wait for it, or stop it first.",
    stopped="The comparison was stopped. Nothing was spent by it.",
    lost="The process that compared stopped without a word. Nothing was spent by it; start it again.",
    failed="The comparison stopped for a reason it does not tell. Nothing was spent by it.",
)
