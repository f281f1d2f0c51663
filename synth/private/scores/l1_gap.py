"""Score the distance of a table from an estimate: the score of AIM and MWEM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.private.scores.base import (
    LARGEST,
    SCALE,
    Estimated,
    Known,
    as_floats,
    cliques_in,
    fixed,
    packed,
    unpacked,
)

LARGEST_WEIGHT = 1 << 20
"""Maximum weight. With it and a SCALE of 2^10, the score of a table with 2^31 rows is 2^61, a quarter of the
64-bit range.
"""


@dataclass(frozen=True, eq=False)
class L1Gap(Estimated):
    """w_r * ( ||M_r(D) - estimate_r||_1 - penalty_r ), the score of AIM (Alg. 4) and MWEM.

    Shapes: `estimates[i]: float64[shape(cliques[i])]` in counts; `weights[i]`: non-negative integers;
    `penalties[i]`: counts. Privacy: adding one record changes one cell by one, so the L1 norm changes by at
    most one and the score by at most w_r. The scores of candidates can change in opposite directions, so the
    swing is twice the largest weight. The sensitivity and the swing are exact in fixed point.
    """

    weights: tuple[int, ...]
    penalties: tuple[float, ...]
    name = "l1_gap"

    def __post_init__(self) -> None:
        if not len(self.cliques) == len(self.estimates) == len(self.weights) == len(self.penalties):
            raise ValueError("an L1 gap needs one estimate, weight and penalty per clique")
        if any(w < 0 or not float(w).is_integer() for w in self.weights):
            raise ValueError("weights of an L1 gap are non-negative integers")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        return self.weights[index] * (self.gap(index, counts) - round(self.penalties[index] * SCALE))

    def gap(self, index: int, counts: NDArray[np.int64]) -> int:
        """Return ||counts - estimate||_1 in units of 1/SCALE, which is the part of the value that depends on
        rows.
        """
        return int(np.abs(counts.reshape(-1) * SCALE - fixed(self.estimates[index]).reshape(-1)).sum())

    def values(self, counts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the `value` of all candidates.

        Shapes: `counts[i]` has any shape with the cells of candidate i; int64[candidates]. Raises:
        OverflowError if a value exceeds 64 bits.
        """
        if not self.cliques:
            return np.empty(0, dtype=np.int64)
        apart = np.concatenate([table.reshape(-1) for table in counts]) * SCALE
        apart -= self._fixed
        return self.weighed(np.add.reduceat(np.abs(apart, out=apart), self._starts).tolist())

    def weighed(self, gaps: Sequence[int]) -> NDArray[np.int64]:
        """Return the `value` of each candidate, computed from its `gap`.

        Shapes: int64[candidates]. Raises: as `values`.
        """
        fields = zip(gaps, self.weights, self.penalties, strict=True)
        return np.array([w * (gap - round(p * SCALE)) for gap, w, p in fields], dtype=np.int64)

    def sensitivity(self, rows: int) -> int:
        return max(self.weights, default=0) * rows * SCALE

    def fits(self, domain: Domain) -> bool:
        """Whether the sizes match and no score can exceed 64 bits.

        Sums of absolute values also detect NaN and infinity. Weights are limited as well, so that no number
        of rows makes a score exceed 64 bits.
        """
        if not all(isinstance(w, int) and w <= LARGEST_WEIGHT for w in self.weights):
            return False
        if any(e.size != domain.size(r) for r, e in zip(self.cliques, self.estimates, strict=True)):
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.add.reduceat(np.abs(self._floats), self._starts)
            largest = (sums + np.abs(self.penalties)) * np.maximum(self.weights, 1)
        return bool((largest <= LARGEST).all())

    def digested(self) -> Iterator[bytes | memoryview]:
        cells = memoryview(self._fixed.tobytes())
        ends = [8 * end for end in (*self._starts.tolist(), self._fixed.size)]
        each = zip(self.cliques, self.weights, self.penalties, pairwise(ends), strict=True)
        for clique, weight, penalty, (start, end) in each:
            yield repr((clique, weight, round(penalty * SCALE))).encode()
            yield cells[start:end]

    def state(self) -> bytes:
        penalties = [round(p * SCALE) for p in self.penalties]
        facts = {"cliques": self.cliques, "weights": [int(w) for w in self.weights], "penalties": penalties}
        ends = pairwise([*self._starts.tolist(), self._fixed.size])
        parts = (self._fixed[start:end] for start, end in ends)
        return packed(facts, [p.reshape(e.shape) for p, e in zip(parts, self.estimates, strict=True)])

    @classmethod
    def restored(cls, state: bytes) -> L1Gap:
        facts, tables = unpacked(state)
        return L1Gap(
            cliques=cliques_in(facts["cliques"]),
            estimates=tuple(table / SCALE for table in tables),
            weights=tuple(facts["weights"]),
            penalties=tuple(p / SCALE for p in facts["penalties"]),
        )

    def winner(self, index: int, known: Known, *, beta: float) -> float | None:
        error = known.apart(self.estimate(index), beta=beta)
        return None if error is None else self.weights[index] * (error - self._penalty(index))

    def distance(self, index: int, limit: float) -> float | None:
        weight = self.weights[index]
        return max(self._penalty(index) + limit / weight, 0.0) if weight > 0 else None

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        """Return all estimates, one after the other."""
        return np.concatenate([np.empty(0), *(as_floats(e).reshape(-1) for e in self.estimates)])

    @cached_property
    def _fixed(self) -> NDArray[np.int64]:
        """Return all estimates in fixed point, one after the other."""
        return fixed(self._floats)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Return the position at which each estimate begins."""
        sizes = np.array([estimate.size for estimate in self.estimates], dtype=np.int64)
        return np.cumsum(sizes) - sizes

    def _penalty(self, index: int) -> float:
        return round(self.penalties[index] * SCALE) / SCALE
