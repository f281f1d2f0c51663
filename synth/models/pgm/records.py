"""Draw records from a calibrated junction tree, clique by clique from the root outwards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.models.estimates.rounding import draw_columns
from synth.models.pgm.reduction import Table
from synth.models.pgm.tree import JunctionTree


def draw_records(
    tree: JunctionTree, beliefs: Sequence[Table], rows: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw rows of codes. Shapes: int64[rows, columns of the domain].

    Within a clique, every column is drawn given all columns drawn before it, so that the records follow the
    model. No record is in a cell of probability zero.
    """
    records = np.empty((rows, len(tree.domain)), dtype=np.int64, order="F")
    for c in tree.order:
        known, axes = tree.layout(tree.separator(c)), tree.axes[c]
        drawn = [i for i in axes if i not in known]
        table = beliefs[c].transpose([axes.index(i) for i in (*known, *drawn)])
        columns = draw_columns(table, [records[:, i] for i in known], rows, rng=rng)
        for i, column in zip(drawn, columns, strict=True):
            records[:, i] = column
    return records
