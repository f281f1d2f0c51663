"""Group the codes of an axis by noisy measurements: the leaves of a tree, and rare values.

A tree is grown on the private side (`private.queries.TreeQuery`, which has the proof).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import numpy as np

from synth.core.axis import Axis, Grouping
from synth.core.measurements.noisy import Measurement
from synth.core.schema import Value

SHARE = 0.002
"""Values below this share of all rows are rare (benchmark paper, its threshold theta)."""

SIGMAS = 3.0
"""Noisy counts up to this many standard deviations fall below the noise."""


def leaves_to_grouping(axis: Axis, answer: bytes, cuts: Sequence[float] = ()) -> Grouping:
    """Return the answer to a tree query over the cells of `axis` as a grouping.

    Leaves that contain one of `cuts` (edges that rules need) are divided there without cost. The other and
    the missing code stay separate. A leaf is divided into its cells in proportion to their width, so that it
    is filled evenly.
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
    """Return the grouping that merges rare values, from one noisy count of every declared value; None if none
    merge.

    A value is rare if its count is at most max(3 sigma, SHARE * noisy total). Every declared value is
    counted, observed or not, so the result depends on the noisy measurement only. Values in `protected` (used
    by a rule), the other and the missing code stay separate. A single rare value is kept as it is; if nothing
    else would be left, the most frequent value stays. Merged values are drawn back in proportion to
    max(count, 0) (deviation: the benchmark's code draws them evenly).

    Shapes: `counts` int64[axis.size], a measurement of (axis.name,) on its fine codes.
    """
    noisy = counts.counts
    if counts.clique != (axis.name,) or noisy.shape != (axis.size,):
        raise ValueError("rare values are merged by a measurement of a single column")
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
