"""A junction tree of the tables it can hold, and records swapped towards all other measured tables.

One junction tree cannot contain all pairs of a table. Tables join the tree in the order they were measured
while its cliques stay below a cap. The other pairs are kept beside it (`outside`). Once records are drawn,
swaps of values bring their pairs towards the tree's and towards those (`swaps`). Tables may be in coarser
codes: the tree is over the coarse codes, and its records are drawn back to the domain's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from synth.models.base import Generator, Projected, Setting
from synth.models.coarse import Coarsening, coarsening_for_relations, onto, summed
from synth.models.estimates.column_counts import with_counts
from synth.models.estimates.columns import one_ways
from synth.models.estimates.expected_distance import expected_distance
from synth.models.graphical import ridge_option
from synth.models.outside import fitting_ridge, outside_table
from synth.models.records.swap_towards import swap_towards

CAP = 100_000
"""Most cells of one clique of the tree, so that a sweep of its tables stays in a core's cache."""

MOST_REFUSED, MOST_COLUMNS = 2_000, 63
"""Tables that the tree may refuse before it tries only pairs that close no cycle: more than the pairs of 63
columns. Fewer for more columns, as each attempt is a triangulation, which then takes longer."""

OPTIONS = pgm.FitOptions(tolerance=0.1, ridge=0.5, ridge_one_way=2.0, slope=3.0)
"""Fit of the tree: a stronger ridge than for adaptive mechanisms, since every table is measured once, and
one-ways are smoothed already."""

MORE_SWEEPS = 1_500
"""Propagations of a fit with tables of three columns and more: they share pairs, so it converges slowly."""

NEAR = 0.5
"""Residual, in units of the noise, from which the error rises noticeably."""

NEARNESS = 0.2
"""Swaps end when records are this near to the tables, as a part of the tables' own error."""


@dataclass(frozen=True, eq=False)
class Refined(Projected):
    """A tree over coarse codes, tables beside it, and zeros (a `model.Model`).

    `beside[r]`: float64[coarse shape of r], likely counts of pairs that the tree does not hold. `noise`: the
    expected error of a measured pair by its noise, in counts summed over cells.
    """

    tree: pgm.PGM
    coarsening: Coarsening
    beside: Mapping[Clique, NDArray[np.float64]]
    zeros: tuple[Zero, ...]
    noise: float

    @property
    def domain(self) -> Domain:
        return self.coarsening.domain

    @property
    def total(self) -> float:
        return self.tree.total

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """The tree's cliques and the pairs beside it."""
        return (*self.tree.cliques, *self.beside)

    @property
    def cells(self) -> int:
        """Cells of the tree and of the tables beside it."""
        return self.tree.cells + sum(table.size for table in self.beside.values())

    @property
    def converged(self) -> bool:
        """Whether the tree's fit is as near to its optimum as the noise justifies."""
        return self.tree.report.residual <= NEAR

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts. A pair beside the tree has its own table, which the records are swapped
        towards and whose one-way margins are the tree's; any other clique is the tree's."""
        asked = list(cliques)
        coarse = zip(self.coarse_many(asked), asked, strict=True)
        return [self.coarsening.spread(table, r) for table, r in coarse]

    def coarse_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """The same in coarse codes, in which a table of two long columns is small."""
        asked = list(cliques)
        of_tree = iter(self.tree.project_many([r for r in asked if r not in self.beside]))
        return [self.beside[r] if r in self.beside else next(of_tree) for r in asked]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records of the tree and refine them by swaps. Shapes: int64[rows, len(domain)].

        Swaps ignore tables of more than three columns, and aim at pairs last. So columns that were measured
        three or more at once stay as drawn, unless these are all columns and the tree holds every pair: then
        few values move. Counts of columns with structural zeros, which the tree keeps by itself, always stay.
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


def clique_cells_option() -> Any:
    """How large a clique of the tree may be."""
    help = "Most cells of one table of the tree."
    return option(CAP, label="Largest clique", help=help, low=1_000, high=10_000_000, unit="cells")


@dataclass(frozen=True, kw_only=True)
class RefinedRecords(Generator):
    """The largest clique of the tree, and how it is fitted."""

    name: ClassVar[str] = "refined"
    title: ClassVar[str] = "Refined records"
    summary: ClassVar[str] = (
        "A graphical model of the strongest relations, its records then changed towards all the others."
    )

    clique_cells: int = clique_cells_option()
    ridge: float = ridge_option(OPTIONS.ridge)

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """As measured for Grove, its queries included: placing pairs, fitting the tree, swaps."""
        pairs = math.comb(len(domain), 2)
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        return 0.03 + 0.6e-3 * pairs, 1 + 10e-3 * pairs + 1e-6 * cells + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> Refined:
        """Fit the tree and the tables beside it. Deterministic.

        ValueError if a column was measured in two different sets of groups, or a group holds codes that a
        zero tells apart.
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
            checkpoint=how.checkpoint,
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
    """Return the mean expected error of a measured pair: a cell is off by its noise, or by its count if that
    is less."""
    pairs = [m for m in measured if len(m.clique) == 2]
    inside = [m.clique for m in pairs if m.clique not in beside]
    tables = {**dict(zip(inside, tree.project_many(inside), strict=True)), **beside}
    off = [expected_distance(tables[m.clique], float(m.variance) ** 0.5) for m in pairs]
    return float(np.mean(off)) if off else 0.0


