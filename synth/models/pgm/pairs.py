"""Compute the marginals of many pairs at once with few matrix products, including pairs of columns that are
far apart in the tree.

Columns are numbered in the order in which a traversal from the root reaches them, so that columns first
reached below the same clique are adjacent. Each branch has one matrix, p(code of a column below | separator),
with all columns below the branch side by side. The upward pass multiplies the table of a clique by the
matrices of its branches. This expresses the matrices in terms of the separator above. This takes one product
per branch instead of one per column. The paths of two columns without a common clique separate at one clique:
either both columns are in branches of this clique, or one column is in the clique itself. All pairs that
separate at the same clique are computed by the product of two matrices. This is the sum-product algorithm of
Koller and Friedman (2009), section 10.2, for all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.core.graphs.columns import bits
from synth.models.pgm.reduction import Table
from synth.models.pgm.tree import JunctionTree

Inside = Callable[[int, int], Table]
"""A function that returns the marginal of a clique, given by its number, over the columns of a mask within
the clique.
"""

_Piece = tuple[Sequence[int], Sequence[int], Table, Table]
"""Two groups of columns, and the two matrices whose product contains the tables of all their pairs."""

_BLOCK = 2**20
"""Maximum number of cells of a product of two branches. Larger products are computed for some columns at a
time.
"""


@dataclass(frozen=True, eq=False)
class Branch:
    """The subtree that is connected to a clique by one separator: the children with this separator, and the
    columns that are first reached below them.
    """

    separator: int
    children: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Walk:
    """The traversal order of a tree from its root. Every clique precedes its children, and children with the
    same separator are consecutive.
    """

    tree: JunctionTree

    @cached_property
    def branches(self) -> tuple[tuple[Branch, ...], ...]:
        """The branches of every clique, by the number of the clique."""
        tree = self.tree
        found: list[tuple[Branch, ...]] = [()] * len(tree.masks)
        below: list[tuple[int, ...]] = [()] * len(tree.masks)
        for c in reversed(tree.order):
            shared: dict[int, list[int]] = {}
            for child in tree.children[c]:
                shared.setdefault(tree.separator(child), []).append(child)
            found[c] = tuple(
                Branch(separator, tuple(children), tuple(i for child in children for i in below[child]))
                for separator, children in shared.items()
            )
            met = bits(tree.masks[c] & ~tree.separator(c))
            below[c] = (*met, *(i for branch in found[c] for i in branch.columns))
        return tuple(found)

    def met_from(self, c: int) -> int:
        """The number of columns that are first reached at a clique or below it."""
        return len(self._below(c))

    def _below(self, c: int) -> tuple[int, ...]:
        """The columns that are first reached at a clique or below it, in traversal order."""
        met = bits(self.tree.masks[c] & ~self.tree.separator(c))
        return (*met, *(i for branch in self.branches[c] for i in branch.columns))

    @cached_property
    def cells(self) -> int:
        """The largest number of cells of the branches' matrices that `far_pairs` keeps at the same time."""
        tree, kept, most = self.tree, [0] * len(self.tree.masks), 0
        held = 0
        for c in reversed(tree.order):
            kept[c] = sum(
                math.prod(tree.shape(branch.separator)) * sum(tree.domain.sizes[i] for i in branch.columns)
                for branch in self.branches[c]
            )
            held += kept[c]
            most = max(most, held)
            held -= sum(kept[child] for child in tree.children[c])
        return most


def far_pairs(
    walk: Walk, inside: Inside, requested: Collection[int], *, most: int = _BLOCK
) -> Iterator[tuple[int, int, Table]]:
    """Yield two columns and their table, for all requested pairs (as masks) that are not inside a clique.

    Shapes: float64[codes of the first, codes of the second]. The tables are views that are valid only until
    the next step. Memory is needed for `walk.cells` cells and for one product of about `most` cells.
    """
    tree, below = walk.tree, dict[tuple[int, int], Table]()
    for c in reversed(tree.order):
        for k, branch in enumerate(walk.branches[c]):
            mine = below[c, branch.separator] = _side_by_side(walk, branch, inside, below)
            pieces = [_of_clique(tree, c, branch, inside, mine)]
            pieces += _of_children(walk, branch, inside(c, branch.separator), mine)
            for other in walk.branches[c][:k]:
                joint = inside(c, other.separator | branch.separator)
                carried = _carried(tree, joint, other.separator, branch.separator, mine)
                pieces.append((other.columns, branch.columns, below[c, other.separator].T, carried))
            for rows, columns, left, right in pieces:
                yield from _product(tree, rows, columns, left, right, requested, most=most)
        for child in tree.children[c]:
            for branch in walk.branches[child]:
                below.pop((child, branch.separator), None)


