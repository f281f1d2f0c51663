"""Records of a calibrated junction tree, one column at a time from the root outward."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.generate.pgm.junction import bits
from synth.generate.pgm.reduction import Table, reduction
from synth.generate.pgm.tree import JunctionTree
from synth.generate.rounding import draw_column


def draw_records(
    tree: JunctionTree, beliefs: Sequence[Table], rows: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Rows of codes. Shapes: int64[rows, columns of the domain].

    Within a clique every column depends on all that were drawn before it, so the chain is the model itself;
    a cell of probability zero is never filled.
    """
    records = np.empty((rows, len(tree.domain)), dtype=np.int64, order="F")
    for c in tree.order:
        known = tree.separator(c)
        for i in tree.layout(tree.masks[c] & ~known):
            table = _onto(tree, c, known | 1 << i, beliefs[c])
            table = np.moveaxis(table, tree.layout(known | 1 << i).index(i), -1)
            parents = [records[:, j] for j in tree.layout(known)]
            records[:, i] = draw_column(table, parents, rows, rng=rng)
            known |= 1 << i
    return records


def _onto(tree: JunctionTree, c: int, mask: int, belief: Table) -> Table:
    keep = set(bits(mask))
    return reduction(belief.shape, tuple(i in keep for i in tree.axes[c]))(belief)
