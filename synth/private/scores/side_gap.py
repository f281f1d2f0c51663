"""Score the distance of the sides of a half-space from an estimate: the second kind of query of RAP++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.private.scores.base import LARGEST, SCALE, Score, as_floats, fixed, packed, unpacked


@dataclass(frozen=True, eq=False)
class SideGap(Score):
    """||S_h(D) - estimate_h||_1 for a half-space h, where S_h is the number of rows above it minus all
    others.

    With a label, the sides are counted for each of its codes (`private.queries.sides`).

    Shapes: `estimates`: float64[label's codes or 1, half-spaces], in counts. Privacy: adding one record
    changes one of the numbers of S_h by one, so the score changes by at most one. The scores of two
    half-spaces can change in opposite directions, so the swing is twice the sensitivity. The sensitivity and
    the swing are exact in fixed point. This score provides no bound on marginals.
    """

    spaces: HalfSpaces
    estimates: NDArray[np.float64]
    name = "side_gap"

    @property
    def cliques(self) -> Sequence[Clique]:
        """Return the clique of the half-spaces, repeated for each half-space."""
        return (self.spaces.clique,) * len(self.spaces)

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        sides = self.spaces.only([index]).sides_of_table(counts)
        return int(np.abs(sides * SCALE - fixed(self.estimates[:, [index]])).sum())

    def values(self, sides: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the scores of all half-spaces. Shapes: `sides` as `estimates`; int64[half-spaces]."""
        return np.asarray(np.abs(sides * SCALE - fixed(self.estimates)).sum(axis=0))

    def sensitivity(self, rows: int) -> int:
        return rows * SCALE

    def fits(self, domain: Domain) -> bool:
        if not self.spaces.fits(domain):
            return False
        parts = domain.size([self.spaces.label]) if self.spaces.label else 1
        if self.estimates.shape != (parts, len(self.spaces)):
            return False
        return bool((np.abs(as_floats(self.estimates)).sum(axis=0) <= LARGEST).all())

    def digested(self) -> tuple[bytes, bytes]:
        numbers = np.ascontiguousarray(fixed(self.estimates), dtype="<i8")
        return repr(self.spaces).encode(), numbers.tobytes()

    def state(self) -> bytes:
        fields = self.spaces.as_facts()
        steps = np.array(fields.pop("directions"), dtype=np.int64)
        return packed(fields, [steps, fixed(self.estimates)])

    @classmethod
    def restored(cls, state: bytes) -> SideGap:
        fields, (steps, estimates) = unpacked(state)
        return SideGap(HalfSpaces.of({**fields, "directions": steps.tolist()}), estimates / SCALE)
