"""Score the largest distance of a cell of a table from its estimate: the score of GEM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class LargestGap(Estimated):
    """max over cells |M_r(D) - estimate_r|, in counts.

    Privacy: adding one record changes one cell by one, so the largest gap changes by at most one. It may
    increase for one candidate and decrease for another, so the swing is twice the sensitivity. The
    sensitivity and the swing are exact in fixed point. The largest gap changes by at most the largest change
    of a cell. If a unit is replaced, a cell loses at most the rows of the old unit or gains at most the rows
    of the new unit, so both relations have the same sensitivity.
    """

    name = "largest_gap"
    moves_by = "cell"

    def __post_init__(self) -> None:
        if len(self.cliques) != len(self.estimates):
            raise ValueError("a largest gap needs one estimate per clique")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        gaps = np.abs(counts.reshape(-1) * SCALE - fixed(self.estimates[index]).reshape(-1))
        return int(gaps.max())

    def sensitivity(self, rows: int) -> int:
        return rows * SCALE

    def fits(self, domain: Domain) -> bool:
        """Whether the sizes match and the sums fit into fixed point, which also detects NaN and infinity."""
        return all(
            estimate.size == domain.size(clique) and float(np.abs(as_floats(estimate)).sum()) <= LARGEST
            for clique, estimate in zip(self.cliques, self.estimates, strict=True)
        )

    def digested(self) -> Iterator[bytes]:
        for clique, estimate in zip(self.cliques, self.estimates, strict=True):
            yield repr(clique).encode()
            yield fixed(estimate).tobytes()

    def state(self) -> bytes:
        return packed({"cliques": self.cliques}, [fixed(estimate) for estimate in self.estimates])

    @classmethod
    def restored(cls, state: bytes) -> LargestGap:
        facts, tables = unpacked(state)
        return LargestGap(cliques_in(facts["cliques"]), tuple(table / SCALE for table in tables))

    def winner(self, index: int, known: Known, *, beta: float) -> float | None:
        """Return the sum of the gaps of all cells, which is at least the largest gap."""
        return known.apart(self.estimate(index), beta=beta)

    def distance(self, index: int, limit: float) -> float:
        """Return a bound on the sum over all cells of a table: number of cells * gap of the worst cell."""
        return self.estimates[index].size * max(limit, 0.0)
