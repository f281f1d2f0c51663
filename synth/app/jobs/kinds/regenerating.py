"""Make another table from the noisy measurements of a bundle, on any machine. The result consists of encoded
records.

The seed is part of the order, so every machine draws the same records. The machine that posts the order
writes all other files of the bundle (`finished`), so no other machine contributes to the documents.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.app.jobs.elsewhere.executor import CARD, Executor, ignore, prepared
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter, silent
from synth.core.system.device import AUTO
from synth.release.layout import CHECKSUMS

if TYPE_CHECKING:
    from synth.release.drawing import Drawn
    from synth.release.opened import Bundle

RECORDS = "records.parquet"
"""Name of the only result file, which contains encoded rows."""

_UNSOUND = (
    "The result from another machine was refused: it does not contain exactly {rows} records in the encoding "
    "of these measurements."
)


def order(
    *,
    generator: str | None,
    rows: int | None,
    seed: int,
    options: Mapping[str, Any] | None = None,
    device: str = AUTO,
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the order, whose fields become the plan for `pipeline.drawn`.

    `also` names further formats of the table (`release.formats.forms`).
    """
    kept = dict(options) if options is not None else None
    whole = {"generator": generator, "rows": rows, "seed": seed, "options": kept, "device": device}
    return {**whole, **({"also": [*also]} if also else {})}


def seed_of(bundle: Path, *, generator: str, rows: int) -> int:
    """Return the seed of a further table (63 bits), which depends on the bundle, the generator and the number
    of rows.
    """
    facts = f"{(bundle / CHECKSUMS).read_text(encoding='utf-8')}\n{generator}\n{rows}"
    return int.from_bytes(hashlib.sha256(facts.encode()).digest()[:8]) >> 1


def files(bundle: Path, opened: Bundle) -> dict[str, Path | bytes]:
    """Return the files that the task reads from a bundle (a folder or zip file).

    Raises: `Mistake` if one is missing.
    """
    layout = opened.layout
    names = (layout.statement, layout.spec, layout.checks, layout.measurements, layout.marginals)
    needed = (CHECKSUMS, *names, layout.parquet)
    for name in needed:
        if name not in opened.files:
            raise Mistake(f"The release package has no file {name}.")
    return {name: opened.files[name] if bundle.is_file() else bundle / name for name in needed}


def remade(
    bundle: Path,
    place: Path,
    *,
    run: str,
    order: Mapping[str, Any],
    executor: Executor,
    report: Reporter = silent,
    on: Callable[[str], object] = ignore,
) -> int:
    """Make another table from a bundle with an executor, and move the new bundle to `place`.

    Return the number of rows. Raises: the errors of `Executor.do` and `work.put`.
    """
    from synth.app.jobs.work import draft_of, put
    from synth.release.opened import open_bundle

    opened, folder = open_bundle(bundle), draft_of(place, run=run)
    try:
        errand = prepared(folder, "regenerating", order=order, files=files(bundle, opened))
        wanted = wants(opened, generator=order["generator"], device=order["device"])
        executor.do(errand, KIND, report=report, wants=wanted, on=on)
        made, rows = finished(errand, report)
        put(made, place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def wants(opened: Bundle, *, generator: str | None, device: str) -> str:
    """Return `CARD` if a graphics card speeds up this generator and no other device was chosen.

    Raises: `Mistake` for an unsuitable generator."""
    follower = opened.plan(generator=generator).recipe().follower
    return CARD if device == CARD or (device == AUTO and follower.on_device) else ""


def _regenerate(task: Task, report: Reporter) -> dict[str, Any]:
    from synth import pipeline  # imports numpy and pyarrow
    from synth.release import parquet
    from synth.release.opened import open_bundle

    report(Progress(stage="read", done=0.0, fact="reading the noisy measurements"))
    opened, requested = open_bundle(task.given), task.order()
    plan = opened.plan(
        generator=requested["generator"],
        generator_options=requested["options"],
        rows=requested["rows"],
        seed=requested["seed"],
        device=requested["device"],
    )
    drawn = pipeline.drawn(plan, opened.evidence, report=report)
    task.made.mkdir(mode=0o700, parents=True, exist_ok=True)
    (task.made / RECORDS).write_bytes(parquet.write_codes(drawn.table.codes))
    return {"converged": drawn.converged}


def finished(errand: Task, report: Reporter = silent) -> tuple[Path, int]:
    """Write the bundle of a finished task to the task's folder. Return the path and the number of rows.

    Only the records come from the executor. Values, checks, statement and report are made on this machine
    from the bundle and the order, so they are the same for every executor. Raises: `Mistake` unless the
    result has the requested number of records in the encoding of the measurements.
    """
    from synth.analyst.shown.notebook import write as notebook
    from synth.app.jobs.work import further
    from synth.release import bundle
    from synth.release.opened import open_bundle

    records, requested = _records(errand), errand.order()
    synthesis = further(
        open_bundle(errand.given),
        generator=requested["generator"],
        options=requested["options"],
        rows=records.table.rows,
        seed=requested["seed"],
        records=records,
        report=report,
    )
    report(Progress(stage="bundle", done=1.0, fact="writing the table and its documents"))
    place = errand.folder / "bundle"
    also, practice = requested.get("also", ()), synthesis.privacy.rehearsal
    bundle.write(synthesis, place, rehearsal=practice, also=also, notebook=notebook)
    return place, records.table.rows


def _records(task: Task) -> Drawn:
    """Return the records that came from the executor. Raises: `Mistake` as in `finished`."""
    from synth.core.table import CodeTable
    from synth.release import parquet
    from synth.release.drawing import Drawn
    from synth.release.opened import open_bundle

    opened, requested, answer = open_bundle(task.given), task.order(), task.answer() or {}
    evidence = opened.evidence
    rows = opened.spec["rows"] if requested["rows"] is None else requested["rows"]
    place = task.made / RECORDS
    try:
        if place.is_symlink() or set(answer) != {"converged"} or not isinstance(answer["converged"], bool):
            raise ValueError("not a result of this kind")
        codes = parquet.read_codes(place.read_bytes(), rows=rows, columns=len(evidence.domain))
        table = CodeTable(evidence.domain, codes)
    except (OSError, ValueError):
        raise Mistake(_UNSOUND.format(rows=rows)) from None
    return Drawn(table=table, total=evidence.total, converged=answer["converged"])


KIND = TaskKind(
    work=_regenerate,
    accept=_records,
    is_public=True,
)
