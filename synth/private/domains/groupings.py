"""Group the codes of an axis by noisy measurements, either by the leaves of a tree or by merging rare values.

A tree is grown on the private side (see `private.queries.TreeQuery` for the proof).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import numpy as np

from synth.core.axis import Axis, Grouping
from synth.core.measurements.noisy import Measurement
from synth.core.schema import Value

SHARE = 0.002
"""Share of all rows below which a value is rare (threshold theta of the benchmark paper)."""

SIGMAS = 3.0
"""Number of standard deviations up to which a noisy count is treated as noise."""


def leaves_to_grouping(axis: Axis, answer: bytes, cuts: Sequence[float] = ()) -> Grouping:
    """Return the result of a tree query over the cells of `axis` as a grouping.

    A leaf that contains one of `cuts` (edges that rules need) is also split there, which costs nothing. The
    codes for *other* and *missing* stay separate. The rows of a leaf are distributed over its cells in
    proportion to the widths of the cells.
    """
    starts = set(json.loads(answer))
    needed = set(cuts)
    opens = [i in starts or edge in needed for i, edge in enumerate(axis.edges[:-1])]
    opens[0] = True
    group_of = [int(g) - 1 for g in np.cumsum(opens)]
    widths = [float(w) for w in np.diff(axis.edges)]
    alone = axis.size - axis.cells
    return Grouping(
        column=axis.name,
        group_of=(*group_of, *range(group_of[-1] + 1, group_of[-1] + 1 + alone)),
        weights=(*widths, *[1.0] * alone),
    )


def merge_rare(axis: Axis, counts: Measurement, *, protected: Collection[Value] = ()) -> Grouping | None:
    """Return the grouping that merges rare values, or None if nothing is merged.

    It uses one noisy count of each declared value.

    A value is rare if its count is at most max(3 sigma, SHARE * noisy total). Every declared value is
    counted, observed or not, so the result depends only on the noisy measurement. Values in `protected` (used
    by a rule) and the codes for *other* and *missing* stay separate. A single rare value is not merged. If
    all values are rare, the most frequent value stays separate. The rows of a merged group are distributed
    over its values in proportion to max(count, 0). (This is a deviation: the benchmark's code distributes
    them evenly.)

    Shapes: `counts` int64[axis.size], a measurement of (axis.name,) in the original codes.
    """
    noisy = counts.counts
    if counts.clique != (axis.name,) or noisy.shape != (axis.size,):
        raise ValueError("a merge of rare values needs a measurement of a single column")
    limit = max(SIGMAS * counts.sigma, SHARE * float(noisy.sum()))
    kept = {(type(v), v) for v in protected}
    rare = [i for i, v in enumerate(axis.labels) if (type(v), v) not in kept and noisy[i] <= limit]
    if len(rare) == axis.cells and rare:
        rare.remove(max(rare, key=lambda i: int(noisy[i])))
    if len(rare) < 2:
        return None
    alone = [i for i in range(axis.cells) if i not in set(rare)]
    group_of = np.full(axis.size, len(alone))
    group_of[alone] = np.arange(len(alone))
    group_of[axis.cells :] = np.arange(len(alone) + 1, len(alone) + 1 + axis.size - axis.cells)
    weights = [float(max(int(n), 0)) for n in noisy]
    return Grouping(column=axis.name, group_of=tuple(int(g) for g in group_of), weights=tuple(weights))
