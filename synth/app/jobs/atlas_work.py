"""A map of synthetic tables from their bundles alone, beside the private one for a steward's study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.app.maps.tsne import draw
from synth.core.axis import Axis, domain_of, ordered_codes
from synth.core.errors import Mistake
from synth.core.progress import Reporter
from synth.core.schema import Schema
from synth.core.table import CodeTable
from synth.release import parquet
from synth.release.codes import table_codes
from synth.release.opened import open_bundle

_MOST_ON_A_MAP = 30_000
"""Rows on a map in all, which take about a minute and a half: more points would hide one another."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedTable:
    """A synthetic table in the codes of its columns, as they were declared or bought."""

    schema: Schema
    axes: tuple[Axis, ...]
    synthetic: CodeTable


def read(place: Path) -> OpenedTable:
    """The table of a bundle. Raises: `Mistake` if there is none."""
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
    """One map, in the newest table's codes, of the private table if it is given and of all that have the same
    codes. Points are kept of synthetic rows alone. Raises: `Mistake` if no two have the same codes."""
    newest = list(tables.values())[-1]
    alike = {run: one.synthetic for run, one in tables.items() if one.axes == newest.axes}
    drawn = {**real, **alike}
    if len(drawn) < 2:
        raise Mistake("These runs declare their columns differently, so that no map holds two of them.")
    found = draw(
        drawn,
        ordered=ordered_codes(newest.axes),
        points_of=frozenset(alike),
        rows=min(rows, _MOST_ON_A_MAP // len(drawn)),
        report=report,
    )
    return {"atlas": found.to_json(), "unmapped": [run for run in tables if run not in alike]}
