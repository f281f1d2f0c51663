"""Discretise declared columns: compute the bins of ranges and the decimal places of values.

All results depend only on the schema and the rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

import numpy as np

from synth.core.axis import NEAR, PLACES, Axis
from synth.core.errors import Mistake
from synth.core.schema import Binning, Column, Kind, Outside, Schema, in_units

KEEP_EVERY_VALUE = 64
"""Maximum number of values of an integer range with one bin per value, unless the schema specifies bins."""

DEFAULT_BINS = 32
TREE_CELLS = 1 << 10
"""Number of cells in the public grid on which a PrivTree column is split."""

SAME_PLACE = 1e-9
"""Tolerance within which an edge equals the threshold of a rule, as a share of the column's range."""


MOST_STEPS = 2**52
"""Maximum number of steps that floats can distinguish."""

CENTS = 2
"""Minimum number of decimal places of a decimal column with wide bins."""


class Cutting(Protocol):
    """Edges that rules require."""

    def cuts(self, column: str, /) -> Sequence[float]:
        """Return the edges that prevent a threshold of a rule from being inside a cell of a column.

        Units: as `Axis.edges`.
        """
        ...


def resolve_axes(schema: Schema, rules: Cutting) -> tuple[Axis, ...]:
    """Return one axis per modelled column, in the order of the schema.

    Bins are uniform on the declared range, with an extra edge at each threshold of a rule. A PrivTree column
    has a fine grid, whose cells the tree then merges. Open domains must be estimated first. Raises: `Mistake`
    if a domain is still open, or if the label of *other* is also a declared value.
    """
    return tuple(axis_of(column, rules.cuts(column.name)) for column in schema.modelled)


def declared_axes(schema: Schema, rules: Cutting) -> tuple[Axis, ...]:
    """Return the axes of columns whose domain is not estimated, which are known before the file is opened."""
    return tuple(axis_of(column, rules.cuts(column.name)) for column in schema.modelled if not column.buy)


def axis_of(column: Column, cuts: Sequence[float] = ()) -> Axis:
    """Return the axis of a column. Thresholds outside its range are ignored.

    Raises: `Mistake` as in `resolve_axes`.
    """
    other = column.other_label if column.outside_rule is Outside.OTHER else None
    if other is not None and any(str(v).strip() == other.strip() for v in column.values):
        raise Mistake(
            f"Column {column.name!r} declares {other!r} as a value and also as the label of all other "
            "values. Choose another other_label, or treat values outside the domain as missing."
        )
    if column.kind.has_values:
        if column.buy and not column.values:
            raise _declared_again(column)
        return Axis(column=column, labels=column.values, other=other)
    if column.min is None or column.max is None:
        raise _declared_again(column)
    low, high = in_units(column.min), in_units(column.max)
    cuts = [*cuts, *point_edges(column)]
    if column.kind is Kind.DECIMAL:
        edges = _edges_of_multiples(column, low, high) or _decimal_edges(column, low, high)
        inner = [float(c) for c in cuts]
        near = SAME_PLACE * (high - low)
        edges = [e for e in edges if e in (low, high) or all(abs(e - c) > near for c in inner)]
    else:
        low, high = math.ceil(low), math.floor(high)
        edges = _edges_of_multiples(column, low, high) or _whole_edges(column, low, high)
        inner = [float(math.ceil(c)) for c in cuts]
    inner = [c for c in inner if edges[0] < c < edges[-1]]
    if column.multiple is not None:
        below = {e: math.ceil(e / column.multiple - NEAR) for e in (*edges, *inner)}
        taken = {below[cut] for cut in inner}
        edges = [e for e in edges if e in (edges[0], edges[-1]) or below[e] not in taken]
    return Axis(column=column, edges=tuple(sorted({*edges, *inner})), other=other)


def point_edges(column: Column) -> list[float]:
    """Return the edges that put each point and heap of a numeric column into a separate cell."""
    points = [in_units(p) for p in column.points]
    if column.heaps is not None and column.min is not None and column.max is not None:
        first, last = multiples_in(float(column.min), float(column.max), column.heaps)
        points += [round(n * column.heaps, PLACES) for n in range(first, last + 1)]
    width = (lambda p: math.nextafter(p, math.inf)) if column.kind is Kind.DECIMAL else (lambda p: p + 1)
    return [edge for p in points for edge in (p, width(p))]


