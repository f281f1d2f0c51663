"""Write a file with any number of rows from a bundle's noisy measurements, in blocks (`release.rows`).

The task opens no private file and spends no budget. The file is either complete or absent. The next task
removes the partial files of a killed process. The result contains the number of rows and the time in seconds.
The checks of the rows are stored next to the file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter


def order(*, bundle: Path, place: Path, rows: int) -> dict[str, Any]:
    """Return the order for a new file, .parquet or .csv. Raises: `Mistake` if `rows` is less than 1."""
    if rows < 1:
        raise Mistake(f"A file has at least one row (you requested {rows}).")
    return {"bundle": str(bundle), "place": str(place), "rows": rows}


def _write(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.app.jobs.work import further_rows  # imports numpy and pyarrow
    from synth.release.opened import open_bundle
    from synth.release.rows import LEFT_FREE, checks_beside

    requested, began = task.order(), time.monotonic()
    place = Path(requested["place"])
    for left_over in place.parent.glob(".*.part"):
        left_over.unlink(missing_ok=True)
    if not place.exists():
        checks_beside(place).unlink(missing_ok=True)
    written = further_rows(
        open_bundle(requested["bundle"]),
        place,
        generator=None,
        rows=requested["rows"],
        left_free=LEFT_FREE,
        report=report,
    )
    return {
        "rows": written.rows,
        "seconds": round(time.monotonic() - began, 1),
    }


KIND = TaskKind(work=_write)
