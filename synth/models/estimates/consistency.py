"""Make noisy tables consistent on the columns that they share, without negative cells.

Source: the consistency step of PriView (Qardaji, Yang, Li; SIGMOD 2014) in the version of PrivSyn (Zhang et
al., USENIX Security 2021), with `norm_sub` (Wang et al., NDSS 2020) to remove negative cells.

Pseudo-code
  1. Repeat until negative cells are negligible:
  2.   For every set of columns that several tables share, starting with the smallest set:
  3.     Compute the mean of the tables' sums over the other columns, weighted by their precision.
  4.     Add the difference from this mean to every table, distributed evenly over the summed cells.
  5.   Replace every table by the nearest table without negative cells.

Difference from PrivSyn's code: there, the step is an even distribution times a weight, so the tables hardly
change, and separately measured columns have no weight. Here, the weights only determine the mean, and cells
that a structural zero forbids never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero, allowed_cells
from synth.models.coarse import Coarsening, coarsening_of, onto, summed
from synth.models.estimates.columns import one_ways
from synth.models.estimates.simplex import project_onto_simplex
from synth.models.pgm import Estimate

Table = NDArray[np.float64]

ROUNDS = 40
"""Maximum number of rounds. Nearly all changes happen in the first few rounds."""

BELOW = 1e-3
"""Fraction of the records in negative cells of any table below which the rounds stop."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ConsistentTables:
    """Consistent tables that were estimated from noisy measurements, in the coarser codes of their queries.

    `tables[r]`: float64[shape of r in coarser codes], non-negative counts that sum to `total`. Forbidden
    cells are empty. Every measured clique that is not inside a larger measured clique has a table, so that
    every column is in a table. `zeros` and `ordered` are in coarser codes.
    """

    coarsening: Coarsening
    total: float
    tables: Mapping[Clique, Table]
    zeros: tuple[Zero, ...]
    ordered: Mapping[str, int]

    @property
    def domain(self) -> Domain:
        """The domain in coarser codes."""
        return self.coarsening.coarse

    def columns(self) -> tuple[Table, ...]:
        """The counts of every column, from the first table that contains it. Shapes: float64[sizes[i]]."""
        found = (next((r, t) for r, t in self.tables.items() if name in r) for name in self.domain.names)
        return tuple(
            margin(table, clique, (name,))
            for name, (clique, table) in zip(self.domain.names, found, strict=True)
        )


def consistent_tables(evidence: Evidence) -> ConsistentTables:
    """Return all measured tables after making them consistent.

    Raises: ValueError if a column was measured in two different sets of groups, if a group contains codes
    that a zero treats differently, or if the zeros leave a table no possible cell.
    """
    likely = one_ways(evidence)
    coarsening = coarsening_of(evidence, likely)
    domain, zeros = coarsening.coarse, coarsening.zeros(evidence.zeros)
    measured_tables: list[Measurement | Estimate] = [summed(coarsening, e) for e in likely.values()]
    measured_tables += [onto(coarsening, m) for m in evidence.measurements if len(m.clique) > 1]
    return ConsistentTables(
        coarsening=coarsening,
        total=evidence.total,
        tables=agreed(domain, measured_tables, total=evidence.total, zeros=zeros),
        zeros=zeros,
        ordered=coarsening.ordered(evidence.ordered),
    )


def agreed(
    domain: Domain,
    measured_tables: Iterable[Measurement | Estimate],
    *,
    total: float,
    zeros: Sequence[Zero] = (),
) -> dict[Clique, Table]:
    """Return consistent tables of the cliques that are not inside a larger clique; see
    `ConsistentTables.tables`.
    """
    noisy = _merged(domain, measured_tables, total, zeros)
    shared = _shared(list(noisy))
    for _ in range(ROUNDS):
        for table in noisy.values():
            table.add((total - table.counts.sum()) / table.cells)
        for columns in shared:
            _agree([t for r, t in noisy.items() if set(columns) <= set(r)], columns)
        below = max(float(-np.minimum(t.counts, 0.0).sum()) for t in noisy.values())
        for table in noisy.values():
            table.clip(total)
        if below <= BELOW * total:
            break
    wide = [set(r) for r in noisy]
    return {r: t.counts for r, t in noisy.items() if not any(set(r) < other for other in wide)}


def margin(table: Table, clique: Clique, columns: Clique) -> Table:
    """Sum a clique's table over all columns except the given ones, which remain in order."""
    return np.asarray(table.sum(axis=tuple(i for i, name in enumerate(clique) if name not in columns)))


@dataclass(eq=False)
class _Noisy:
    """A table during the consistency iteration. `precision`: 1 / variance of a cell."""

    clique: Clique
    counts: Table
    allowed: NDArray[np.bool_]
    precision: float

    @property
    def cells(self) -> int:
        return int(self.allowed.sum())

    def add(self, change: float | Table) -> None:
        self.counts += change * self.allowed

    def clip(self, total: float) -> None:
        self.counts[self.allowed] = project_onto_simplex(self.counts[self.allowed], total)


def _merged(
    domain: Domain, measured_tables: Iterable[Measurement | Estimate], total: float, zeros: Sequence[Zero]
) -> dict[Clique, _Noisy]:
    """Return one table for every clique. Repeated measurements are averaged by precision. Tables without a
    variance are ignored.
    """
    tables: dict[Clique, _Noisy] = {}
    for m in measured_tables:
        clique = domain.clique(m.clique)
        counts = np.transpose(m.counts, np.argsort(domain.axes(m.clique))).astype(np.float64)
        if clique not in tables:
            allowed = allowed_cells(domain, clique, zeros)
            if not allowed.any():
                raise ValueError("the structural zeros leave a table no possible cell")
            even = np.where(allowed, total / allowed.sum(), 0.0)
            tables[clique] = _Noisy(clique, even, allowed, 0.0)
        table, precision = tables[clique], float(1 / m.variance) if m.variance else 0.0
        whole = table.precision + precision
        if whole:
            table.counts += (counts - table.counts) * (precision / whole) * table.allowed
            table.precision = whole
    return tables


def _shared(cliques: Sequence[Clique]) -> list[Clique]:
    """Return the sets of columns that several cliques share: single columns, and the intersections of cliques
    of more than two columns with other cliques. The smallest sets come first.
    """
    sets: set[Clique] = {(name,) for r in cliques for name in r}
    for wide in (r for r in cliques if len(r) > 2):
        sets |= {both for r in cliques if len(both := tuple(n for n in wide if n in r)) > 1 and r != wide}
    return sorted(sets, key=lambda columns: (len(columns), columns))


def _agree(tables: Sequence[_Noisy], columns: Clique) -> None:
    """Change tables so that their sums over all but the given columns equal the weighted mean of these
    sums.
    """
    if len(tables) < 2:
        return
    margins = [margin(t.counts, t.clique, columns) for t in tables]
    weights = [t.precision * m.size / t.cells for t, m in zip(tables, margins, strict=True)]
    if not sum(weights):
        return
    mean = sum(w * m for w, m in zip(weights, margins, strict=True)) / sum(weights)
    for table, own in zip(tables, margins, strict=True):
        summed_over = margin(table.allowed.astype(np.float64), table.clique, columns)
        change = (mean - own) / np.maximum(summed_over, 1.0)
        places = tuple(i for i, name in enumerate(table.clique) if name not in columns)
        table.add(np.expand_dims(change, places))
