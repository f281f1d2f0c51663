"""Further tables of a finished run: from the noisy answers in its bundle, by other generators.

Each is an errand of the kind `regenerating`, which another machine may do. No private file is opened, no
ledger is asked, nothing is spent. The tables lie beside the release (`spec.place_of`), and one that is made
stays when the making of the next is stopped. One folder per run; its order is the run, the generators and the
number of rows.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import regenerating
from synth.app.jobs.spec import RunSpec, is_made, place_of
from synth.app.jobs.store import Job, Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter


def order(*, run: str, generators: Sequence[str], rows: int) -> dict[str, Any]:
    """A table of so many rows by each generator; that one does not suit is for the work to tell.

    Raises: `Mistake` for no generator, no rows, or where there is such a table already.
    """
    if rows < 1:
        raise Mistake(f"A table has at least one row (you asked for {rows}).")
    if not generators:
        raise Mistake("Choose at least one generator.")
    spec = Job.find(run).spec()
    for generator in generators:
        if is_made(spec, generator):
            raise Mistake(f"This run has a table by {generator!r} already.")
    return {"run": run, "generators": list(generators), "rows": rows}


def _make(task: Task, report: Reporter) -> None:
    """One table after another. One that cannot be made does not keep back the next.

    Raises: `Mistake` in the end, with the reason of every table that could not be made.
    """
    from synth.app.jobs.work import within  # brings numpy and pyarrow

    order = task.order()
    spec, generators = Job.find(order["run"]).spec(), order["generators"]
    reasons = []
    for number, generator in enumerate(generators):
        part = within(report, generator, start=number / len(generators), share=1 / len(generators))
        try:
            _make_one(task, spec, generator, rows=order["rows"], report=part)
        except Mistake as mistake:
            reasons.append(f"No table by {generator}: {mistake}" if len(generators) > 1 else str(mistake))
    if reasons:
        raise Mistake(" ".join(reasons))


def _make_one(task: Task, spec: RunSpec, generator: str, *, rows: int, report: Reporter) -> None:
    from synth.app.jobs.work import draft_of, put
    from synth.release.opened import open_bundle

    bundle, place = Path(spec.out), place_of(spec, generator)
    opened = open_bundle(bundle)
    wants = regenerating.wants(opened, generator=generator, device=spec.device)
    seed = regenerating.seed_of(bundle, generator=generator, rows=rows)
    asked = regenerating.order(generator=generator, rows=rows, seed=seed, device=spec.device)
    folder = draft_of(place, run=spec.run)
    try:
        errand = prepared(folder, "regenerating", order=asked, files=regenerating.files(bundle, opened))
        chosen().do(errand, regenerating.KIND, report=report, wants=wants, on=task.say_where)
        made, _ = regenerating.finished(errand, report)
        put(made, place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


KIND = TaskKind(
    work=_make,
    busy="Another table of this run is being made already. Wait for it.",
    stopped="The making of tables was stopped. Nothing was spent; those that were finished are there.",
    lost="The process that made another table stopped without a word. Nothing was spent; start it again.",
    failed="The process that made another table stopped for a reason it does not tell. Nothing was spent.",
)
