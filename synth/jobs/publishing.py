"""The process that publishes a run: `python -m synth.jobs.publishing FOLDER`.

The folder is that of an errand (`jobs.errand`), one per run. Its order is the run's bundle, the place of the
publication and its words; `draft/` in it holds the publication until it has been checked.

Writing and checking a table of a million rows takes a minute and much memory, which a page has not got. What
is published is written as a draft, checked as it lies there, and put in its place in one step: a publication
that exists has passed its check.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from synth.errors import Mistake
from synth.jobs import errand
from synth.jobs.store import Status, Workplace
from synth.jobs.vigil import tell
from synth.progress import Progress
from synth.release.statement import Imprint

MODULE = "synth.jobs.publishing"
BUSY = "This run is being published already."
TAKEN = "There is something else already where this publication belongs, so it was not put there."
LOST = "The process that published stopped without a word. Nothing was published; start it again."
FAILED = "The process that published stopped for a reason it does not tell. Nothing was published."


def start(folder: Path, *, source: Path, place: Path, imprint: Imprint) -> None:
    """Publish the bundle at `source` to `place` with these words, in a process of its own.

    Raises: `Mistake` if one is at work in this folder. Whatever else is wrong is for `seen` to say.
    """
    order = {"source": str(source), "place": str(place), **imprint.told()}
    errand.start(folder, module=MODULE, order=order, busy=BUSY)


def seen(folder: Path) -> Status | None:
    """How far the publication in this folder is, None if there was none."""
    return errand.seen(folder, lost=LOST)


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns 0, also if another process has the folder."""
    return errand.run(arguments, _publish, failed=FAILED)


def _publish(work: Workplace) -> None:
    draft = work.folder / "draft"
    try:
        _put(work, draft)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put(work: Workplace, draft: Path) -> None:
    from synth.release import publish as gate  # brings pandas and pyarrow: only in this process
    from synth.release.verify import verify

    order = errand.order_of(work)
    place = Path(order["place"])
    if place.exists():
        raise Mistake(TAKEN)
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    gate.publish(order["source"], draft, imprint=Imprint.of(order), report=lambda fact: tell(work, fact))
    tell(work, Progress(stage="verify", done=0.6, fact="checking what was written"))
    problems = verify(draft).problems
    if problems:
        raise Mistake("\n".join(problems))
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        draft.rename(place)
    except OSError:
        raise Mistake(TAKEN) from None


if __name__ == "__main__":
    sys.exit(main())
