"""Run a release in the worker: read the spec, release the table, and write the package to its folder."""

from __future__ import annotations

import glob
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth import pipeline
from synth.analyst.measured import Measured
from synth.analyst.shown.notebook import write as notebook
from synth.analyst.since import changes_since
from synth.app.jobs import released_files
from synth.app.jobs.budget import open_line
from synth.app.jobs.heartbeat import heed
from synth.app.jobs.kept_fits import KeptFits
from synth.app.jobs.spec import ELSEWHERE, RunSpec, fresh_seed, place_of
from synth.core.columns.published import Modelled
from synth.core.errors import Cancelled, Mistake
from synth.core.progress import UNKEPT, Progress, Reporter, silent
from synth.core.system.address import address_of
from synth.core.system.device import AUTO
from synth.private.entropy import OS_ENTROPY, Entropy, Rehearsal
from synth.private.ledger import RUN_SECONDS, Ledger, Patience
from synth.private.reading.vault import Vault
from synth.release import bundle
from synth.release.drawing import Drawn
from synth.release.opened import Bundle
from synth.release.place import ANOTHER, is_taken, writing
from synth.release.plan import Plan
from synth.release.rows import Written, write_rows

if TYPE_CHECKING:
    from synth.app.jobs.store import Job, Task
    from synth.release.synthesis import Synthesis

EXTRAS = "extras"
"""Name of the stage that makes further tables."""

LATER = (
    "You can make it from the release package later without a privacy cost. Use the page Results, or "
    "marginalia regenerate."
)
WAITING = "waiting for the budget ledger, which another run is using"


def release(spec: RunSpec, report: Reporter, *, job: Job | None = None) -> None:
    """Open the lifetime budget if the steward agreed, release the table, and write the bundle to `spec.out`.

    A second call for the same spec continues from the stored measurements and spends nothing twice. With the
    run's `job`, a second call requires the same rows of the same file, and fits between rounds are reused
    until the run is done.

    Raises: the errors of `pipeline.release`; `Mistake` if the bundle cannot be written to its folder; with a
    `job`, `ReleasedBefore` before it reserves budget.
    """
    plan = spec.plan()
    vault, fits = None, None
    start = spec.started()
    if job is not None:
        if spec.rehearsal is None:  # a practice run uses a public file
            released_files.check(
                address_of(spec.data),
                population=spec.population,
                run=spec.run,
                ledger=Path(spec.ledger),
                others=job.has_other_people,
            )
            if spec.start:  # it may be a copy of the file of this run
                released_files.check_public(Path(spec.start))
        vault, fits = Vault(job.vault), KeptFits(job.fits)
        if job.accepts_unfit:
            plan = replace(plan, most_unfit=1.0)
    report, patience = patient(report, job)
    entropy: Entropy = OS_ENTROPY if spec.rehearsal is None else Rehearsal(spec.rehearsal)
    with closing(Ledger(Path(spec.ledger), patience=patience)) as ledger:
        if sentence := open_line(ledger, spec):
            report(Progress(stage="budget", done=0.0, fact=sentence))
        synthesis = pipeline.release(
            plan,
            data=address_of(spec.data),
            ledger=ledger,
            run=spec.run,
            start=start,
            report=report,
            entropy=entropy,
            vault=vault,
            fits=UNKEPT if fits is None else fits,
        )
    if spec.since:
        synthesis = replace(synthesis, changes=_changes(synthesis, spec.since, report))
    report(Progress(stage="bundle", done=1.0, fact="writing the release package"))
    publish(synthesis, Path(spec.out), run=spec.run, advice=ELSEWHERE.format(run=spec.run), also=spec.also)
    _extras(plan, synthesis, spec=spec, report=report)
    if fits is not None:
        fits.remove()


def _changes(synthesis: Synthesis, since: str, report: Reporter) -> dict[str, Any]:
    """Return what has changed since an earlier release. If this cannot be determined, report that and return
    nothing.
    """
    after = Measured(
        evidence=synthesis.evidence,
        spec={},
        generator=synthesis.generator,
        checks={},
        rows=partial(Modelled, synthesis.table, synthesis.schema),
    )
    try:
        return changes_since(since, after, rehearsal=synthesis.privacy.rehearsal)
    except Mistake as mistake:
        report(Progress(stage="bundle", done=0.0, fact=f"not compared with the earlier release: {mistake}"))
        return {}


def patient(report: Reporter, task: Task | None) -> tuple[Reporter, Patience]:
    """Return a reporter, and a `Patience` that reports every wait for the ledger as part of the current
    stage.

    A request to stop the task ends a wait.
    """
    last = Progress(stage="budget", done=0.0, fact="")

    def remembering(progress: Progress) -> None:
        nonlocal last
        last = progress
        report(progress)

    def waiting(attempt: int) -> None:
        if attempt == 0:
            report(replace(last, fact=WAITING))
        elif task is not None:
            heed(task)

    return remembering, Patience(seconds=RUN_SECONDS, waiting=waiting)


