"""Condition a calibrated junction tree exactly on evidence about single columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.graphs.columns import bits
from synth.models.pgm.reduction import Table
from synth.models.pgm.tree import JunctionTree, broadcast_shape


def conditioned(
    tree: JunctionTree, beliefs: Sequence[Table], weights: Mapping[int, NDArray[np.float64]]
) -> tuple[float, tuple[Table, ...]]:
    """Return the expected weight of a record, and the beliefs of records that are drawn in proportion to
    their weights.

    The weight of a record is the product of the weights of its codes. With weights of zero and one, the first
    result is the probability of the evidence. If it is zero, the beliefs are unchanged.

    Shapes: `weights[axis]: float64[codes]`, non-negative, by the position of the column. The computation
    takes one pass towards the root and one pass back, because a clique of calibrated beliefs, divided by its
    separator, is its distribution given this separator.
    """
    tables = list(beliefs)
    for axis, weight in weights.items():
        c = next(c for c, mask in enumerate(tree.masks) if mask >> axis & 1)
        tables[c] = tables[c] * weight.reshape(broadcast_shape(tree, 1 << axis, tree.masks[c]))
    upward: dict[int, Table] = {}
    for c in reversed(tree.order[1:]):
        parent, shared = tree.parents[c], tree.separator(c)
        upward[c] = _summed(tree, tables[c], c, shared)
        ratio = _divided(upward[c], _summed(tree, beliefs[c], c, shared))
        tables[parent] = tables[parent] * ratio.reshape(broadcast_shape(tree, shared, tree.masks[parent]))
    root = tree.order[0]
    probability = float(tables[root].sum())
    if not probability > 0.0:
        return 0.0, tuple(beliefs)
    tables[root] = tables[root] / probability
    for c in tree.order[1:]:
        shared = tree.separator(c)
        ratio = _divided(_summed(tree, tables[tree.parents[c]], tree.parents[c], shared), upward[c])
        tables[c] = tables[c] * ratio.reshape(broadcast_shape(tree, shared, tree.masks[c]))
    return probability, tuple(tables)


def _summed(tree: JunctionTree, table: Table, c: int, mask: int) -> Table:
    """Sum a table of a clique to the columns of a mask, in the common layout."""
    kept = set(bits(mask))
    away = tuple(place for place, axis in enumerate(tree.axes[c]) if axis not in kept)
    return np.asarray(table.sum(axis=away))


def _divided(above: Table, below: Table) -> Table:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
