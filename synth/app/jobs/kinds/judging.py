"""Measure the accuracy of a released table, charged to a lifetime budget (see `jobs.judging`).

The order names the release package, the private table, the ledger and the run. The result is a public
document next to the package. The package itself does not change. If the run ends early, it keeps its
reservation until it is resumed from the saved measurements or closed.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.app.jobs.kinds import release
from synth.app.jobs.spec import fresh_run
from synth.app.jobs.store import Task, write
from synth.core.progress import Progress, Reporter


def order(
    *, package: Path, data: str, ledger: Path, epsilon: float, delta: float, target: str | None
) -> dict[str, Any]:
    """Return the order. `data` is the address of the private table, and `target` is a column to predict."""
    places = {"package": str(package), "data": data, "ledger": str(ledger)}
    return {"run": fresh_run(), **places, "epsilon": epsilon, "delta": delta, "target": target}


def place_of(package: Path) -> Path:
    """Return the path of the document with the measured accuracy of a package's table."""
    return package.with_name(f"{package.name}-accuracy.json")


def _judge(task: Task, report: Reporter) -> None:
    from synth.app.jobs import judging  # imports numpy, pyarrow and opendp
    from synth.app.jobs.work import patient
    from synth.core.system.address import address_of
    from synth.private.ledger import Ledger
    from synth.release.layout import json_text
    from synth.release.place import date_to_day

    requested = task.order()
    package, terms = (
        Path(requested["package"]),
        {name: requested[name] for name in ("epsilon", "delta", "target")},
    )
    report(Progress(stage="read", done=0.0, fact="checking the release package"))
    plan = judging.planned(package, **terms)
    report, patience = patient(report, task)
    with closing(Ledger(Path(requested["ledger"]), patience=patience)) as book:
        made = judging.measured(
            plan,
            data=address_of(requested["data"]),
            book=book,
            run=requested["run"],
            others=task.has_other_people,
            vault=task.vault,
            report=report,
        )
    write(place_of(package), json_text(made.document))
    date_to_day(place_of(package))


def _charges(task: Task) -> tuple[int, int]:
    from synth.app.jobs.budget import charged

    requested = task.order()
    return charged(Path(requested["ledger"]), requested["run"])


KIND = replace(release.KIND, work=_judge, charges=_charges, queues=False, niceness=10)
