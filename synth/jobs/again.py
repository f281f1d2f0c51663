"""The process that makes a further table of a finished run: `python -m synth.jobs.again FOLDER`.

The folder is that of an errand (`jobs.errand`), one per run. Its order is the run, the generator and the
number of rows. The table is made from the noisy answers in the run's bundle: no private file is opened, no
ledger is asked, nothing is spent. It lies where the run would have put it (`work.place_of`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from synth.errors import Mistake
from synth.jobs import errand
from synth.jobs.spec import RunSpec
from synth.jobs.store import Job, Status, Workplace
from synth.jobs.vigil import tell
from synth.jobs.work import further, place_of, publish
from synth.progress import Progress
from synth.release.layout import CHECKSUMS
from synth.release.opened import open_bundle

MODULE = "synth.jobs.again"
BUSY = "Another table of this run is being made already. Wait for it."
LOST = "The process that made another table stopped without a word. Nothing was spent; start it again."
FAILED = "The process that made another table stopped for a reason it does not tell. Nothing was spent."


def start(folder: Path, *, run: str, generator: str, rows: int) -> None:
    """Make a table of so many rows by a generator, in a process of its own; `seen` tells when it is there.

    Raises: `Mistake` for no rows, where there is such a table already, or while another is being made. A
    generator that does not suit is for `seen` to tell.
    """
    if rows < 1:
        raise Mistake(f"A table has at least one row (you asked for {rows}).")
    if is_made(Job.find(run).spec(), generator):
        raise Mistake(f"This run has a table by {generator!r} already.")
    order = {"run": run, "generator": generator, "rows": rows}
    errand.start(folder, module=MODULE, order=order, busy=BUSY)


def is_made(spec: RunSpec, generator: str) -> bool:
    """Whether a further table of a run is there."""
    return (place_of(spec, generator) / CHECKSUMS).is_file()


def seen(folder: Path) -> Status | None:
    """How far the table in this folder is, None if none was asked for."""
    return errand.seen(folder, lost=LOST)


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns 0, also if another process has the folder."""
    return errand.run(arguments, _make, failed=FAILED)


def _make(work: Workplace) -> None:
    order = errand.order_of(work)
    spec = Job.find(order["run"]).spec()
    tell(work, Progress(stage="read", done=0.1, fact="reading the noisy counts"))
    synthesis = further(
        open_bundle(spec.out),
        generator=order["generator"],
        rows=order["rows"],
        report=lambda progress: tell(work, progress),
    )
    tell(work, Progress(stage="bundle", done=0.9, fact="writing the table with its papers"))
    publish(synthesis, place_of(spec, order["generator"]), run=spec.run)


if __name__ == "__main__":
    sys.exit(main())
