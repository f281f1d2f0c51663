"""A tree's leaves as a grouping of a fine grid: where the range has many rows it keeps many codes.

The tree itself is grown behind the wall (`private.queries.TreeQuery`, which has the proof).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from synth.core.axis import Axis, Grouping


def leaves_to_grouping(axis: Axis, answer: bytes, cuts: Sequence[float] = ()) -> Grouping:
    """The answer to a tree query over the cells of `axis` as a grouping.

    Leaves that straddle one of `cuts` (edges that rules need) are divided there, for free. The other and the
    missing code stay alone. A leaf is drawn back to its cells in proportion to their width, so that it is
    filled evenly.
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
