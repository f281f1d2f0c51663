"""Score the distance of a table from the product of its columns.

It is an `L1Gap` that does not store the tables of pairs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.private.scores.base import LARGEST, SCALE, as_floats, cliques_in, fixed, packed, unpacked
from synth.private.scores.l1_gap import LARGEST_WEIGHT, L1Gap


@dataclass(frozen=True, eq=False)
class Products(Sequence[NDArray[np.float64]]):
    """The expected counts of cliques whose columns are independent. Each table is computed when it is needed.

    Shapes: `columns[name]: float64[codes]`, counts that add up to about `total`; each item has one axis per
    column of its clique. All counts are multiples of 1/SCALE, so that stored counts reproduce the same
    floats.
    """

    cliques: tuple[Clique, ...]
    columns: Mapping[str, NDArray[np.float64]]
    total: float

    @staticmethod
    def of(cliques: Sequence[Clique], columns: Mapping[str, NDArray[np.float64]], total: float) -> Products:
        """Return the products of these counts, rounded to fixed point."""
        used = {name: fixed(columns[name]) / SCALE for name in sorted({n for r in cliques for n in r})}
        return Products(tuple(cliques), used, max(round(total * SCALE), 1) / SCALE)

    def __len__(self) -> int:
        return len(self.cliques)

    @overload
    def __getitem__(self, index: int) -> NDArray[np.float64]: ...
    @overload
    def __getitem__(self, index: slice) -> Products: ...
    def __getitem__(self, index: int | slice) -> NDArray[np.float64] | Products:
        if isinstance(index, slice):
            return Products(self.cliques[index], self.columns, self.total)
        first, *others = (self.columns[name] for name in self.cliques[index])
        return np.asarray(reduce(np.multiply.outer, (other / self.total for other in others), first))


@dataclass(frozen=True, eq=False)
class ProductGap(L1Gap):
    """w_r * ( ||M_r(D) - estimate_r||_1 - penalty_r ), where estimate_r is the product of noisy columns.

    For the 124,750 pairs of 500 columns, the tables of an `L1Gap` would take gigabytes, in memory and beside
    the ledger, while the columns take kilobytes. Privacy: estimates are public and the same for all
    neighbouring tables, so the sensitivity and the swing are the same as for an `L1Gap`.
    """

    estimates: Products  # type: ignore[assignment]
    name = "product_gap"

    def by_gaps(self, gaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the `value` of each candidate, computed from its `gap`.

        Shapes: int64[candidates]. Raises: OverflowError if a value exceeds 64 bits.
        """
        return self.weighed(gaps.tolist())

    def fits(self, domain: Domain) -> bool:
        """Check as for an `L1Gap`.

        The sum of a product is the sum of its first column times the shares of the other columns.
        """
        columns, total = self.estimates.columns, self.estimates.total
        sums = {name: float(np.abs(as_floats(column)).sum()) for name, column in columns.items()}
        if not 0 < total <= LARGEST or any(
            name not in domain or column.shape != domain.shape((name,)) for name, column in columns.items()
        ):
            return False
        if any(name not in sums for clique in self.cliques for name in clique):
            return False
        return self.estimates.cliques == self.cliques and all(
            isinstance(w, int)
            and w <= LARGEST_WEIGHT
            and (self._whole(r, sums) + abs(penalty)) * max(w, 1) <= LARGEST
            for r, w, penalty in zip(self.cliques, self.weights, self.penalties, strict=True)
        )

    def _whole(self, clique: Clique, sums: Mapping[str, float]) -> float:
        first, *others = (sums[name] for name in clique)
        return first * math.prod(other / self.estimates.total for other in others)

    def digested(self) -> Iterator[bytes | memoryview]:
        yield self._words().encode()
        for name, column in self.estimates.columns.items():
            yield repr(name).encode() + fixed(column).tobytes()

    def state(self) -> bytes:
        columns = self.estimates.columns
        facts = {**json.loads(self._words()), "columns": list(columns)}
        return packed(facts, [fixed(column) for column in columns.values()])

    @classmethod
    def restored(cls, state: bytes) -> ProductGap:
        facts, tables = unpacked(state)
        columns = {n: table / SCALE for n, table in zip(facts["columns"], tables, strict=True)}
        cliques = cliques_in(facts["cliques"])
        return ProductGap(
            cliques=cliques,
            estimates=Products(cliques, columns, facts["total"] / SCALE),
            weights=tuple(facts["weights"]),
            penalties=tuple(p / SCALE for p in facts["penalties"]),
        )

    def forget(self, cliques: Collection[Clique]) -> Self:
        return self

    def applies_to(self, domain: Domain, cliques: Collection[Clique]) -> bool:
        columns = self.estimates.columns
        mine = [r for r, w in zip(self.cliques, self.weights, strict=True) if w > 0 and r in cliques]
        return bool(mine) and all(columns[n].shape == domain.shape((n,)) for r in mine for n in r)

    def _words(self) -> str:
        """Return the candidates, weights and penalties, and the number of records, in fixed point."""
        fields = {
            "cliques": self.cliques,
            "weights": [int(w) for w in self.weights],
            "penalties": [round(p * SCALE) for p in self.penalties],
            "total": round(self.estimates.total * SCALE),
        }
        return json.dumps(fields)
