"""Score the difference between the number of rows in a range of values and a public number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.private.scores.base import LARGEST, SCALE, Score, cliques_in, fixed, packed, unpacked

Range = tuple[tuple[int, ...], ...]
"""For each column of a clique, the codes that belong to the range."""


@dataclass(frozen=True, eq=False)
class RangeGap(Score):
    """|number of rows whose codes are all in range i - estimates[i]|, in counts.

    Shapes: `cliques[i]` has one entry per column of `ranges[i]`; `estimates: float64[candidates]` in counts.

    Privacy: one added row changes the number of rows in a range by at most one. Replacing a unit removes at
    most its rows from a range, or adds at most the same number to it. So the sensitivity is the number of
    rows of a unit under both relations. This score provides no bound on marginals.
    """

    cliques: tuple[Clique, ...]
    ranges: tuple[Range, ...]
    estimates: NDArray[np.float64]
    name = "range_gap"
    moves_by = "cell"

    def __post_init__(self) -> None:
        if not len(self.cliques) == len(self.ranges) == len(self.estimates):
            raise ValueError("a range gap needs one range and one estimate per clique")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        inside = int(counts[np.ix_(*self.ranges[index])].sum())
        return abs(inside * SCALE - int(fixed(self.estimates)[index]))

    def sensitivity(self, rows: int) -> int:
        return rows * SCALE

    def fits(self, domain: Domain) -> bool:
        if not np.isfinite(self.estimates).all() or np.abs(self.estimates).max(initial=0) > LARGEST:
            return False
        return all(
            len(one) == len(clique)
            and all(
                codes == tuple(sorted(set(codes))) and codes and codes[0] >= 0 and codes[-1] < size
                for codes, size in zip(one, domain.shape(clique), strict=True)
            )
            for clique, one in zip(self.cliques, self.ranges, strict=True)
        )

    def digested(self) -> Iterator[bytes]:
        yield repr((self.cliques, self.ranges)).encode()
        yield fixed(self.estimates).tobytes()

    def state(self) -> bytes:
        return packed({"cliques": self.cliques, "ranges": self.ranges}, [fixed(self.estimates)])

    @classmethod
    def restored(cls, state: bytes) -> RangeGap:
        facts, (numbers,) = unpacked(state)
        ranges = tuple(tuple(tuple(codes) for codes in one) for one in facts["ranges"])
        return RangeGap(cliques_in(facts["cliques"]), ranges, numbers / SCALE)
