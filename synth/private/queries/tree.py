"""Measure a tree over a range, which determines the cuts of a column, before the mechanism runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import ZCDP, Law
from synth.core.axis import Axis
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.noise import bernoulli_exp
from synth.private.table import PrivateTable
from synth.private.terms import Terms

LN2_ABOVE = Fraction(6931471805599454, 10**16)
"""A rational above ln 2 = 0.69314718055994530..."""


@dataclass(frozen=True, kw_only=True)
class TreeQuery:
    """PrivTree (Zhang, Xiao, Xie 2016, Alg. 2) with two children per node, on a public grid of cells.

    A node is an interval of cells, which is split in the middle until it has only one cell. With depth i and
    count c, its biased count is b = max(c - i * decay, -decay), and it is split if b + Laplace(scale) > 0.
    Only the positions of splits are released, never counts, and empty leaves remain.

    Units: `change` is the largest L1 change of a histogram between neighbours, in rows; `units` the cost by
    the accounting rule `law`.

    Privacy: let one row be added in a cell. Only the nodes v_0, .., v_h on the path
    to this cell change: for the nodes that can be split, b increases to b' by between 0 and 1. This makes
    splits more likely and non-splits less likely. For a non-split, the ratio of probabilities is at least
    exp(-1/scale). For splits, with f(x) = Pr[x + Laplace(scale) > 0], (ln f)'(x) is 1/scale for x < 0 and at
    most exp(-x/scale) / scale for x > 0. So the log ratios sum to at most the integral over u in [0, 1] of
    sum_i (ln f)'(x_i - u) [x_i - u > -decay], where x_i = c'_i - i decay. Counts do not increase on the way
    down, so for every u the distance between two points x_i - u is at least `decay`. At most one of them is
    in (-decay, 0], which adds 1/scale, and the terms of the points above 0 sum to at most (1/scale) / (1 -
    exp(-decay/scale)) <= 2/scale, because decay >= scale ln 2. The total is 3/scale, for any depth. So the
    log ratios lie within an interval of length 4/scale. A change of `change` rows equals the same number of
    single changes, so the tree has range 4 change / scale, and its cost is that of a range
    (`Law.range_within`), as in a selection. Every random decision is exact, with rational parameters.

    Deviations: the depth of the node replaces a global count of splits; cells and depth are public; `scale`
    and `decay` are rational numbers, rounded so that the guarantee holds.
    """

    ask: ClassVar[str] = "tree"
    words: ClassVar[tuple[str, str]] = ("tree over a range", "trees over ranges")

    axis: Axis
    change: int
    units: int
    law: Law = ZCDP

    @property
    def cells(self) -> int:
        return self.axis.cells

    @property
    def scale(self) -> Fraction:
        return 4 * self.change / Fraction(self.law.range_within(self.units))

    @property
    def decay(self) -> Fraction:
        return self.scale * LN2_ABOVE

    def fits(self, terms: Terms, *, delta_units: int) -> bool:
        return self.change >= terms.l1

    def facts(self) -> dict[str, Any]:
        grid = hashlib.sha256(repr(self.axis.edges).encode()).hexdigest()
        return {
            "ask": self.ask,
            "clique": [self.axis.name],
            "grid": grid,
            "change": self.change,
            **self.law.as_facts(),
        }

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """Return the first cell of each leaf, in order, as JSON.

        The codes for *other* and *missing* are not part of the tree.
        """
        counts = table.codes([self.axis]).counts([0])[: self.cells]
        return json.dumps(self.leaves(counts, entropy=entropy)).encode()

    def leaves(self, counts: NDArray[np.int64], *, entropy: Entropy = OS_ENTROPY) -> list[int]:
        """Return the first cell of every leaf. Shapes: `counts` int64[cells]."""
        before = [0, *np.cumsum(counts, dtype=np.int64).tolist()]
        starts: list[int] = []
        waiting = [(0, self.cells, 0)]
        while waiting:
            first, end, depth = waiting.pop()
            if end - first > 1 and self.splits(before[end] - before[first], depth, entropy=entropy):
                middle = (first + end) // 2
                waiting += [(middle, end, depth + 1), (first, middle, depth + 1)]
            else:
                starts.append(first)
        return starts

    def splits(self, count: int, depth: int, *, entropy: Entropy = OS_ENTROPY) -> bool:
        """Decide whether to split a node.

        Pr[b + Laplace(scale) > 0] is exp(b/scale)/2 for b <= 0, otherwise 1 - exp(-b/scale)/2.
        """
        biased = max(count - depth * self.decay, -self.decay)
        beyond = bool(entropy.bytes(1)[0] & 1) and bernoulli_exp(abs(biased) / self.scale, entropy=entropy)
        return not beyond if biased > 0 else beyond
