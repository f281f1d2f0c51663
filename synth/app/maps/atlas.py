"""A map of several tables on the same axes: densities and, for some tables, points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

CROWD = 7_000
"""From this number of points on, forces are interpolated on a grid instead of summed over a tree."""

SECONDS = 4.6e-4
"""Seconds per point and doubling of the number of points, measured on one core with tables of fourteen
columns.
"""

CROWD_SECONDS = 23.8, 2.03e-3
"""Fixed seconds of a map of `CROWD` points or more, and seconds per point, on the same core."""

Depth = Sequence[Sequence[float]]
"""Shape [len(y)][len(x)]: for each cell, the share of a table's rows in denser places, from 0 to 1."""


def seconds(rows: int, tables: int) -> float:
    """Estimate the seconds of a map on one core, for a number of tables with the given number of rows
    each.
    """
    points = max(rows * tables, 2)
    if points < CROWD:
        return SECONDS * points * math.log2(points)
    grid, each = CROWD_SECONDS
    return grid + each * points


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One table on the map. `points` (x, y) is empty if only the density may be stored."""

    name: str
    depth: Depth
    points: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, kw_only=True)
class Atlas:
    """All tables of one joint map, over the same cells. Shapes: `x` and `y` are the centres of the cells.

    Units: none. Only neighbourhoods have a meaning.
    """

    x: Sequence[float]
    y: Sequence[float]
    sheets: Sequence[Sheet]
    rows: int

    def to_json(self) -> dict[str, Any]:
        """Return plain types."""
        return asdict(self)
