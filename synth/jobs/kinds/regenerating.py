"""Another table from the noisy answers of a bundle, by any machine: public files in, a bundle out.

The seed is part of the order, so that whoever does it, and however often, makes the same table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.device import AUTO
from synth.errors import Mistake
from synth.jobs.elsewhere.executor import CARD
from synth.jobs.kind import TaskKind
from synth.jobs.store import Task
from synth.progress import Progress, Reporter
from synth.release.layout import CHECKSUMS

if TYPE_CHECKING:
    from synth.release.opened import Bundle

_UNSOUND = "What came back from another machine is no table of these answers, so it was not taken: {problem}"


def order(
    *,
    generator: str | None,
    rows: int | None,
    seed: int,
    options: Mapping[str, Any] | None = None,
    device: str = AUTO,
) -> dict[str, Any]:
    """As `jobs.work.further` understands it."""
    kept = dict(options) if options is not None else None
    return {"generator": generator, "rows": rows, "seed": seed, "options": kept, "device": device}


def seed_of(bundle: Path, *, generator: str, rows: int) -> int:
    """The seed of a further table: the same for the same answers, generator and rows (63 bits)."""
    facts = f"{(bundle / CHECKSUMS).read_text(encoding='utf-8')}\n{generator}\n{rows}"
    return int.from_bytes(hashlib.sha256(facts.encode()).digest()[:8]) >> 1


def files(bundle: Path, opened: Bundle) -> dict[str, Path | bytes]:
    """What is read of a bundle, in its folder or its zip: the answers, what was asked for, and the first
    table's codes. Raises: `Mistake` where one of them is missing."""
    layout = opened.layout
    names = (layout.statement, layout.spec, layout.checks, layout.measurements, layout.marginals)
    needed = (CHECKSUMS, *names, layout.parquet)
    for name in needed:
        if name not in opened.files:
            raise Mistake(f"{name} is not there.")
    return {name: opened.files[name] if bundle.is_file() else bundle / name for name in needed}


def wants(opened: Bundle, *, generator: str | None, device: str) -> str:
    """`CARD` if a graphics card would fit this generator, unless another device was asked for by name.
    Raises: `Mistake` for a generator that does not suit."""
    follower = opened.plan(generator=generator).recipe().follower
    return CARD if device == CARD or (device == AUTO and follower.on_device) else ""


def _regenerate(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.jobs.work import further  # brings numpy and pyarrow
    from synth.release import bundle
    from synth.release.opened import open_bundle

    asked = task.order()
    report(Progress(stage="read", done=0.0, fact="reading the noisy counts"))
    synthesis = further(
        open_bundle(task.given),
        generator=asked["generator"],
        options=asked["options"],
        rows=asked["rows"],
        seed=asked["seed"],
        device=asked["device"],
        report=report,
    )
    report(Progress(stage="bundle", done=1.0, fact="writing the table with its papers"))
    bundle.write(synthesis, task.made, rehearsal=synthesis.privacy.rehearsal)
    return {"rows": len(synthesis.table)}


def _accept(task: Task) -> None:
    """The bundle that came back is whole, and from the answers that were sent."""
    from synth.release.opened import open_bundle
    from synth.release.verify import verify

    problems = verify(task.made).problems
    sent, came = open_bundle(task.given), open_bundle(task.made)
    if not problems and (sent.json(sent.layout.measurements), sent.statement["receipt"]) != (
        came.json(came.layout.measurements),
        came.statement["receipt"],
    ):
        problems = ("its noisy answers are others.",)
    if problems:
        raise Mistake(_UNSOUND.format(problem=problems[0]))


KIND = TaskKind(
    work=_regenerate,
    accept=_accept,
    is_public=True,
    stopped="The making of the table was stopped. Nothing was spent.",
    lost="The process that made the table stopped without a word. Nothing was spent; start it again.",
    failed="The process that made the table stopped for a reason it does not tell. Nothing was spent.",
)