def further(
    opened: Bundle,
    *,
    generator: str | None,
    options: Mapping[str, Any] | None = None,
    rows: int | None,
    seed: int | None = None,
    device: str = AUTO,
    records: Drawn | None = None,
    report: Reporter = silent,
) -> Synthesis:
    """Make another table from a bundle's evidence, without a privacy cost.

    The generator, options and number of rows default to those of the bundle. With `records`
    (`pipeline.drawn`), no model is fitted.

    Raises: `Mistake` for an unsuitable generator or an inconsistent bundle.
    """
    return pipeline.regenerate(
        opened.plan(
            generator=generator,
            generator_options=options,
            rows=rows,
            seed=fresh_seed() if seed is None else seed,
            device=device,
        ),
        opened.evidence,
        opened.privacy,
        first=opened,
        records=records,
        report=report,
    )


def further_rows(
    opened: Bundle,
    out: Path,
    *,
    generator: str | None,
    options: Mapping[str, Any] | None = None,
    rows: int | None,
    device: str = AUTO,
    left_free: int = 0,
    report: Reporter = silent,
) -> Written:
    """Write rows from a bundle's evidence into one file, in blocks, without a privacy cost.

    See `release.rows`.

    Raises: `Mistake` as in `further`, if the file exists, and for a practice run, because its rows need the
    warning in a bundle.
    """
    if opened.privacy.rehearsal:
        raise Mistake(
            "This is a practice run. To get its rows, write a release package, which includes the "
            "practice-run warning."
        )
    plan = opened.plan(
        generator=generator, generator_options=options, rows=rows, seed=fresh_seed(), device=device
    )
    model = pipeline.refitted(plan, opened.evidence, report=report)
    return write_rows(plan, opened.evidence, model, out, left_free=left_free, report=report)


def _extras(plan: Plan, synthesis: Synthesis, *, spec: RunSpec, report: Reporter) -> None:
    """Make the further tables, one after another. The release is already complete. After a request to stop,
    only the unfinished tables are missing.
    """
    for number, generator in enumerate(spec.extras):
        part = within(report, generator, start=number / len(spec.extras), share=1 / len(spec.extras))
        try:
            _extra(plan, synthesis, spec=spec, generator=generator, report=part)
        except Cancelled:
            with suppress(Cancelled):  # every report raises after a stop
                left_out = ", ".join(spec.extras[number:])
                report(Progress(stage=EXTRAS, done=1.0, fact=f"stopped; no table by {left_out}"))
            return


def _extra(plan: Plan, synthesis: Synthesis, *, spec: RunSpec, generator: str, report: Reporter) -> None:
    """Make one further table. An unsuitable generator is reported, and the work continues."""
    try:
        other = replace(plan, generator=generator, generator_options={})
        table = pipeline.regenerate(
            other, synthesis.evidence, synthesis.privacy, first=synthesis, report=report
        )
        publish(table, place_of(spec, generator), run=spec.run, advice=LATER)
        fact = "another table from the same measurements, without a privacy cost"
    except Mistake as mistake:
        fact = f"no table: {mistake}"
    report(Progress(stage=EXTRAS, done=1.0, fact=fact))


def within(report: Reporter, generator: str, *, start: float, share: float) -> Reporter:
    """Return a reporter for the part of the work that belongs to one generator. It adds the name of the
    generator to each fact.
    """
    return lambda progress: report(
        replace(
            progress,
            stage=EXTRAS,
            done=start + share * min(progress.done, 1.0),
            fact=f"{generator}: {progress.fact}",
        )
    )


def publish(synthesis: Synthesis, out: Path, *, run: str, advice: str, also: Sequence[str] = ()) -> None:
    """Write the bundle next to `out`, and move it to `out` in one step, so that `out` is complete or absent.

    Raises: the errors of `put`."""
    with writing(out, advice=advice):
        draft = draft_of(out, run=run)
        practice = synthesis.privacy.rehearsal
        bundle.write(synthesis, draft, rehearsal=practice, also=also, notebook=notebook)
        put(draft, out, advice=advice)


def draft_of(out: Path, *, run: str) -> Path:
    """Return an unused path next to `out` for a draft of the bundle. Earlier drafts are removed."""
    out.parent.mkdir(parents=True, exist_ok=True)
    for left_over in out.parent.glob(f"*{glob.escape(out.name)}.{run}.part*"):
        shutil.rmtree(left_over, ignore_errors=True)
    return out.with_name(f"{out.name}.{run}.part")


def put(draft: Path, out: Path, *, advice: str = ANOTHER) -> None:
    """Move a package to its folder in one step. If the same package is already there, because the worker was
    killed after the move, it is kept.

    Raises: `Mistake` if another entry is there, or for a disk error.
    """
    with writing(out, advice=advice):
        try:
            draft.rename(out)
        except OSError:
            same = _checksums(draft) == _checksums(out)
            shutil.rmtree(draft, ignore_errors=True)
            if same:
                return
            if is_taken(out):
                raise Mistake(f"The path {str(out)!r} was taken during the run. {advice}") from None
            raise


def _checksums(folder: Path) -> bytes | None:
    path = folder / "CHECKSUMS.sha256"
    return path.read_bytes() if path.is_file() else None
