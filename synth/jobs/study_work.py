"""The work of a study (`jobs.study`) in its own process: from run ids to an answer of plain types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.address import Address, address_of
from synth.axis import Axis, ordered_codes
from synth.embed.tsne import draw
from synth.errors import Mistake
from synth.evaluate.examine import PredictionSplit, examine
from synth.evaluate.report import MARK, load_real, load_synthetic
from synth.jobs.spec import RunSpec, is_made, place_of
from synth.jobs.store import Job
from synth.jobs.study import REAL, StudyKind, StudyOrder
from synth.progress import Progress, Reporter
from synth.release.opened import open_bundle
from synth.schema import Schema
from synth.table import CodeTable

_MOST_ON_A_MAP = 30_000
"""Rows on a map in all: more take longer than a quarter of an hour."""

_COMPARING = 0.6
"""Share of a steward study's work that comes before its map."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _FinishedTable:
    """A table of a run as a study reads it; `data` is the private file it was made from."""

    run: str
    data: Address
    schema: Schema
    axes: tuple[Axis, ...]
    synthetic: CodeTable


def study(order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Do what was asked. The answer of a steward study begins with its mark and is NOT PRIVATE.

    Raises: `Mistake`, `Refusal`; what `report` raises ends the work.
    """
    report(Progress(stage="read", done=0.0, fact="reading the synthetic tables"))
    finished = [_finished(run) for run in order.runs]
    if order.kind is StudyKind.ATLAS:
        return {"runs": list(order.runs), **_atlas(finished, {}, order, report)}
    return {"mark": MARK, "runs": list(order.runs), **_steward(finished, order, report)}


def _finished(name: str) -> _FinishedTable:
    spec, place = _placed(name)
    opened = open_bundle(place)
    schema, axes = opened.evidence.codebook.schema, opened.evidence.codebook.axes
    return _FinishedTable(
        run=name,
        data=address_of(spec.data),
        schema=schema,
        axes=axes,
        synthetic=load_synthetic(place / opened.layout.parquet, schema, axes),
    )


def _placed(name: str) -> tuple[RunSpec, Path]:
    """The run behind a table's name, and where its bundle lies. Raises: `Mistake` if there is no such run."""
    run, _, generator = name.rpartition("-")
    for job in Job.all():
        if job.run == name:
            return job.spec(), Path(job.spec().out)
        if job.run == run and is_made(job.spec(), generator):
            return job.spec(), place_of(job.spec(), generator)
    raise Mistake(f"There is no finished table {name!r} here.")


def _steward(finished: Sequence[_FinishedTable], order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Every run against the private table as its own axes see it, then one map with the private table."""
    findings, real = [], {}
    share = (_COMPARING if order.mapped else 1.0) / len(finished)
    for number, one in enumerate(finished):
        part = _part(report, start=share * number, share=share)
        part(Progress(stage="read", done=0.0, fact="reading the private table"))
        table = load_real(one.data, one.schema, one.axes)
        finding = examine(
            table,
            one.synthetic,
            run=one.run,
            ordered=frozenset(ordered_codes(one.axes)),
            split=_trial(table, one, order),
            report=part,
        )
        findings.append(finding.to_json())
        real = {REAL: table}
    mapped = _atlas(finished, real, order, report) if order.mapped else {"atlas": None, "unmapped": []}
    return {"findings": findings, **mapped}


def _trial(real: CodeTable, one: _FinishedTable, order: StudyOrder) -> PredictionSplit | None:
    targets = [name for name in order.targets if name in real.domain]
    if not targets:
        return None
    held_out = load_real(Path(order.held_out), one.schema, one.axes) if order.held_out else None
    return PredictionSplit.of(real, held_out, targets=targets)


def _atlas(
    finished: Sequence[_FinishedTable], real: dict[str, CodeTable], order: StudyOrder, report: Reporter
) -> dict[str, Any]:
    """One map, in the newest run's codes, of the private table if it is given and of all runs that have the
    same codes. Points are kept of synthetic rows alone."""
    newest = finished[-1]
    alike = [one for one in finished if one.axes == newest.axes]
    tables = {**real, **{one.run: one.synthetic for one in alike}}
    if len(tables) < 2:
        raise Mistake("These runs declare their columns differently, so that no map holds two of them.")
    start = _COMPARING if real else 0.0
    atlas = draw(
        tables,
        ordered=ordered_codes(newest.axes),
        points_of=frozenset(one.run for one in alike),
        rows=min(order.rows, _MOST_ON_A_MAP // len(tables)),
        report=_part(report, start=start, share=1.0 - start),
    )
    return {"atlas": atlas.to_json(), "unmapped": [one.run for one in finished if one not in alike]}


def _part(report: Reporter, *, start: float, share: float) -> Reporter:
    """A reporter for the part of the work that begins at `start`."""
    return lambda progress: report(replace(progress, done=start + share * progress.done))
