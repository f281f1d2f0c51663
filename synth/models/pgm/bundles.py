"""Bundles: sums of the log-factors of small factors in the same clique.

A table of many columns with few codes has a very large number of pairs. Multiplying a factor of four cells
takes almost no arithmetic, but each numpy call has a fixed cost. Therefore, factors whose columns together
have few cells are bundled. One sparse matrix adds all log-factors to the tables of the bundles, the sweep
runs on the bundles, and the transposed matrix sums the marginals of the bundles to those of the factors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from synth.core.graphs.columns import bits
from synth.models.pgm.tree import JunctionTree, broadcast_shape

MOST_CELLS = 512
"""Maximum number of cells of a bundle. For larger bundles, adding cells takes longer than the calls that are
saved.
"""

CALL = 3_000
"""Number of cells that can be added in the time that a separate factor takes in a sweep."""


@dataclass(frozen=True, eq=False)
class Bundles:
    """Groups of factors, and the maps between factors and groups. Measured factors come first and are never
    grouped with other factors.

    `masks`: the columns of every bundle. The first `measured` bundles contain measured factors. `adding`: the
    sparse matrix from the cells of all factors to the cells of all bundles, or None if every bundle contains
    one factor.
    """

    masks: tuple[int, ...]
    measured: int
    adding: sparse.csr_array | None = None
    summing: sparse.csr_array | None = None

    @staticmethod
    def of(tree: JunctionTree, factors: Sequence[int], homes: Sequence[int], measured: int) -> Bundles:
        """Bundle the measured factors that belong to the same clique of the tree if this saves time."""
        inside: dict[int, list[int]] = {}
        for k, home in enumerate(homes[:measured]):
            inside.setdefault(home, []).append(k)
        bundled = [b for group in inside.values() for b in _grouped(factors, group, tree.domain.sizes)]
        terms = sum(math.prod(tree.shape(mask)) * len(group) for mask, group in bundled)
        saved = measured - len(bundled)
        if not saved or terms > CALL * saved:
            return Bundles(tuple(factors), measured)
        every = [*bundled, *((factors[k], [k]) for k in range(measured, len(factors)))]
        masks = tuple(mask for mask, _ in every)
        adding = _adding(tree, factors, masks, [group for _, group in every])
        cells = sum(math.prod(tree.shape(mask)) for mask in masks[: len(bundled)])
        measured_cells = sum(math.prod(tree.shape(mask)) for mask in factors[:measured])
        return Bundles(masks, len(bundled), adding, adding[:cells, :measured_cells].T.tocsr())

    def add(self, log_factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-factors of the bundles."""
        return log_factors if self.adding is None else self.adding @ log_factors

    def sum(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the marginals of the measured factors, given the marginals of the bundles."""
        return marginals if self.summing is None else self.summing @ marginals


def _grouped(
    factors: Sequence[int], inside: Sequence[int], sizes: Sequence[int]
) -> list[tuple[int, list[int]]]:
    """Return the columns and the factors of each bundle. A bundle starts with the largest remaining factor,
    and repeatedly adds the column that completes the most other factors while the number of cells is small.
    """

    def cells(mask: int) -> int:
        return math.prod(sizes[i] for i in bits(mask))

    left = sorted(inside, key=lambda k: (-cells(factors[k]), k))
    bundles = []
    while left:
        mask = factors[left[0]]
        while cells(mask) <= MOST_CELLS:
            lacking = (factors[k] & ~mask for k in left)
            completes = Counter(lack for lack in lacking if lack and not lack & (lack - 1))
            fitting = [c for c in completes if cells(mask | c) <= MOST_CELLS]
            if not fitting:
                break
            mask |= max(fitting, key=lambda c: (completes[c], -c))
        group = [k for k in left if factors[k] & ~mask == 0] if cells(mask) <= MOST_CELLS else left[:1]
        left = [k for k in left if k not in group]
        bundles.append((mask, group))
    return bundles


def _adding(
    tree: JunctionTree, factors: Sequence[int], masks: Sequence[int], groups: Sequence[Sequence[int]]
) -> sparse.csr_array:
    """Return the matrix that adds factors to bundles. For every factor of a group, it contains the factor's
    cell for each cell of the bundle.
    """
    shapes = [tree.shape(mask) for mask in factors]
    starts = np.cumsum([0, *map(math.prod, shapes)])
    columns, lengths = [], []
    for mask, group in zip(masks, groups, strict=True):
        shape = tree.shape(mask)
        cells = np.empty((*shape, len(group)), dtype=np.int32)
        for place, k in enumerate(group):
            own = np.arange(starts[k], starts[k + 1], dtype=np.int32)
            cells[..., place] = own.reshape(broadcast_shape(tree, factors[k], mask))
        columns.append(cells.reshape(-1))
        lengths.append(np.full(math.prod(shape), len(group)))
    indices = np.concatenate(columns)
    ends = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    return sparse.csr_array((np.ones(indices.size), indices, ends), shape=(ends.size - 1, int(starts[-1])))
