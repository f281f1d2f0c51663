"""Score the dependence of two columns: the score of PrivSyn and ABSyn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.private.scores.base import SCALE, Known, Score, cliques_in, packed, unpacked


@dataclass(frozen=True)
class InDif(Score):
    """||M_ab(D) - M_a(D) M_b(D) / |D| ||_1 in counts, for pairs of columns.

    This is PrivSyn's InDif, or ABSyn's R-score times the number of records. It is 0 for an empty table.

    The exact counts of its columns and n = |D| are sums of the pair's counts. sum |n c_ab - c_a c_b| is an
    integer, and the value is that sum times SCALE / n, rounded down. Privacy: let p = M_a / n, q = M_b / n. A
    record (a0, b0) added to n others changes the difference by exactly n / (n + 1) (e_a0 - p)(e_b0 - q)^T,
    whose L1 norm 4 n / (n + 1) (1 - p_a0)(1 - q_b0) is below 4. Rounding down preserves an integer bound: x
    <= y + 4 SCALE implies floor(x) <= floor(y) + 4 SCALE. A change of `l1` equals the change of `l1` single
    records, one after the other. One record may raise one pair and lower another by nearly 4, so the swing is
    twice the sensitivity. With shares instead of counts, the score would be divided by the secret n, and no
    fixed sensitivity would be valid.
    """

    cliques: tuple[Clique, ...]
    name = "indif"
    events = 2

    def __post_init__(self) -> None:
        if any(len(r) != 2 for r in self.cliques):
            raise ValueError("InDif is a score of pairs of columns")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        n = int(counts.sum())
        if n == 0:
            return 0
        table: NDArray[Any] = counts.astype(object) if n >= 1 << 31 else counts
        gap = int(np.abs(n * table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
        return gap * SCALE // n

    def sensitivity(self, rows: int) -> int:
        return 4 * rows * SCALE

    def fits(self, domain: Domain) -> bool:
        """Return True, because the score has no public numbers."""
        return True

    def digested(self) -> tuple[bytes]:
        return (repr(self.cliques).encode(),)

    def state(self) -> bytes:
        return packed({"cliques": self.cliques}, [])

    @classmethod
    def restored(cls, state: bytes) -> InDif:
        return InDif(cliques_in(unpacked(state)[0]["cliques"]))

    def applies_to(self, domain: Domain, cliques: Collection[Clique]) -> bool:
        return not set(self.cliques).isdisjoint(cliques)

    def bounds(
        self, limits: Sequence[float], cliques: Collection[Clique], known: Known, *, beta: float
    ) -> dict[Clique, float]:
        bounds: dict[Clique, float] = {}
        waiting = [(r, limit) for r, limit in zip(self.cliques, limits, strict=True) if r in cliques]
        names = sorted({name for r, _ in waiting for name in r if known.supports((name,))})
        errors = dict(zip(names, (known.measured([(name,)], beta=beta)[0] for name in names), strict=True))
        for r, limit in waiting:
            if not set(r) <= errors.keys():
                continue
            left, right = (errors[name] for name in r)
            table = known.counts(r)
            product = np.outer(table.sum(axis=1), table.sum(axis=0)) / known.total
            apart = left + right + min(left, right)
            bounds[r] = max(limit + 1.0 / SCALE, 0.0) + apart + float(np.abs(product - table).sum())
        return bounds
