"""Draw a map of synthetic tables, on any machine: from bundles to points.

The order is how many rows of each table are drawn; the bundles lie in folders named by their runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.app.jobs.kind import Needs, TaskKind
from synth.app.jobs.store import Task
from synth.app.maps.atlas import Atlas, Sheet
from synth.core.errors import Mistake
from synth.core.progress import Reporter
from synth.release.layout import CHECKSUMS

if TYPE_CHECKING:
    from synth.core.axis import Axis
    from synth.core.schema import Schema
    from synth.core.table import CodeTable

_UNSOUND = "The result from another machine is not a map of these tables, so it was refused."


def order(*, runs: tuple[str, ...], rows: int) -> dict[str, Any]:
    """Return an order for these runs, oldest first."""
    return {"runs": list(runs), "rows": rows}


def files(places: Mapping[str, Path]) -> dict[str, Path | bytes]:
    """Return the files of the bundles that are read. Raises: `Mistake` for a folder without a bundle."""
    from synth.release.opened import open_bundle

    found: dict[str, Path | bytes] = {}
    for run, place in places.items():
        layout = open_bundle(place).layout
        names = (CHECKSUMS, layout.statement, layout.measurements, layout.marginals, layout.parquet)
        found |= {f"{run}/{name}": place / name for name in names}
    return found


_MOST_ROWS = 30_000
"""Rows on a map in total, which take about 90 seconds: more points would hide one another."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedTable:
    """A synthetic table, encoded as its columns were declared or estimated."""

    schema: Schema
    axes: tuple[Axis, ...]
    synthetic: CodeTable


def read(place: Path) -> OpenedTable:
    """Return the table of a bundle. Raises: `Mistake` if there is none."""
    from synth.core.axis import domain_of  # this and what follows brings numpy and pyarrow
    from synth.core.table import CodeTable
    from synth.release import parquet
    from synth.release.codes import table_codes
    from synth.release.opened import open_bundle

    opened = open_bundle(place)
    codebook = opened.evidence.codebook
    frame = parquet.read(opened.files[opened.layout.parquet])
    codes = table_codes(frame, codebook.axes, ())
    return OpenedTable(
        schema=codebook.schema, axes=codebook.axes, synthetic=CodeTable(domain_of(codebook.axes), codes)
    )


def atlas(
    tables: Mapping[str, OpenedTable], real: Mapping[str, CodeTable], *, rows: int, report: Reporter
) -> dict[str, Any]:
    """Draw one map of all tables with the encoding of the newest one, and of the private table if given.

    Points are kept for synthetic rows only. Raises: `Mistake` if no two have the same encoding."""
    from synth.app.maps.tsne import draw
    from synth.core.axis import ordered_codes

    newest = list(tables.values())[-1]
    alike = {run: one.synthetic for run, one in tables.items() if one.axes == newest.axes}
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
    return {"atlas": found.to_json(), "unmapped": [run for run in tables if run not in alike]}


def _draw(task: Task, report: Reporter) -> dict[str, Any]:
    asked = task.order()
    tables = {run: read(task.given / run) for run in asked["runs"]}
    return atlas(tables, {}, rows=asked["rows"], report=report)


def _accept(task: Task) -> None:
    """Raises: `Mistake` for anything but a map of these runs."""
    answer, runs = task.answer() or {}, task.order()["runs"]
    tables = {run: read(task.given / run) for run in runs}
    alike = [run for run, table in tables.items() if table.axes == tables[runs[-1]].axes]
    try:
        atlas = Atlas.from_json(answer["atlas"])
        expected = {"atlas": atlas.to_json(), "unmapped": [run for run in runs if run not in alike]}
        is_sound = (
            json.dumps(answer, sort_keys=True) == json.dumps(expected, sort_keys=True)
            and [sheet.name for sheet in atlas.sheets] == alike
            and all(_is_drawn(sheet, atlas) for sheet in atlas.sheets)
            and all(type(n) in (int, float) and math.isfinite(n) for n in (*atlas.x, *atlas.y, atlas.rows))
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise Mistake(_UNSOUND)


def _is_drawn(sheet: Sheet, atlas: Atlas) -> bool:
    """Return whether a sheet holds numbers only, in matching lengths, for rows that exist."""
    return (
        [len(line) for line in sheet.depth] == [len(atlas.x)] * len(atlas.y)
        and len(sheet.points) == atlas.rows
        and all(type(n) in (int, float) and math.isfinite(n) for n in chain(*sheet.depth, *sheet.points))
    )


KIND = TaskKind(
    work=_draw,
    accept=_accept,
    is_public=True,
    needs=Needs(niceness=10),
)