def decimals_of(axis: Axis) -> int:
    """Return the number of decimal places in the values of a decimal axis. It is public.

    It is the number in the schema, or more if the narrowest cell would otherwise contain no value with this
    number of decimal places. If the schema does not state it, it is the maximum of the number in the declared
    values, two more than the narrowest cell needs, and two. Cells that exist only for one value named in a
    rule are ignored. It is never more than a float can distinguish. A computed column has exactly the
    declared number of decimal places.
    """
    column = axis.column
    if column.formula:
        return column.decimals or 0
    typed = (column.min, column.max, column.step, column.multiple, *column.cuts)
    declared = [_digits(x) for x in typed if isinstance(x, (int, float))]
    widths = np.diff(axis.edges)
    narrowest = float(widths[widths > SAME_PLACE * (axis.edges[-1] - axis.edges[0])].min())
    reach = max(abs(axis.edges[0]), abs(axis.edges[-1]))
    most = math.floor(math.log10(MOST_STEPS / max(reach, 1e-300)))
    if column.decimals is not None:
        fewest = max(column.decimals, _digits(column.multiple or 0), math.ceil(-math.log10(narrowest) - 1e-9))
    else:
        fewest = max([CENTS, 2 - math.floor(math.log10(narrowest)), *declared])
    return max(0, min(fewest, most))


def _digits(number: float) -> int:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _declared_again(column: Column) -> Mistake:
    what = "values" if column.kind.has_values else "smallest and largest value"
    return Mistake(
        f"Column {column.name!r} has no {what} yet. Declare them, or estimate them with part of the budget."
    )


def _whole_edges(column: Column, low: int, high: int) -> list[float]:
    """Return the edges of bins of integers. The last edge is the largest value plus one.

    The widths of the bins differ by at most one.
    """
    assert low <= high, "schema validation rejects empty ranges"
    count = high - low + 1
    if column.binning is Binning.PRIVTREE:
        bins = min(TREE_CELLS, count)
    elif column.cuts:
        return [float(low), *(float(math.ceil(in_units(cut))) for cut in column.cuts), float(high + 1)]
    elif column.step is not None:
        step = max(1, math.ceil(column.step))
        return [float(e) for e in [*range(low, high + 1, step), high + 1]]
    elif column.bins is not None:
        bins = min(column.bins, count)
    elif column.kind is Kind.INTEGER and count <= KEEP_EVERY_VALUE:
        bins = count
    else:
        bins = min(DEFAULT_BINS, count)
    return [float(low + i * count // bins) for i in range(bins + 1)]


def _edges_of_multiples(column: Column, low: float, high: float) -> list[float]:
    """Return edges halfway between multiples, so that each bin contains one multiple.

    The list is empty if the column has no multiples.
    """
    if column.multiple is None or column.cuts:
        return []
    size, is_whole = column.multiple, column.kind is not Kind.DECIMAL
    first, last = multiples_in(low, high, size)
    if first > last:
        return []
    step = None if column.step is None else column.step / size
    places = _whole_edges(replace(column, kind=Kind.INTEGER, step=step), first, last)[1:-1]
    middles = [(place - 0.5) * size for place in places]
    return [low, *(float(math.ceil(m)) if is_whole else m for m in middles), float(high + is_whole)]


def multiples_in(low: float, high: float, size: float) -> tuple[int, int]:
    """Return the numbers of the first and last multiple of `size` in a range, both included.

    >>> multiples_in(1, 100, 10), multiples_in(0, 0.3, 0.1)
    ((1, 10), (0, 3))
    """
    return math.ceil(low / size - NEAR), math.floor(high / size + NEAR)


def _decimal_edges(column: Column, low: float, high: float) -> list[float]:
    """Return the edges of bins of equal width. The last bin is narrower if `step` does not divide the
    range.
    """
    assert low < high, "schema validation rejects empty ranges"
    if column.binning is Binning.PRIVTREE:
        bins = TREE_CELLS
    elif column.cuts:
        return [low, *(in_units(cut) for cut in column.cuts), high]
    elif column.step is not None:
        bins = max(1, math.ceil((high - low) / column.step - 1e-9))
        return [*(low + column.step * i for i in range(bins)), high]
    else:
        bins = column.bins if column.bins is not None else DEFAULT_BINS
    return [float(e) for e in np.linspace(low, high, bins + 1)]
