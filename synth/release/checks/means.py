"""Compute an interval for the mean of a numeric column, only from its noisy counts and declared bins.

With true counts n_i in bins [a_i, b_i], the true mean lies between L = sum n_i a_i / n and U = sum n_i b_i /
n, for all possible positions of the records inside their bins. Both ends are estimated from noisy counts c_i,
which are independent and have variance v. By the delta method, the end L has the variance v sum (a_i - L)^2 /
n^2. Hence, with the normal quantile z,

    [L - z sd(L), U + z sd(U)]

contains the mean with 95% confidence: the probability that the mean is beyond one of the ends is at most 2.5%
for each end. The interval is approximate, because the delta method requires an n far above its noise. It is
an interval for the mean of the column as declared: a cell outside the range is counted as its outside rule
defines, and missing and *other* cells are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.schema import Kind
from synth.estimates.effects import Average, Pool
from synth.release.checks.flags import SURE, Flag

if TYPE_CHECKING:
    import pandas as pd

Vector = NDArray[np.float64]

Z95 = 1.959963984540054
WIDE = 0.75
"""Largest acceptable value of (half of the interval) / (spread of the values).

The value is large because it is rare that all records are at the same end of their bins. The spread is the
mean distance from the median, so the test depends neither on the zero point of the scale nor on a few large
values.
"""


@dataclass(frozen=True, kw_only=True)
class MeanInterval:
    """The 95% interval of the mean of a column.

    `inside` is the part of the interval's length that would remain without noise, because the positions of
    records inside their bins are unknown. `bin` is the description of the bin that contributes most to
    `inside`, and `share` is the share that it contributes.
    """

    low: float
    high: float
    inside: float
    bin: str
    share: float


def mean_interval(answers: Average, axis: Axis, group_of: Sequence[int]) -> MeanInterval:
    """Return the interval from the noisy counts of one column.

    The interval is the whole range if the counts do not exceed the noise. `group_of` maps the codes of the
    axis to those of the measurement. Shapes: `answers.counts: float64[codes]`, `group_of: int[axis.size]`.
    """
    low, high, names = _bins(axis, group_of)
    counts = answers.counts[: len(low)]
    total, variance = float(counts.sum()), answers.variance
    if total <= SURE * (variance * len(counts)) ** 0.5:
        return MeanInterval(low=low[0], high=high[-1], inside=0.0, bin="", share=0.0)
    ends = [float(counts @ end) / total for end in (low, high)]
    margins = [
        Z95 * (variance * float(((end - mean) ** 2).sum())) ** 0.5 / total
        for end, mean in zip((low, high), ends, strict=True)
    ]
    parts = np.maximum(counts, 0.0) * (high - low) / total
    most = int(np.argmax(parts))
    return MeanInterval(
        low=max(ends[0] - margins[0], float(low[0])),
        high=min(ends[1] + margins[1], float(high[-1])),
        inside=float(parts.sum()),
        bin=names[most],
        share=float(parts[most] / max(parts.sum(), 1e-300)),
    )


def mean_flags(frame: pd.DataFrame, pool: Pool, codebook: Codebook) -> list[Flag]:
    """Warn of numeric columns with an imprecise mean, with advice on how to make the mean more precise."""
    flags, grouped = [], {g.column: g.group_of for g in codebook.groupings}
    for axis in codebook.axes:
        values = _values(frame, axis)
        if not len(values) or not pool.supports((axis.name,)):
            continue
        group_of = grouped.get(axis.name, tuple(range(axis.size)))
        found = mean_interval(pool.average((axis.name,)), axis, group_of)
        spread = float(np.abs(values - np.median(values)).mean())
        if (found.high - found.low) / 2 > WIDE * spread > 0.0:
            flags.append(_flag(axis, found, float(values.mean())))
    return flags


def _flag(axis: Axis, found: MeanInterval, mean: float) -> Flag:
    column = axis.column
    known = (
        f"Do not rely on the mean of column {column.heading!r}: it is about {column.roughly(mean)} in the "
        f"synthetic table, but the measurements allow any value from about {column.roughly(found.low)} to "
        f"about {column.roughly(found.high)}."
    )
    if found.inside > (found.high - found.low) / 2:
        where = f"the bin {found.bin}" if found.share > 0.5 else "their bins"
        why = f"The main reason is that no count shows the positions of records inside {where}."
        advice = "Declare cut points in this range, or a narrower range."
    else:
        why = "The main reason is noise in bins far from the mean."
        advice = (
            "Declare a narrower range or fewer bins, or use a larger share of the budget for single columns."
        )
    said = f"{known} {why}"
    return Flag(code="wide_mean", sentence=said, blocks=False, columns=(axis.name,), advice=advice)


def _bins(axis: Axis, group_of: Sequence[int]) -> tuple[Vector, Vector, list[str]]:
    """Return the smallest and largest value of every bin in released codes, and the description of each bin.

    For integers, both ends belong to the bin.
    """
    groups = np.asarray(group_of)[: axis.cells]
    starts, ends = axis.ends
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    low = np.array([starts[own[0]] for own in members])
    high = np.array([ends[own[-1]] for own in members])
    return low, high, [axis.span(int(own[0]), int(own[-1])) for own in members]


def _values(frame: pd.DataFrame, axis: Axis) -> Vector:
    """Return the values of a column as numbers, None for a column that is not numeric."""
    if axis.column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return np.empty(0)
    kept = frame[axis.name].dropna()
    return np.asarray(kept[kept != axis.other].to_numpy(), dtype=np.float64)
