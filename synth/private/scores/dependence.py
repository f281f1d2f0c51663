"""Score the dependence of a child on its parents: the score of PrivBayes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.private.scores.base import LARGEST, SCALE, Known, Score, as_floats, cliques_in, packed, unpacked

WHOLE = 1 << 20
"""Number of fixed-point units of a whole distribution."""


@dataclass(frozen=True, eq=False)
class Dependence(Score):
    """||M_r(D) - p M_P(D)||_1 in counts: the dependence of a child on its parents P.

    PrivBayes' R-score (Zhang et al. 2017, section 4.5) is sum |Pr[x, P] - Pr[x] Pr[P]| / 2. This score is 2
    |D| R, with a public estimate p in place of the child's true distribution. `children[i]` is the column of
    cliques[i] that is the child; the other columns are its parents. Shapes: `columns[child]: float64[size]`,
    non-negative counts with a positive sum, whose shares are p. They are rounded to integers q_x that sum to
    exactly `WHOLE`. The parents' table is summed from the exact counts of the clique, and the value is the
    integer sum |WHOLE c - q_x c_P| times SCALE / WHOLE, rounded down.

    Privacy: a record (x0, P0) changes only the cells (x, P0), by 1 - p_x0 if x = x0 and by p_x otherwise. The
    total 2 (1 - p_x0) is below or equal to 2. With the true p of the table this would double, and with shares
    it would be divided by the secret |D|. Rounding down preserves an integer bound, and a change of `l1`
    equals the change of `l1` single records, one after the other (see `InDif`). One record may raise one
    candidate and lower another by nearly 2, so the swing is twice the sensitivity.
    """

    cliques: tuple[Clique, ...]
    children: tuple[str, ...]
    columns: Mapping[str, NDArray[np.float64]]
    name = "dependence"
    events = 1

    def __post_init__(self) -> None:
        if len(self.cliques) != len(self.children):
            raise ValueError("a dependence score needs one child per clique")
        if any(child not in r or child not in self.columns for r, child in self._families()):
            raise ValueError("the child must be a column of its clique and have an estimate")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        clique, child = self.cliques[index], self.children[index]
        whole = _whole_shares(self.columns[child])
        table = np.moveaxis(counts, clique.index(child), 0).reshape(whole.size, -1)
        gap = int(np.abs(WHOLE * table - np.outer(whole, table.sum(axis=0))).sum())
        return gap * SCALE // WHOLE

    def sensitivity(self, rows: int) -> int:
        return 2 * rows * SCALE

    def fits(self, domain: Domain) -> bool:
        """Whether the sizes match and every column that is used can be a distribution."""
        used = {child: as_floats(self.columns[child]) for child in self.children}
        return all(
            column.size == domain.size((child,)) and column.min() >= 0 and 0 < float(column.sum()) <= LARGEST
            for child, column in used.items()
        )

    def digested(self) -> Iterator[bytes]:
        yield repr(list(self._families())).encode()
        for child in sorted(set(self.children)):
            yield repr(child).encode() + _whole_shares(self.columns[child]).tobytes()

    def state(self) -> bytes:
        used = sorted(set(self.children))
        facts = {"cliques": self.cliques, "children": self.children, "columns": used}
        return packed(facts, [_whole_shares(self.columns[child]) for child in used])

    @classmethod
    def restored(cls, state: bytes) -> Dependence:
        facts, shares = unpacked(state)
        columns = {name: whole / WHOLE for name, whole in zip(facts["columns"], shares, strict=True)}
        return Dependence(cliques_in(facts["cliques"]), tuple(facts["children"]), columns)

    def applies_to(self, domain: Domain, cliques: Collection[Clique]) -> bool:
        return all(domain.size([name]) == column.size for name, column in self.columns.items())

    def winner(self, index: int, known: Known, *, beta: float) -> float | None:
        clique = self.cliques[index]
        if not known.supports(clique):
            return None
        (error,) = known.measured([clique], beta=beta)
        return 2.0 * error + self._apart(known, clique, self.children[index])

    def bounds(
        self, limits: Sequence[float], cliques: Collection[Clique], known: Known, *, beta: float
    ) -> dict[Clique, float]:
        """Return bounds for pairs of a child and a parent, each from the first family that contains the
        pair.
        """
        bounds: dict[Clique, float] = {}
        for (family, child), limit in zip(self._families(), limits, strict=True):
            inside = [r for r in cliques if child in r and len(r) > 1 and set(r) <= set(family)]
            for r in (r for r in inside if r not in bounds):
                parents = tuple(name for name in r if name != child)
                if known.supports(parents):
                    (error,) = known.measured([parents], beta=beta)
                    bounds[r] = limit + 1.0 / SCALE + error + self._apart(known, r, child)
        return bounds

    def shares(self, child: str) -> NDArray[np.float64]:
        """Return p as the score uses it, rounded to fixed point. Shapes: float64[size]."""
        return np.asarray(_whole_shares(self.columns[child]) / WHOLE)

    def _families(self) -> Iterator[tuple[Clique, str]]:
        return zip(self.cliques, self.children, strict=True)

    def _apart(self, known: Known, clique: Clique, child: str) -> float:
        """Return ||M_r - p M_P||_1 of the released table."""
        table = np.moveaxis(known.counts(clique), clique.index(child), 0)
        product = np.multiply.outer(self.shares(child), table.sum(axis=0))
        return float(np.abs(table - product).sum())


def _whole_shares(column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return a distribution as integers that sum to WHOLE.

    All shares are rounded down, and the largest gets the remainder.
    """
    column = as_floats(column)
    whole: NDArray[np.int64] = np.floor(column / column.sum() * WHOLE).astype(np.int64)
    whole[np.argmax(whole)] += WHOLE - whole.sum()
    return whole
