"""A map of synthetic tables, by any machine: bundles in, points out. Its order is how many rows of each are
drawn; the bundles lie in folders that are called by their runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from synth.jobs.kind import Needs, TaskKind
from synth.jobs.store import Task
from synth.progress import Reporter
from synth.release.layout import CHECKSUMS


def order(*, runs: tuple[str, ...], rows: int) -> dict[str, Any]:
    """The runs, oldest first."""
    return {"runs": list(runs), "rows": rows}


def files(places: Mapping[str, Path]) -> dict[str, Path | bytes]:
    """What is read of the bundles: the codes and the table. Raises: `Mistake` for what is no bundle."""
    from synth.release.opened import open_bundle

    found: dict[str, Path | bytes] = {}
    for run, place in places.items():
        layout = open_bundle(place).layout
        names = (CHECKSUMS, layout.statement, layout.measurements, layout.marginals, layout.parquet)
        found |= {f"{run}/{name}": place / name for name in names}
    return found


def _draw(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.jobs.atlas_work import atlas, read  # brings numpy, pyarrow, openTSNE

    asked = task.order()
    tables = {run: read(task.given / run) for run in asked["runs"]}
    return atlas(tables, {}, rows=asked["rows"], report=report)


KIND = TaskKind(
    work=_draw,
    is_public=True,
    needs=Needs(niceness=10),
    stopped="The drawing of the map was stopped. Nothing was spent by it.",
    lost="The process that drew the map stopped without a word. Nothing was spent by it; start it again.",
    failed="The drawing of the map stopped for a reason it does not tell. Nothing was spent by it.",
)
