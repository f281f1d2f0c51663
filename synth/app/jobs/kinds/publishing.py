"""Publish a run. Each run has one folder. The order contains the run's package, the target folder and the
imprint.

Writing and checking a table of a million rows takes a minute and a lot of memory, which is too much for a
page. The release package is written to the task's folder as a draft, checked there, and moved to its final
path in one step. So every existing publication has passed its check.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter

if TYPE_CHECKING:
    from synth.release.documents.statement import Imprint

TAKEN = "The folder of this publication exists already, so nothing was written there."


def order(*, source: Path, place: Path, imprint: Imprint) -> dict[str, Any]:
    """Return the order to publish a bundle with this imprint. Problems are reported by the task itself."""
    return {"source": str(source), "place": str(place), **imprint.fields()}


def _publish(task: Task, report: Reporter) -> None:
    draft = task.folder / "draft"
    shutil.rmtree(draft, ignore_errors=True)  # from a process that was killed
    try:
        _put(task.order(), draft, report)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put(order: dict[str, Any], draft: Path, report: Reporter) -> None:
    from synth.analyst.shown.notebook import write as notebook
    from synth.release import publish as gate  # imports pandas and pyarrow: only in this process
    from synth.release.documents.statement import Imprint
    from synth.release.verify import verify

    place = Path(order["place"])
    if place.exists():
        raise Mistake(TAKEN)
    gate.publish(order["source"], draft, imprint=Imprint.of(order), notebook=notebook, report=report)
    report(Progress(stage="verify", done=0.6, fact="checking the written files"))
    problems = verify(draft, notebook=notebook).problems
    if problems:
        raise Mistake("\n".join(problems))
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        draft.rename(place)
    except OSError:
        raise Mistake(TAKEN) from None


KIND = TaskKind(work=_publish)