def _side_by_side(
    walk: Walk, branch: Branch, inside: Inside, below: Mapping[tuple[int, int], Table]
) -> Table:
    """Return p(code | separator) of all columns below a branch. Shapes: float64[separator, codes of all
    columns].
    """
    tree, separator = walk.tree, branch.separator
    cells, parts = math.prod(tree.shape(separator)), list[Table]()
    for child in branch.children:
        alone = inside(child, separator).reshape(cells, 1)
        joints = [
            _matrix(tree, inside(child, separator | 1 << i), separator, 1 << i)
            for i in bits(tree.masks[child] & ~separator)
        ]
        for further in walk.branches[child]:
            joint = inside(child, separator | further.separator)
            matrix = below[child, further.separator]
            joints.append(_carried(tree, joint, separator, further.separator, matrix))
        together = np.concatenate(joints, axis=1)
        together /= np.where(alone > 0, alone, 1.0)  # where the separator is impossible, all cells are zero
        parts.append(together)
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def _of_clique(tree: JunctionTree, c: int, branch: Branch, inside: Inside, mine: Table) -> _Piece:
    """Return the factors for all pairs of a column of the clique outside the separator and a column of the
    branch.
    """
    separator, own = branch.separator, tuple(bits(tree.masks[c] & ~branch.separator))
    joints = [_matrix(tree, inside(c, separator | 1 << i), 1 << i, separator) for i in own]
    return own, branch.columns, np.concatenate(joints), mine


def _of_children(walk: Walk, branch: Branch, alone: Table, mine: Table) -> list[_Piece]:
    """Return the factors for all pairs of a column below a child of a branch and a column below a later
    child.
    """
    sizes, pieces, columns, first = walk.tree.domain.sizes, list[_Piece](), branch.columns, 0
    joint = mine * alone.reshape(-1, 1) if len(branch.children) > 1 else mine
    for child in branch.children[:-1]:
        count = walk.met_from(child)
        rows, columns = columns[:count], columns[count:]
        last = first + sum(sizes[i] for i in rows)
        pieces.append((rows, columns, joint[:, first:last].T, mine[:, last:]))
        first = last
    return pieces


def _product(
    tree: JunctionTree,
    rows: Sequence[int],
    columns: Sequence[int],
    left: Table,
    right: Table,
    requested: Collection[int],
    *,
    most: int,
) -> Iterator[tuple[int, int, Table]]:
    """Yield the requested pairs from the product of two matrices. The product is computed for some columns at
    a time.
    """
    sizes = tree.domain.sizes
    ends = np.cumsum([0, *(sizes[i] for i in columns)]).tolist()
    at_once = max(1, most // max(1, ends[-1]))
    first = 0
    while rows:
        count, height = 1, sizes[rows[0]]
        while count < len(rows) and height + sizes[rows[count]] <= at_once:
            height += sizes[rows[count]]
            count += 1
        block, top = left[first : first + height] @ right, 0
        for i in rows[:count]:
            band = block[top : top + sizes[i]]
            top += sizes[i]
            for place, j in enumerate(columns):
                if 1 << i | 1 << j in requested:
                    yield i, j, band[:, ends[place] : ends[place + 1]]
        rows, first = rows[count:], first + height


def _carried(tree: JunctionTree, joint: Table, to: int, by: int, matrix: Table) -> Table:
    """Convert a matrix over the cells of separator `by` to a matrix over the cells of separator `to`, by the
    joint table of both. Shapes: float64[cells of `to`, columns of the matrix].
    """
    shared, only_to, only_by = to & by, to & ~by, by & ~to
    width = matrix.shape[1]
    order = tree.layout(to | by)
    axes = [order.index(i) for mask in (shared, only_to, only_by) for i in tree.layout(mask)]
    common, rows, inner = (math.prod(tree.shape(mask)) for mask in (shared, only_to, only_by))
    weights = joint.transpose(axes).reshape(common, rows, inner)
    if shared:
        own = tree.layout(by)
        turned = [own.index(i) for mask in (shared, only_by) for i in tree.layout(mask)]
        matrix = matrix.reshape(*tree.shape(by), width).transpose([*turned, len(own)])
    carried: Table = np.matmul(weights, matrix.reshape(common, inner, width))
    if not (shared and only_to):
        return carried.reshape(common * rows, width)
    now = [*tree.layout(shared), *tree.layout(only_to)]
    carried = carried.reshape(*(tree.domain.sizes[i] for i in now), width)
    back = [now.index(i) for i in tree.layout(to)]
    return carried.transpose([*back, len(now)]).reshape(common * rows, width)


def _matrix(tree: JunctionTree, joint: Table, rows: int, columns: int) -> Table:
    """Return a joint table of two disjoint masks as a matrix."""
    order = tree.layout(rows | columns)
    axes = [order.index(i) for mask in (rows, columns) for i in tree.layout(mask)]
    return joint.transpose(axes).reshape(math.prod(tree.shape(rows)), math.prod(tree.shape(columns)))
