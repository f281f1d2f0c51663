"""Do a steward's study (`spec.StudyOrder`): compare runs with the private table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.app.jobs.kinds.atlas import OpenedTable, atlas, read
from synth.app.jobs.spec import REAL, StudyKind, StudyOrder
from synth.app.jobs.store import placed
from synth.core.axis import ordered_codes
from synth.core.progress import Progress, Reporter
from synth.core.system.address import Address, address_of
from synth.core.table import CodeTable
from synth.evaluate.examine import PredictionSplit, examine
from synth.evaluate.report import MARK, load_real

_COMPARING = 0.6
"""Share of a steward study's work that comes before its map."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _FinishedTable:
    """A table of a run as a study reads it; `data` is the private file it was made from."""

    run: str
    data: Address
    table: OpenedTable


def study(order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Do the order. The result begins with its mark and is NOT PRIVATE.

    Raises: `Mistake`, `Refusal`; what `report` raises ends the work.
    """
    if order.kind is not StudyKind.STEWARD:
        raise ValueError("only a steward's study may open the private table")
    report(Progress(stage="read", done=0.0, fact="reading the synthetic tables"))
    finished = [_finished(run) for run in order.runs]
    return {"mark": MARK, "runs": list(order.runs), **_steward(finished, order, report)}


def _finished(name: str) -> _FinishedTable:
    spec, place = placed(name)
    return _FinishedTable(run=name, data=address_of(spec.data), table=read(place))


def _steward(finished: Sequence[_FinishedTable], order: StudyOrder, report: Reporter) -> dict[str, Any]:
    """Compare every run with the private table in its own encoding, then draw one map with that table."""
    findings, real = [], {}
    share = (_COMPARING if order.mapped else 1.0) / len(finished)
    for number, one in enumerate(finished):
        part = _part(report, start=share * number, share=share)
        part(Progress(stage="read", done=0.0, fact="reading the private table"))
        table = load_real(one.data, one.table.schema, one.table.axes)
        finding = examine(
            table,
            one.table.synthetic,
            run=one.run,
            ordered=frozenset(ordered_codes(one.table.axes)),
            split=_trial(table, one, order),
            report=part,
        )
        findings.append(finding.to_json())
        real = {REAL: table}
    mapped: dict[str, Any] = {"atlas": None, "unmapped": []}
    if order.mapped:
        part = _part(report, start=_COMPARING, share=1.0 - _COMPARING)
        mapped = atlas({one.run: one.table for one in finished}, real, rows=order.rows, report=part)
    return {"findings": findings, **mapped}


def _trial(real: CodeTable, one: _FinishedTable, order: StudyOrder) -> PredictionSplit | None:
    targets = [name for name in order.targets if name in real.domain]
    if not targets:
        return None
    held_out = load_real(Path(order.held_out), one.table.schema, one.table.axes) if order.held_out else None
    return PredictionSplit.of(real, held_out, targets=targets)


def _part(report: Reporter, *, start: float, share: float) -> Reporter:
    """Return a reporter for the part of the work that begins at `start`."""
    return lambda progress: report(replace(progress, done=start + share * progress.done))
