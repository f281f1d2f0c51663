"""A junction tree of some of the measured tables, with records swapped towards all other measured tables.

One junction tree cannot contain all pairs of a table. Tables are added to the tree in the order of
measurement while its cliques remain below a maximum size. The other pairs are stored separately (`outside`).
After records are drawn, swaps of values move their pairs towards the tree's tables and towards the separate
tables (`swaps`). Tables may be in coarser codes: the tree uses these codes, and its records are
converted to the domain's own codes at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.graphs.junction import JunctionGraph
from synth.core.model import Model
from synth.core.options import option
from synth.core.zeros import Zero
from synth.models import pgm
from synth.models.base import Generator, Setting
from synth.models.coarse import Coarsening, OverGroups, coarsening_for_relations, onto, summed
from synth.models.estimates.column_counts import with_counts
from synth.models.estimates.columns import one_ways
from synth.models.estimates.expected_distance import expected_distance
from synth.models.graphical import ridge_option
from synth.models.outside import fitting_ridge, outside_tables
from synth.models.records.swap_towards import swap_towards

CAP = 100_000
"""Maximum number of cells of a clique of the tree, so that a sweep over its tables fits into a core's
cache.
"""

MOST_REFUSED, MOST_COLUMNS = 2_000, 63
"""Number of rejected tables after which only pairs that close no cycle are tried, and the largest number of
columns for which this number and the maximum size of a clique are not reduced. 63 columns have fewer pairs
than the number. With more columns, both decrease with the square of the columns: a rejection is a
triangulation, which then takes longer, and the marginals of all pairs take time in proportion to the cells of
all cliques and to the number of columns.
"""

OPTIONS = pgm.FitOptions(tolerance=0.1, ridge=0.5, ridge_one_way=2.0, slope=3.0)
"""Options of the tree's fit. The ridge is stronger than for adaptive mechanisms, because every table is
measured only once and one-way tables are already smoothed.
"""

MORE_SWEEPS = 1_500
"""Maximum number of sweeps of a fit with tables of three or more columns. Such tables share pairs, so the fit
converges slowly.
"""

NEAR = 0.5
"""Residual, in units of the noise, above which the error increases noticeably."""

NEARNESS = 0.2
"""Distance of the records from the tables at which swaps end, as a fraction of the tables' own error."""


