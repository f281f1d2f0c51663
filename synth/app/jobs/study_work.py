"""Run a study (`spec.StudyOrder`): map the tables of runs, or compare runs with the private table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.app.jobs.spec import REAL, StudyKind, StudyOrder
from synth.app.jobs.store import placed
from synth.app.maps.tsne import draw
from synth.core.axis import Axis, ordered_codes
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter
from synth.core.schema import Schema
from synth.core.system.address import Address, address_of
from synth.core.table import CodeTable
from synth.evaluate.examine import PredictionSplit, examine
from synth.evaluate.report import MARK, load_real
from synth.release.opened import open_bundle

_COMPARING = 0.6
"""Part of the progress bar of a private evaluation that is filled before the map is computed."""

_MOST_ROWS = 30_000
"""Maximum number of rows on a map, which take about 90 seconds. More points would hide one another."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _FinishedTable:
    """The synthetic table of a run, encoded with the declared or estimated domains of its columns.

    `data` is the address of the private table of the run.
    """

    run: str
    data: Address
    schema: Schema
    axes: tuple[Axis, ...]
    synthetic: CodeTable


def study(order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Run a study and return its result. The result of a steward study begins with a mark and is NOT PRIVATE.

    Raises: `Mistake`, `Refusal`, and the exceptions of `report`.
    """
    report(Progress(stage="read", done=0.0, fact="reading the synthetic tables"))
    finished, runs = [_finished(run) for run in order.runs], list(order.runs)
    if order.kind is StudyKind.ATLAS:
        return {"runs": runs, **_atlas(finished, {}, rows=order.rows, report=report)}
    return {"mark": MARK, "runs": runs, **_steward(finished, order, report)}


def _finished(name: str) -> _FinishedTable:
    spec, place = placed(name)
    opened = open_bundle(place)
    codebook = opened.evidence.codebook
    return _FinishedTable(
        run=name,
        data=address_of(spec.data),
        schema=codebook.schema,
        axes=codebook.axes,
        synthetic=opened.coded(),
    )


def _atlas(
    tables: Sequence[_FinishedTable], real: Mapping[str, CodeTable], *, rows: int, report: Reporter
) -> dict[str, Any]:
    """Draw one map of all tables that have the encoding of the newest one, and of the private table if it is
    given.

    Only the points of synthetic rows are stored. Raises: `Mistake` if no two tables have the same encoding.
    """
    newest = tables[-1]
    alike = {one.run: one.synthetic for one in tables if one.axes == newest.axes}
    drawn = {**real, **alike}
    if len(drawn) < 2:
        raise Mistake("These runs declare their columns differently, so no map can show two of them.")
    found = draw(
        drawn,
        ordered=ordered_codes(newest.axes),
        points_of=frozenset(alike),
        rows=min(rows, _MOST_ROWS // len(drawn)),
        report=report,
    )
    return {"atlas": found.to_json(), "unmapped": [one.run for one in tables if one.run not in alike]}


def _steward(finished: Sequence[_FinishedTable], order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Compare every run with the private table in the run's encoding, and then draw a map that includes that
    table.
    """
    findings, real = [], {}
    share = (_COMPARING if order.mapped else 1.0) / len(finished)
    for number, one in enumerate(finished):
        part = _part(report, start=share * number, share=share)
        part(Progress(stage="read", done=0.0, fact="reading the private table"))
        table, excluded = load_real(one.data, one.schema, one.axes)
        finding = examine(
            table,
            one.synthetic,
            run=one.run,
            ordered=frozenset(ordered_codes(one.axes)),
            split=_trial(table, one, order),
            report=part,
        )
        findings.append(replace(finding, excluded=excluded).to_json())
        real = {REAL: table}
    mapped: dict[str, Any] = {"atlas": None, "unmapped": []}
    if order.mapped:
        part = _part(report, start=_COMPARING, share=1.0 - _COMPARING)
        mapped = _atlas(finished, real, rows=order.rows, report=part)
    return {"findings": findings, **mapped}


def _trial(real: CodeTable, one: _FinishedTable, order: StudyOrder) -> PredictionSplit | None:
    targets = [name for name in order.targets if name in real.domain]
    if not targets:
        return None
    held_out = load_real(Path(order.held_out), one.schema, one.axes)[0] if order.held_out else None
    return PredictionSplit.of(real, held_out, targets=targets)


def _part(report: Reporter, *, start: float, share: float) -> Reporter:
    """Return a reporter for the part of the work that begins at `start`."""
    return lambda progress: report(replace(progress, done=start + share * progress.done))
