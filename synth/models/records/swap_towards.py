"""Swap values of a model's records towards the model's tables of pairs and of some larger cliques."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.model import Model
from synth.core.zeros import Zero
from synth.models.blas import one_thread
from synth.models.estimates.proportional import Table, fitted_to
from synth.models.records.swaps import SWEEPS, WORK, swap

TARGET_CELLS = 1 << 24
"""Maximum number of cells of all target tables. If the tables of all pairs exceed it, only measured tables
are targets, as long as they stay below it.
"""

MOST_TRIPLES, TRIPLE_CELLS = 300, 1 << 22
"""Maximum number of target tables of three columns (13 columns have 286), and the maximum number of their
cells.
"""

TRIPLE_WORK = WORK / 4
"""Maximum number of processed table cells for these tables. The swaps take about three seconds; counting the
tables takes additional time.
"""


ROUNDED = 0.5
"""Largest rounding error of a cell, in records."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SwapTargets:
    """Tables of a domain towards which the values of records are swapped, in counts of these records.

    `triples`: targets of the first swaps only. In random records, these tables have sampling error that no
    pair shows. In later swaps, they would prevent the pairs in `tables` from reaching their targets. `scale`:
    the number of records divided by the model's total.
    """

    domain: Domain
    tables: Mapping[Clique, Table]
    triples: Mapping[Clique, Table]
    scale: float

    @classmethod
    def of(
        cls,
        model: Model,
        rows: int,
        *,
        measured: Sequence[Clique],
        among: Collection[str] | None = None,
        triples: bool = False,
    ) -> SwapTargets:
        """Return the targets for `rows` records. The arguments are those of `swap_towards`."""
        domain, scale = model.domain, rows / model.total
        pairs: list[Clique] = list(combinations(domain.names, 2))
        if among is not None:
            pairs, measured = ([r for r in some if set(r) <= set(among)] for some in (pairs, measured))
        fit = sum(domain.size(r) for r in pairs) <= TARGET_CELLS
        cliques = _within(domain, [*pairs, *(r for r in measured if len(r) > 2)] if fit else measured)
        tables = {r: table * scale for r, table in zip(cliques, model.project_many(cliques), strict=True)}
        more = _triples(model, tables, rows) if triples else {}
        return cls(domain=domain, tables=tables, triples=more, scale=scale)

    @property
    def rounding(self) -> float:
        """Return by how much rounding moves a table of as many records as in the private table further from
        its target than a table of these records, in counts of the model's total. It is 0 if there are not
        more records than in the private table.
        """
        if self.scale <= 1 or not self.tables:
            return 0.0
        most = ROUNDED * (self.scale - 1)
        off = (float(np.minimum(table, most).sum()) for table in self.tables.values())
        return sum(off) / len(self.tables) / self.scale

    def swapped(
        self,
        codes: NDArray[np.int64],
        rng: np.random.Generator,
        *,
        zeros: Iterable[Zero] = (),
        near: float = 0.0,
        sweeps: int = SWEEPS,
        kept: Collection[str] = (),
    ) -> NDArray[np.int64]:
        """Return the records after swapping values between them. The arguments are those of
        `swap_towards`.
        """
        again = partial(swap, zeros=[*zeros], kept=kept, rng=rng, sweeps=sweeps)
        with one_thread():
            if self.triples:
                codes = again(codes, self.domain, {**self.tables, **self.triples}, work=TRIPLE_WORK)
            return again(codes, self.domain, self.tables, near=near * self.scale)


def swap_towards(
    model: Model,
    codes: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    measured: Sequence[Clique],
    zeros: Iterable[Zero] = (),
    near: float = 0.0,
    sweeps: int = SWEEPS,
    kept: Collection[str] = (),
    among: Collection[str] | None = None,
    triples: bool = False,
) -> NDArray[np.int64]:
    """Return the records after swapping values between them (`swaps.swap`), towards all pairs of the model,
    or the pairs `among` some columns, and towards the larger `measured` tables.

    Shapes: int64[rows, len(model.domain)], none in a forbidden cell. `measured`: the most important tables,
    in order, which have priority if not all tables can be targets. `near` (in counts of the model's total),
    `sweeps` and `kept` are those of `swap`. With `triples`, values of narrow tables are first swapped towards
    tables of three columns as well.
    """
    if len(codes) == 0:
        return codes
    targets = SwapTargets.of(model, len(codes), measured=measured, among=among, triples=triples)
    return targets.swapped(codes, rng, zeros=zeros, near=near, sweeps=sweeps, kept=kept)


def _triples(model: Model, pairs: Mapping[Clique, Table], rows: int) -> dict[Clique, Table]:
    """Return the model's tables of three columns, with these pairs as margins. Only tables with at least one
    record per non-empty cell are returned. If there are too many of them, none is returned.
    """
    domain = model.domain
    if math.comb(len(domain), 3) > MOST_TRIPLES:
        return {}
    triples = [r for r in combinations(domain.names, 3) if domain.size(r) <= rows]
    are_too_many = sum(domain.size(r) for r in triples) > TRIPLE_CELLS
    if are_too_many or not all(two in pairs for r in triples for two in combinations(r, 2)):
        return {}
    fitted = {
        r: fitted_to(table, {(a, b): pairs[r[a], r[b]] for a, b in combinations(range(3), 2)})
        for r, table in zip(triples, model.project_many(triples), strict=True)
    }
    return {r: table for r, table in fitted.items() if table.any()}


def _within(domain: Domain, tables: Sequence[Clique]) -> list[Clique]:
    kept, cells = [], 0
    for r in tables:
        if cells + domain.size(r) <= TARGET_CELLS:
            cells += domain.size(r)
            kept.append(r)
    return kept
