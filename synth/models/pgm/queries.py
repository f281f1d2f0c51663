"""Exact marginals of any clique, including cliques that no clique of the tree contains.

The tree is rooted at a clique that contains some of the requested columns. Then p(requested) is the root's
table times one conditional p(requested columns below | separator) per branch. Each conditional is computed in
the same way from the next cliques. Conditionals and sums are cached during a batch, so that a candidate takes
about one matrix product. Many pairs are computed together (`pairs`). If this takes too much memory, they are
computed column by column, because the conditionals of one column fit into memory even if those of all columns
do not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from synth.core.graphs.columns import bits
from synth.models.pgm.pairs import Walk, far_pairs
from synth.models.pgm.reduction import Table, reduction
from synth.models.pgm.tree import JunctionTree, broadcast_shape

_SEARCH = 2**14
"""Minimum number of cells of a table for which searching for a smaller table to sum saves time."""

_REMEMBER = 2**25
"""Maximum number of cells that a batch keeps, for sums inside cliques and for conditionals. It applies to
any number of columns.
"""


class Queries:
    """Marginals of a calibrated tree. An instance caches its results, so it should be deleted after a
    batch.
    """

    def __init__(self, tree: JunctionTree, beliefs: Sequence[Table]) -> None:
        self._tree, self._beliefs = tree, beliefs
        self._sums: list[dict[int, Table]] = [
            {mask: belief} for mask, belief in zip(tree.masks, beliefs, strict=True)
        ]
        self._conditionals: dict[int, dict[tuple[int, int], Table]] = defaultdict(dict)
        self._sizes: dict[int, float] = {}
        self._room = _REMEMBER
        self._walk = Walk(tree)
        self._sides = _sides(tree)
        self._near = [
            [*children, *([parent] if parent >= 0 else [])]
            for children, parent in zip(tree.children, tree.parents, strict=True)
        ]
        self._holding: list[list[int]] = [[] for _ in tree.domain.names]
        for c, mask in enumerate(tree.masks):
            for i in bits(mask):
                self._holding[i].append(c)

    def marginal(self, mask: int) -> Table:
        """Return the probabilities over the columns of a mask, in the tree's layout."""
        return self._joint(self._root(mask), -1, mask)

    def marginals(self, masks: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield many marginals, each with its position among the masks. Many pairs without a common clique
        are computed together. All other marginals follow in ascending order of cost. The tables are views
        that are valid only until the next step.
        """
        far = self._far_pairs(masks)
        left = [n for n, mask in enumerate(masks) if mask not in far]
        for n in self.in_turn([masks[n] for n in left]):
            yield left[n], self.marginal(masks[left[n]])
        if not far:
            return
        rank = self._tree.rank
        for i, j, table in far_pairs(self._walk, self._sum, far):
            for n in far[1 << i | 1 << j]:
                yield n, table if rank[i] < rank[j] else table.T

    def _far_pairs(self, masks: Sequence[int]) -> dict[int, list[int]]:
        """Return the positions of pairs without a common clique if there are enough of them for a traversal
        of the tree.
        """
        together = [0] * len(self._tree.domain)
        for mask in self._tree.masks:
            for i in bits(mask):
                together[i] |= mask
        far: dict[int, list[int]] = {}
        for n, mask in enumerate(masks):
            if mask.bit_count() == 2 and mask & ~together[mask.bit_length() - 1]:
                far.setdefault(mask, []).append(n)
        is_worth = len(far) >= len(self._tree.masks) and self._walk.cells <= _REMEMBER
        return far if is_worth else {}

    def in_turn(self, masks: Sequence[int]) -> list[int]:
        """Return the positions of marginals in the order in which a batch of them takes the least time."""
        return sorted(range(len(masks)), key=lambda i: self._far(masks[i]))

    def _far(self, mask: int) -> int:
        """Return the column whose conditionals are computed through the tree, which is the column with the
        fewest codes.
        """
        return min(bits(mask), key=self._tree.domain.sizes.__getitem__, default=-1)

    def _root(self, wanted: int) -> int:
        """Return the clique from which the marginal takes the least time.

        This is a clique that contains all requested columns if there is one, and otherwise a clique that
        contains some of them. Only these are tried, because trying all cliques of a wide domain takes longer
        than the sums. For a pair, the clique contains the column that `_far` does not return.
        """
        masks, around = self._tree.masks, [self._holding[i] for i in bits(wanted)]
        holding = [c for c in min(around, key=len, default=range(len(masks))) if masks[c] & wanted == wanted]
        if holding:
            return min(holding, key=lambda c: self._beliefs[c].size)
        near = wanted & ~(1 << self._far(wanted)) if wanted.bit_count() == 2 else wanted
        meeting = sorted({c for i in bits(near) for c in self._holding[i]})
        return min(meeting, key=lambda c: self._cost(c, wanted))

    def _cost(self, root: int, wanted: int) -> float:
        """Return the approximate number of cells computed for the joint table, excluding results that later
        marginals reuse.
        """
        cost, waiting = 0.0, [(root, -1, wanted)]
        while waiting:
            c, seen_from, wanted = waiting.pop()
            branches = self._branches(c, seen_from, wanted)
            mask = wanted & self._tree.masks[c]
            for separator, _, _ in branches:
                mask |= separator
            for separator, part, behind in branches:
                cost += self._cells(mask | part)
                mask = mask & ~(separator & ~wanted) | part
                if part.bit_count() > 1:
                    cost += self._cells(separator | part)
                    waiting.append((behind, c, part | separator))
        return cost

    def _branches(self, c: int, seen_from: int, wanted: int) -> list[tuple[int, int, int]]:
        """Return the separator, the columns and the first clique of each branch with requested columns
        outside a clique. The branches that reduce the table most come first.
        """
        tree = self._tree
        missing = wanted & ~tree.masks[c]
        branches = []
        for other in self._near[c]:
            if other != seen_from and (part := missing & self._sides[other, c]):
                branches.append((tree.masks[c] & tree.masks[other], part, other))
        branches.sort(key=lambda branch: self._cells(branch[1]) / self._cells(branch[0]))
        return branches

    def _cells(self, mask: int) -> float:
        if mask not in self._sizes:
            self._sizes[mask] = float(math.prod(self._tree.shape(mask)))
        return self._sizes[mask]

    def _joint(self, c: int, seen_from: int, wanted: int) -> Table:
        """Return the joint table of the requested columns, all of which are in clique c or behind it."""
        tree = self._tree
        branches = self._branches(c, seen_from, wanted)
        mask = wanted & tree.masks[c]
        for separator, _, _ in branches:
            mask |= separator
        table = self._sum(c, mask)
        for n, (separator, part, behind) in enumerate(branches):
            out = wanted & mask | part
            for later, _, _ in branches[n + 1 :]:
                out |= later
            conditional = self._conditional(behind, c, part)
            table = _contract(tree, (table, mask), (conditional, separator | part), out)
            mask = out
        return table

    def _conditional(self, c: int, seen_from: int, wanted: int) -> Table:
        """Return p(requested | separator) as a table of both, for columns behind clique c and outside the
        separator. The computation is iterative and starts at the far end, because the depth of a tree may
        exceed the recursion limit.
        """
        known, way = self._conditionals[wanted], [(c, seen_from)]
        while way[-1] not in known and (further := self._further(*way[-1], wanted)) is not None:
            way.append(further)
        ratio = known.get(way[-1])
        if ratio is None:
            ratio = self._given_separator(*way[-1], wanted, self._joint_behind(*way[-1], wanted))
        for here, (behind, _) in zip(way[-2::-1], way[:0:-1], strict=True):
            ratio = self._given_separator(*here, wanted, self._handed_on(*here, behind, wanted, ratio))
        return ratio

    def _further(self, c: int, seen_from: int, wanted: int) -> tuple[int, int] | None:
        """Return the neighbour of c behind which all requested columns are, together with c, if c contains
        none of these columns. Otherwise, return None.
        """
        if wanted & self._tree.masks[c]:
            return None
        behind = (o for o in self._near[c] if o != seen_from and wanted & self._sides[o, c])
        first = next(behind)
        return (first, c) if wanted & self._sides[first, c] == wanted else None

    def _joint_behind(self, c: int, seen_from: int, wanted: int) -> Table:
        separator = self._tree.masks[c] & self._tree.masks[seen_from]
        return self._joint(c, seen_from, wanted | separator)

    def _handed_on(self, c: int, seen_from: int, behind: int, wanted: int, conditional: Table) -> Table:
        """Return the joint table of the requested columns and the separator, given the table from the cliques
        behind.
        """
        tree = self._tree
        separator, next_one = tree.masks[c] & tree.masks[seen_from], tree.masks[c] & tree.masks[behind]
        mask = separator | next_one
        of_c = self._sum(c, mask), mask
        return _contract(tree, of_c, (conditional, next_one | wanted), separator | wanted)

    def _given_separator(self, c: int, seen_from: int, wanted: int, joint: Table) -> Table:
        """Divide a joint table by the table of its separator. The result is cached if it contains one
        column.
        """
        tree = self._tree
        separator = tree.masks[c] & tree.masks[seen_from]
        below = self._sum(c, separator).reshape(broadcast_shape(tree, separator, separator | wanted))
        ratio = np.zeros(joint.shape)
        np.divide(joint, below, out=ratio, where=below > 0)
        if wanted.bit_count() == 1 and self._make_room(ratio.size, wanted):
            self._conditionals[wanted][c, seen_from] = ratio
        return ratio

    def _make_room(self, cells: int, wanted: int) -> bool:
        """Reserve memory for a conditional of a column. If necessary, remove the cached conditionals of other
        columns.
        """
        if self._room < cells:
            for other in self._conditionals.keys() - {wanted}:
                self._room += sum(table.size for table in self._conditionals.pop(other).values())
        taken = self._room >= cells
        self._room -= cells if taken else 0
        return taken

    def _sum(self, c: int, mask: int) -> Table:
        """Return a marginal inside a clique."""
        known = self._sums[c]
        if mask not in known:
            source = self._tree.masks[c]
            if self._beliefs[c].size >= _SEARCH:
                source = min((m for m in known if m & mask == mask), key=lambda m: known[m].size)
            keep = set(bits(mask))
            table = known[source]
            table = reduction(table.shape, tuple(i in keep for i in self._tree.layout(source)))(table)
            if self._room < table.size:
                return table
            self._room -= table.size
            known[mask] = table
        return known[mask]


def _sides(tree: JunctionTree) -> dict[tuple[int, int], int]:
    """Return all columns of the part of the tree behind a clique, as seen from its neighbour. The separator
    of an edge consists of the columns on both sides.
    """
    below = list(tree.masks)
    for c in reversed(tree.order[1:]):
        below[tree.parents[c]] |= below[c]
    sides = dict[tuple[int, int], int]()
    for c in tree.order[1:]:
        sides[c, tree.parents[c]] = below[c]
        sides[tree.parents[c], c] = below[tree.order[0]] & ~below[c] | tree.separator(c)
    return sides


def _contract(tree: JunctionTree, left: tuple[Table, int], right: tuple[Table, int], out: int) -> Table:
    """Sum the product of two tables over the columns outside `out`, as a matrix product. The tables are given
    with their masks, and both contain every column outside `out`.
    """
    (a, of_a), (b, of_b) = left, right
    shared, summed = of_a & of_b & out, of_a & of_b & ~out
    only_a, only_b = of_a & ~of_b, of_b & ~of_a
    columns = [tree.layout(mask) for mask in (shared, only_a, summed, only_b)]
    batch, rows, inner, across = (math.prod(tree.shape(m)) for m in (shared, only_a, summed, only_b))
    a_axes, b_axes = tree.layout(of_a), tree.layout(of_b)
    a = a.transpose([a_axes.index(i) for i in (*columns[0], *columns[1], *columns[2])])
    b = b.transpose([b_axes.index(i) for i in (*columns[0], *columns[2], *columns[3])])
    product = np.matmul(a.reshape(batch, rows, inner), b.reshape(batch, inner, across))
    order = [*columns[0], *columns[1], *columns[3]]
    table = product.reshape([tree.domain.sizes[i] for i in order])
    return np.ascontiguousarray(table.transpose([order.index(i) for i in tree.layout(out)]))
