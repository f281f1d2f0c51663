"""Make further tables of a finished run with other generators, from the noisy measurements in its bundle.

Each table is a task of the kind `regenerating`, which another machine may run. The task opens no private file
and spends no budget. The tables are stored next to the release (`spec.place_of`). If a table is stopped, the
finished ones are kept. Each run has one folder. The order contains the run, the generators and the number of
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import regenerating
from synth.app.jobs.spec import RunSpec, is_made, place_of
from synth.app.jobs.store import Job, Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter


def order(*, run: str, generators: Sequence[str], rows: int) -> dict[str, Any]:
    """Return the order for one table from each generator.

    Raises: `Mistake` if there is no generator, if `rows` is less than 1, or if one of the tables exists
    already.
    """
    if rows < 1:
        raise Mistake(f"A table has at least one row (you requested {rows}).")
    if not generators:
        raise Mistake("Choose at least one generator.")
    spec = Job.find(run).spec()
    for generator in generators:
        if is_made(spec, generator):
            raise Mistake(f"This run already has a table by {generator!r}.")
    return {"run": run, "generators": list(generators), "rows": rows}


def _make(task: Task, report: Reporter) -> None:
    """Make one table after another. If a table fails, continue with the next one.

    Raises: `Mistake` at the end, with the reason for every failed table.
    """
    from synth.app.jobs.work import within  # imports numpy and pyarrow

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
    bundle = Path(spec.out)
    seed = regenerating.seed_of(bundle, generator=generator, rows=rows)
    requested = regenerating.order(generator=generator, rows=rows, seed=seed, device=spec.device)
    regenerating.remade(
        bundle,
        place_of(spec, generator),
        run=spec.run,
        order=requested,
        executor=chosen(),
        report=report,
        on=task.say_where,
    )


KIND = TaskKind(work=_make)
