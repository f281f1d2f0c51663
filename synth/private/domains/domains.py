"""Derive a column's domain from a noisy result: its frequent values, or the range that contains rows."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.core.discretisation import MOST_STEPS, axis_of
from synth.core.errors import NothingFound
from synth.core.schema import Binning, Bound, Column, Kind, Outside, Provenance, Schema, Value, iso_day
from synth.private.queries import MagnitudesQuery, magnitude_grid

FALSE_ALARM = 0.01
"""Maximum probability that noise alone extends a range by a single cell, and likewise by several cells."""

BAND, AT_ONCE = 4, 3
"""Number of grid cells in a band of a tail, and the largest number of bands that are added at once."""

LIKELY = 3.5
"""Number of standard deviations above which the sum of a tail is very likely more than noise."""

NEARLY = 8
"""Minimum ratio between the ends of a range at which the end nearer to zero is set to zero."""


def known_before(schema: Schema) -> Schema:
    """Return the schema for the start of a run.

    For domains that are marked as estimated and already filled in, the source becomes the earlier release
    that published them.
    """
    return replace(
        schema,
        columns=tuple(
            replace(column, provenance=Provenance.EARLIER)
            if column.provenance is Provenance.ESTIMATED and not column.buy
            else column
            for column in schema.columns
        ),
    )


def with_values(column: Column, answer: bytes) -> Column:
    """Return the column with the listed values, as integers if all of them are integers, otherwise as
    strings.

    Unlisted values become *other*, unless the schema sets a different rule or the label for *other* is itself
    a listed value. If the schema requests *other* and its label is listed, the label is changed here, because
    the list is only known after the estimate and the schema of a run cannot be changed. Raises:
    `NothingFound` if no value reached the threshold.
    """
    texts: list[str] = json.loads(answer)
    if not texts:
        raise NothingFound(
            f"No value of column {column.name!r} was frequent enough to be listed with this budget. Declare "
            "its values, exclude the column, or use a larger budget. Budget already spent stays spent."
        )
    values: tuple[Value, ...] = tuple(texts)
    if all(_is_whole(t) for t in texts):
        values = tuple(sorted(int(t) for t in texts))
    taken = {text.strip() for text in texts}
    outside, other_label = column.outside, column.other_label
    if outside is None and other_label.strip() not in taken:
        outside = Outside.OTHER
    while outside is Outside.OTHER and other_label.strip() in taken:
        other_label = f"{other_label.strip()} (other)"
    return replace(
        column,
        values=values,
        outside=outside,
        other_label=other_label,
        buy=False,
        provenance=Provenance.ESTIMATED,
    )


def with_range(column: Column, query: MagnitudesQuery, answer: bytes) -> Column:
    """Return the column with a range that covers every grid cell whose noisy count is above the noise level.

    Neighbouring cells whose sum is above the noise level are covered as well. The noise level is sigma *
    sqrt(2 ln(cells / FALSE_ALARM)) for one cell, and sigma * sqrt(2 k ln(runs / FALSE_ALARM)) for the sum of
    k neighbours, where `runs` is the number of all runs of neighbouring cells. So the probability that noise
    alone exceeds the level in any cell is at most FALSE_ALARM, and the same holds for any run of cells. If
    the range of a decimal column is only the cell at zero, nearly all of its values are exactly zero, and
    zero gets a separate bin.

    A tail that is spread over many cells can be below this level. So the range is extended at both ends by
    bands (`_tail`), each of which is one bin, if the sum of their cells is very likely more than noise.
    Raises: `NothingFound` if no cell is above the noise level.
    """
    counts = np.frombuffer(answer, dtype="<i8")
    edges, sigma = magnitude_grid(column.kind), math.sqrt(query.variance)
    cells = np.flatnonzero(counts > sigma * math.sqrt(2 * math.log(len(counts) / FALSE_ALARM)))
    if not len(cells):
        raise NothingFound(
            f"The range of column {column.name!r} could not be estimated with this budget. Check that "
            "its numbers or dates are declared as they are written, such as the thousands sign. Otherwise, "
            "declare its smallest and largest value, exclude the column, or use a larger budget. Budget "
            "already spent stays spent."
        )
    first, last = int(cells[0]), int(cells[-1])
    first -= _reach(counts[:first][::-1], sigma, of=len(counts))
    last += _reach(counts[last + 1 :], sigma, of=len(counts))
    is_zero = column.kind is Kind.DECIMAL and first == last and edges[first] == 0 and 0 not in column.points
    low, high = _snapped(edges[first], edges[last + 1], column.kind)
    below, above = tuple[float, ...](), tuple[float, ...]()
    if low == edges[first]:
        below = tuple(edges[first - k] for k in reversed(_tail(counts[:first][::-1], sigma)))
    if high == edges[last + 1]:
        above = tuple(edges[last + 1 + k] for k in _tail(counts[last + 1 :], sigma))
    column = replace(
        column,
        points=(*column.points, 0) if is_zero else column.points,
        min=_bound(low, column.kind),
        max=_bound(high - (column.kind is not Kind.DECIMAL), column.kind),
        buy=False,
        provenance=Provenance.ESTIMATED,
    )
    return _with_bands(column, below, above) if below or above else column


def _with_bands(column: Column, below: Sequence[float], above: Sequence[float]) -> Column:
    """Return the column with bands beyond its range. They begin at the edges `below` and end at the edges
    `above`. The bins of the range itself stay, unless the schema declares bins that cannot be combined with
    bands; the range is then only extended.
    """
    inner = axis_of(column).edges
    wide = replace(
        column,
        min=_bound(below[0], column.kind) if below else column.min,
        max=_bound(above[-1] - (column.kind is not Kind.DECIMAL), column.kind) if above else column.max,
    )
    divided = column.step or column.multiple or column.heaps or column.cuts or column.points
    if divided or column.binning is not Binning.UNIFORM:
        return wide
    cuts = (*below[1:], *(inner if below else inner[1:]), *above[:-1])
    cuts = cuts if above else cuts[:-1]
    return replace(wide, cuts=tuple(_bound(cut, column.kind) for cut in cuts), bins=None)


def _tail(beyond: NDArray[np.int64], sigma: float) -> list[int]:
    """Return the ends of the bands of a tail, as numbers of cells counted from the range.

    A band has `BAND` cells, which for numbers is a factor of two. The tail is repeatedly extended by the
    smallest number of bands, at most `AT_ONCE`, whose sum is above `LIKELY` standard deviations. This is
    lower than the noise level of a range, because a missed tail changes a mean more than an empty band does.
    """
    bands, last = len(beyond) // BAND, 0
    sums = beyond[: bands * BAND].reshape(bands, BAND).sum(axis=1, dtype=np.float64)
    while True:
        found = np.cumsum(sums[last : last + AT_ONCE])
        enough = np.flatnonzero(found > LIKELY * sigma * np.sqrt(BAND * np.arange(1, len(found) + 1)))
        if not len(enough):
            return [BAND * band for band in range(1, last + 1)]
        last += int(enough[0]) + 1


def _reach(beyond: NDArray[np.int64], sigma: float, *, of: int) -> int:
    """Return how many of these cells, counted from the first, are added to the range.

    The range is repeatedly extended by the smallest number of cells whose sum is above the noise level.
    """
    limit, reach = math.sqrt(2 * math.log(of * (of + 1) / 2 / FALSE_ALARM)), 0
    while True:
        sums = np.cumsum(beyond[reach:], dtype=np.float64)
        enough = np.flatnonzero(sums > limit * sigma * np.sqrt(np.arange(1, len(sums) + 1)))
        if not len(enough):
            return reach
        reach += int(enough[0]) + 1


def _snapped(low: float, high: float, kind: Kind) -> tuple[float, float]:
    """Start a numeric range at zero if one end is almost zero compared with the other."""
    if kind is not Kind.DATE and 0 < low <= high / NEARLY:
        return 0.0, high
    if kind is not Kind.DATE and low / NEARLY <= high < 0:
        return low, 0.0
    return low, high


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    is_exact = digits.isascii() and digits.isdigit() and len(digits) < 17 and abs(int(text)) < MOST_STEPS
    return is_exact and str(int(text)) == text


def _bound(edge: float, kind: Kind) -> Bound:
    if kind is Kind.DATE:
        return iso_day(edge)
    return int(edge) if kind is Kind.INTEGER else edge