def _parted(
    coarsening: Coarsening, evidence: Evidence, *, cap: int
) -> tuple[list[pgm.Estimate], list[pgm.Estimate]]:
    """Split the tables into those that the tree holds and the pairs beside it.

    The tree takes as many of the first as it can hold at once (one by one it would have to hold graphs with
    holes, whose filling is larger), then every later one that fits. After `MOST_REFUSED` that do not, it
    tries only pairs that close no cycle or lie in the tree. A table with a column in one group relates it to
    nothing and is in neither: a clique of many such columns has few cells and more axes than an array allows.
    """
    domain = coarsening.coarse
    fixed = [z.clique for z in evidence.zeros]

    def held(tables: Sequence[pgm.Estimate]) -> JunctionGraph:
        return JunctionGraph.of(domain, [*fixed, *(t.clique for t in tables)])

    asked = sorted(evidence.measurements, key=lambda m: m.step)
    merged = pgm.merged(onto(coarsening, m) for m in asked if len(m.clique) > 1 or m.groups)
    tables = [t for t in merged if min(domain.shape(t.clique)) > 1]
    allowed, refused = max(cap, held([]).largest), 0
    low, high = 0, len(tables) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if held(tables[:middle]).largest <= allowed else (low, middle)
    inside, beside, graph = tables[:low], [], held(tables[:low])
    most = MOST_REFUSED * min(MOST_COLUMNS / max(len(domain), 1), 1.0)
    for table in tables[low:]:
        is_tried = refused < most or len(table.clique) > 2  # a larger one has no place beside the tree
        if is_tried or graph.contains(table.clique) or graph.bridges(table.clique):
            larger = held([*inside, table])
            if larger.largest <= allowed:
                inside.append(table)
                graph = larger
                continue
        refused += 1
        if len(table.clique) == 2:
            beside.append(table)
    return inside, beside


def _weighed(m: pgm.Estimate, shares: Mapping[Clique, NDArray[np.float64]], total: float) -> pgm.Estimate:
    """Give a pair a ridge that fits its distance from independence: a prior of fixed width shrinks the large
    log-factors of a strong relation too much and those of a weak one too little. The expected distance by
    noise alone is taken out in squares."""
    ridge = 1.0
    if len(m.clique) == 2 and all((name,) in shares for name in m.clique):
        a, b = (shares[(name,)] for name in m.clique)
        sigma = float(m.variance) ** 0.5
        ridge = fitting_ridge(m.counts, sigma, expected=total * np.outer(a, b), total=total)
    return replace(m, ridge=ridge)


def _tables(
    tree: pgm.PGM, beside: Sequence[pgm.Estimate], *, ridge: float
) -> dict[Clique, NDArray[np.float64]]:
    """Correct the tree's expectation of each pair beside it by its measurement."""
    tables: dict[Clique, NDArray[np.float64]] = {}
    for m, expected in zip(beside, tree.project_many([m.clique for m in beside]), strict=True):
        sigma = float(m.variance) ** 0.5
        penalty = ridge * fitting_ridge(m.counts, sigma, expected=expected, total=tree.total) * sigma
        tables[m.clique] = outside_table(expected, m.counts, penalty)
    return tables
