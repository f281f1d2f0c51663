"""A further table of a finished run: from the noisy answers in its bundle, by another generator.

No private file is opened, no ledger is asked, nothing is spent. The table lies beside the release
(`spec.place_of`). One folder per run; its order is the run, the generator and the number of rows.
"""

from __future__ import annotations

from typing import Any

from synth.errors import Mistake
from synth.jobs.kind import TaskKind
from synth.jobs.spec import is_made, place_of
from synth.jobs.store import Job, Task
from synth.progress import Progress, Reporter


def order(*, run: str, generator: str, rows: int) -> dict[str, Any]:
    """A table of so many rows by a generator; that a generator does not suit is for the work to tell.

    Raises: `Mistake` for no rows, or where there is such a table already.
    """
    if rows < 1:
        raise Mistake(f"A table has at least one row (you asked for {rows}).")
    if is_made(Job.find(run).spec(), generator):
        raise Mistake(f"This run has a table by {generator!r} already.")
    return {"run": run, "generator": generator, "rows": rows}


def _make(task: Task, report: Reporter) -> None:
    from synth.jobs.work import further, publish  # brings numpy and pyarrow
    from synth.release.opened import open_bundle

    order = task.order()
    spec = Job.find(order["run"]).spec()
    report(Progress(stage="read", done=0.1, fact="reading the noisy counts"))
    synthesis = further(
        open_bundle(spec.out), generator=order["generator"], rows=order["rows"], report=report
    )
    report(Progress(stage="bundle", done=0.9, fact="writing the table with its papers"))
    publish(synthesis, place_of(spec, order["generator"]), run=spec.run)


KIND = TaskKind(
    work=_make,
    busy="Another table of this run is being made already. Wait for it.",
    lost="The process that made another table stopped without a word. Nothing was spent; start it again.",
    failed="The process that made another table stopped for a reason it does not tell. Nothing was spent.",
)
