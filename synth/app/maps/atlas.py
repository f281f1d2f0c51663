"""A map of several tables on the same axes: densities and, for some tables, points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

CROWD = 7_000
"""Number of points from which forces are interpolated on a grid instead of summed over a tree."""

SECONDS = 4.6e-4
"""Seconds per point and per doubling of the number of points, measured on one core with tables of 14 columns.
"""

CROWD_SECONDS = 23.8, 2.03e-3
"""Fixed seconds for a map of `CROWD` points or more, and seconds per point, measured on the same core."""

Depth = Sequence[Sequence[float]]
"""For each cell, the share of a table's rows in denser cells, from 0 to 1. Shape: [len(y)][len(x)]."""


def seconds(rows: int, tables: int) -> float:
    """Estimate the seconds that a map takes on one core, for a number of tables with this number of rows
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
    """All tables on one joint map with the same cells. `x` and `y` are the centres of the cells.

    The axes have no unit, because only neighbourhoods have a meaning.
    """

    x: Sequence[float]
    y: Sequence[float]
    sheets: Sequence[Sheet]
    rows: int

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain types."""
        return asdict(self)