@dataclass(frozen=True, eq=False)
class Refined(OverGroups):
    """A tree over coarser codes, separate tables, and zeros (a `model.Model`).

    `beside[r]`: float64[coarse shape of r], likely counts of pairs that are not in the tree. `noise`: the
    expected error of a measured pair because of its noise, in counts summed over cells.
    """

    tree: pgm.PGM
    coarsening: Coarsening
    beside: Mapping[Clique, NDArray[np.float64]]
    zeros: tuple[Zero, ...]
    noise: float

    @property
    def total(self) -> float:
        return self.tree.total

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """The tree's cliques and the separate pairs."""
        return (*self.tree.cliques, *self.beside)

    @property
    def cells(self) -> int:
        """The number of cells of the tree and of the separate tables."""
        return self.tree.cells + sum(table.size for table in self.beside.values())

    @property
    def converged(self) -> bool:
        """Whether the tree's fit is as close to its optimum as the noise justifies."""
        return self.tree.report.residual <= NEAR

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts. A separate pair has its own table, towards which the records are swapped,
        with the one-way margins of the tree. All other tables are those of the tree.
        """
        requested = list(cliques)
        coarse = zip(self.coarse_many(requested), requested, strict=True)
        return [self.coarsening.spread(table, r) for table, r in coarse]

    def coarse_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts in coarser codes, in which a table of two long columns is small."""
        requested = list(cliques)
        of_tree = iter(self.tree.project_many([r for r in requested if r not in self.beside]))
        return [self.beside[r] if r in self.beside else next(of_tree) for r in requested]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records from the tree and refine them by swaps. Shapes: int64[rows, len(domain)].

        Swaps ignore tables of more than three columns and process pairs last. Therefore, columns that were
        measured in tables of three or more columns are not swapped, unless these are all columns and the tree
        contains every pair. In this case, only a few values are swapped. Swaps never change the counts of
        columns with structural zeros that the tree enforces.
        """
        codes = self.coarsening.refine(self.tree.sample(rows, rng), rng)
        measured = [*self.beside, *(r for r in self.tree.potentials if len(r) == 2)]
        near = NEARNESS * self.noise
        kept, names = {name for r in self.tree.potentials if len(r) > 2 for name in r}, self.domain.names
        if len(kept) == len(names) and not self.beside:
            kept = set()
        expected = dict(zip(names, self.project_many([(name,) for name in names]), strict=True))
        ruled = {name for zero in self.zeros for name in zero.clique}
        codes = with_counts(codes, expected, rng, kept=kept | ruled)
        return swap_towards(
            self, codes, rng=rng, measured=measured, zeros=self.zeros, near=near, kept=kept, triples=True
        )


def narrowed(limit: float, columns: int) -> float:
    """Return the limit of a clique or of rejected tables for this number of columns (`MOST_COLUMNS`)."""
    return limit * min(MOST_COLUMNS / max(columns, 1), 1.0) ** 2


def clique_cells_option() -> Any:
    """Return the option for the maximum size of a clique of the tree."""
    help = "Maximum number of cells in one table of the tree. Above 63 columns, it is reduced."
    return option(CAP, label="Largest clique", help=help, low=1_000, high=10_000_000, unit="cells")


@dataclass(frozen=True, kw_only=True)
class RefinedRecords(Generator):
    """Options of refined records: the maximum size of a clique of the tree, and the options of its fit."""

    name: ClassVar[str] = "refined"
    title: ClassVar[str] = "Refined records"
    summary: ClassVar[str] = (
        "A graphical model of the strongest relations. Its records are then adjusted to all other "
        "measurements."
    )

    clique_cells: int = clique_cells_option()
    ridge: float = ridge_option(OPTIONS.ridge)

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """Return the estimated time, as measured for Grove and its queries: for placing pairs, fitting the
        tree, and swaps.
        """
        pairs = math.comb(len(domain), 2)
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        return 0.03 + 0.6e-3 * pairs, 1 + 10e-3 * pairs + 1e-6 * cells + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> Refined:
        """Fit the tree and the separate tables. Deterministic.

        Raises: ValueError if a column was measured in two different sets of groups, or if a group contains
        codes that a zero treats differently.
        """
        columns, total = one_ways(evidence), evidence.total
        coarsening = coarsening_for_relations(evidence, columns)
        estimates = [summed(coarsening, column) for column in columns.values() if column.variance]
        inside, beside = _parted(coarsening, evidence, cap=self.clique_cells)
        shares = {e.clique: e.counts / total for e in estimates}
        sweeps = MORE_SWEEPS if any(len(m.clique) > 2 for m in inside) else OPTIONS.sweeps
        tree = pgm.fit(
            coarsening.coarse,
            [*estimates, *(_weighed(m, shares, total) for m in inside)],
            zeros=coarsening.zeros(evidence.zeros),
            total=total,
            start=_start(how.start, coarsening.coarse),
            ordered=coarsening.ordered(evidence.ordered),
            options=replace(OPTIONS, ridge=self.ridge, sweeps=sweeps),
            report=how.report,
        )
        tables = _tables(tree, beside, ridge=self.ridge)
        noise = _noise(tree, tables, [*inside, *beside])
        return Refined(tree, coarsening, tables, evidence.zeros, noise)


def _start(model: Model | None, domain: Domain) -> pgm.PGM | None:
    return model.tree if isinstance(model, Refined) and model.tree.domain == domain else None


def _noise(
    tree: pgm.PGM,
    beside: Mapping[Clique, NDArray[np.float64]],
    measured: Sequence[pgm.Estimate],
) -> float:
    """Return the mean expected error of a measured pair. The error of a cell is the smaller of its noise and
    its count.
    """
    pairs = [m for m in measured if len(m.clique) == 2]
    inside = [m.clique for m in pairs if m.clique not in beside]
    tables = {**dict(zip(inside, tree.project_many(inside), strict=True)), **beside}
    off = [expected_distance(tables[m.clique], float(m.variance) ** 0.5) for m in pairs]
    return float(np.mean(off)) if off else 0.0


def _parted(
    coarsening: Coarsening, evidence: Evidence, *, cap: int
) -> tuple[list[pgm.Estimate], list[pgm.Estimate]]:
    """Split the tables into those that the tree contains and the separate pairs.

    The tree contains as many of the first tables as possible at once, and then every later table that fits.
    Adding the first tables one by one would create graphs with holes, whose triangulation is larger. After
    `MOST_REFUSED` tables that do not fit, only pairs that close no cycle or are already in the tree are
    tried. A table in which a column has a single group is in neither part, because it contains no relation of
    this column. A clique of many such columns has few cells but more axes than an array allows.
    """
    domain = coarsening.coarse
    requested = sorted(evidence.measurements, key=lambda m: m.step)
    merged = pgm.merged(onto(coarsening, m) for m in requested if len(m.clique) > 1 or m.groups)
    tables = [t for t in merged if min(domain.shape(t.clique)) > 1]
    fixed = tuple(z.clique for z in evidence.zeros)
    limits = narrowed(cap, len(domain)), narrowed(MOST_REFUSED, len(domain))
    places = _places(domain, fixed, tuple(t.clique for t in tables), *limits)
    inside = [t for t, place in zip(tables, places, strict=True) if place]
    return inside, [t for t, place in zip(tables, places, strict=True) if place is False]


@lru_cache(maxsize=4)  # the fits of one blend place the same tables
def _places(
    domain: Domain, fixed: tuple[Clique, ...], cliques: tuple[Clique, ...], limit: float, most: float
) -> tuple[bool | None, ...]:
    """Return for each table whether the tree contains it, or None for a table in neither part."""

    def held(tables: Sequence[Clique]) -> JunctionGraph:
        return JunctionGraph.of(domain, [*fixed, *tables])

    allowed, refused = max(limit, held([]).largest), 0
    low, high = 0, len(cliques) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if held(cliques[:middle]).largest <= allowed else (low, middle)
    places: list[bool | None] = [True] * low
    graph = held(cliques[:low])
    for clique in cliques[low:]:
        is_tried = refused < most or len(clique) > 2  # larger tables cannot be stored outside the tree
        is_tried |= graph.contains(clique) or graph.bridges(clique)
        if is_tried and graph.largest_with(clique) <= allowed:
            places.append(True)
            graph = graph.with_measured(clique)
            continue
        refused += 1
        places.append(False if len(clique) == 2 else None)
    return tuple(places)


def _weighed(m: pgm.Estimate, shares: Mapping[Clique, NDArray[np.float64]], total: float) -> pgm.Estimate:
    """Return a pair with a ridge that fits its distance from independence.

    A prior of fixed width would shrink the large log-factors of a strong relation too much and those of a
    weak relation too little. The square of the distance that noise alone would cause is subtracted.
    """
    ridge = 1.0
    if len(m.clique) == 2 and all((name,) in shares for name in m.clique):
        a, b = (shares[(name,)] for name in m.clique)
        sigma = float(m.variance) ** 0.5
        expected = total * np.outer(a, b)
        (ridge,) = fitting_ridge(m.counts[None], sigma, expected=expected[None], total=total).tolist()
    return replace(m, ridge=ridge)


def _tables(
    tree: pgm.PGM, beside: Sequence[pgm.Estimate], *, ridge: float
) -> dict[Clique, NDArray[np.float64]]:
    """Correct the tree's expectation of each separate pair by its measurement."""
    cliques = [m.clique for m in beside]
    tables = outside_tables(
        tree.project_many(cliques),
        [m.counts for m in beside],
        [float(m.variance) ** 0.5 for m in beside],
        ridge=ridge,
        total=tree.total,
    )
    return dict(zip(cliques, tables, strict=True))
