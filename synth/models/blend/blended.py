"""Draw records from several models, and swap values towards the pairs of their blend. If there are only a few
measured tables of three columns, values are also swapped towards these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.table import CodeTable
from synth.core.zeros import Zero, allowed_cells
from synth.models.blend.candidates import COPULA, FOREST, MIXTURE, START, TREE, Candidates
from synth.models.copula.copula import JOINT_CELLS
from synth.models.copula.copula_records import copula_codes
from synth.models.estimates.column_counts import with_counts
from synth.models.estimates.proportional import fitted_to
from synth.models.estimates.starting import in_groups, starting_pairs
from synth.models.records.swap_towards import SwapTargets
from synth.models.repair import repaired
from synth.models.targets import OverTargets, Pair, Targets

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class BlendedModel(OverTargets):
    """Several models of the same noisy measurements, with a table of every pair (a `model.Model`).

    `tables`: float64, the count of every pair in the coarser codes of `candidates.targets`. `triples`: the
    counts of measured tables of three columns. `parts`: the share of the records that each model draws; the
    shares sum to 1. `zeros`: structural zeros in the domain's own codes. `near`: the distance from its table
    at which swaps of a pair stop, in counts summed over cells. `detail`: the weight of the starting table in
    the proportions within groups of codes.
    """

    candidates: Candidates
    tables: Mapping[Pair, NDArray[np.float64]]
    parts: Mapping[str, float]
    zeros: tuple[Zero, ...]
    near: float
    detail: float = 0.0
    triples: Mapping[Clique, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def targets(self) -> Targets:
        """Return the noisy tables to which the models were fitted."""
        return self.candidates.targets

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """Return the tree's cliques, every pair, and the measured tables of three columns."""
        names, tree = self.targets.domain.names, self.candidates.tree
        pairs = ((names[a], names[b]) for a, b in self.tables)
        return (*(tree.cliques if tree is not None else ()), *pairs, *self.triples)

    @property
    def cells(self) -> int:
        """Return the number of cells of all tables and of the blended models."""
        found = self.candidates
        models = found.tree.cells if found.tree is not None else 0
        models += found.forest.cells if found.forest is not None else 0
        models += found.mixture.logits.size if found.mixture is not None else 0
        return models + sum(table.size for table in (*self.tables.values(), *self.triples.values()))

    @property
    def converged(self) -> bool:
        return self.candidates.tree is None or self.candidates.tree.converged

    @cached_property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """Return the counts of every column in coarser codes, as the mean over its pairs."""
        sums = [np.zeros(size) for size in self.targets.domain.sizes]
        for (a, b), table in self.tables.items():
            sums[a] += table.sum(axis=1)
            sums[b] += table.sum(axis=0)
        return tuple(s * (self.total / s.sum()) for s in sums)

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts. Measured tables of three columns are corrected by their measurements. Other
        tables of three or more columns come from the models that draw the records, although swaps later
        change them slightly. Within groups of codes, columns are independent, except for the contribution
        `detail` of a starting table.
        """
        requested = list(cliques)
        return [self._fine(t, r) for t, r in zip(self.coarse_many(requested), requested, strict=True)]

    def _fine(self, table: NDArray[np.float64], clique: Clique) -> NDArray[np.float64]:
        """Return a coarse table in the domain's own codes."""
        coarsening, rows = self.targets.coarsening, self.candidates.rows
        fine = coarsening.spread(table, clique)
        if rows is None or len(clique) != 2 or coarsening.groups.keys().isdisjoint(clique):
            return fine
        rows = rows[:, self.domain.axes(clique)]
        domain, margins = self.domain.project(clique), [fine.sum(axis=1), fine.sum(axis=0)]
        started = starting_pairs(domain, rows, margins, [(0, 1)])[0, 1]
        sums = coarsening.sum(started, clique)
        factors = np.divide(table, sums, out=np.zeros_like(table), where=sums > 0)
        for axis, name in enumerate(clique):
            if name in coarsening.groups:
                factors = factors.take(coarsening.groups[name], axis=axis)
        return (1 - self.detail) * fine + self.detail * started * factors

    @cached_property
    def _started(self) -> Codes:
        """Return the rows of the starting table in coarser codes."""
        assert self.candidates.rows is not None
        return in_groups(self.candidates.rows, self.targets.domain, self.targets.coarsening.groups)

    def coarse(self, clique: Clique) -> NDArray[np.float64]:
        """Return expected counts in coarser codes. Shapes: float64[coarse shape of the clique]."""
        return self.coarse_many([clique])[0]

    def coarse_many(self, cliques: Sequence[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques in coarser codes. A tree computes its tables together."""
        in_order = [self.targets.domain.clique(r) for r in cliques]
        larger = [r for r in dict.fromkeys(in_order) if len(r) > 2 and r not in self.triples]
        tree, of_tree = self.candidates.tree, dict[Clique, NDArray[np.float64]]()
        if TREE in self.parts and tree is not None:
            of_tree = dict(zip(larger, tree.tree.project_many(larger), strict=True))
        known = {r: self._higher(r, of_tree.get(r)) for r in larger} | self._lower(in_order)
        turned = zip(cliques, in_order, strict=True)
        return [known[r].transpose([r.index(name) for name in requested]) for requested, r in turned]

    def _lower(self, cliques: Iterable[Clique]) -> dict[Clique, NDArray[np.float64]]:
        """Return the tables of at most two columns, and the measured tables of three columns."""
        known = dict(self.triples)
        for r in cliques:
            axes = self.targets.domain.axes(r)
            if len(axes) == 0:
                known[r] = np.array(self.total)
            elif len(axes) == 1:
                known[r] = self.columns[axes[0]]
            elif len(axes) == 2:
                known[r] = self.tables[axes[0], axes[1]]
        return known

    def _higher(self, clique: Clique, of_tree: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return a table of three or more columns from the models, without the weight of independence. If
        independence has weight, the pairs of this table are further from independence than the pairs in
        `tables`. A copula's table has the largest entropy that its pairs allow (`CopulaModel.project`).
        Models in which all allowed cells are empty are ignored.
        """
        found, axes = self.candidates, self.targets.domain.axes(clique)
        table = np.zeros(self.targets.domain.shape(clique))
        allowed = allowed_cells(self.targets.domain, clique, self.targets.zeros)
        for kind, part in self.parts.items():
            if kind == TREE and of_tree is not None:
                mine = of_tree
            elif kind == FOREST and found.forest is not None:
                mine = found.forest.table(axes)
            elif kind == MIXTURE and found.mixture is not None:
                mine = found.mixture.table(axes)
            elif kind == START and found.rows is not None:
                mine = CodeTable(self.targets.domain, self._started).counts(clique).astype(np.float64)
            else:
                mine = np.ones(())
                for i in axes:
                    mine = np.multiply.outer(mine, self.columns[i])
            mine = np.where(allowed, mine, 0.0)
            if kind == COPULA and mine.size <= JOINT_CELLS:
                found_pairs, pairs = found.tables[COPULA], combinations(range(len(axes)), 2)
                mine = fitted_to(mine, {(a, b): found_pairs[axes[a], axes[b]] for a, b in pairs})
            if (whole := mine.sum()) > 0:
                table += part * self.total / whole * mine
        return table

    def sample(self, rows: int, rng: np.random.Generator) -> Codes:
        """Draw records from the models with the column counts of the blend, and swap values towards the
        blend's pairs.

        Shapes: int64[rows, len(domain)]. A copula and a starting table ignore structural zeros. If they draw
        records, three steps follow. First, values are swapped towards tables that are empty in forbidden
        cells. Then the remaining records in forbidden cells are moved. Finally, values are swapped again
        without using these cells. In any other order, the moves would change many more values.
        """
        drawn = [self._drawn(kind, count, rng) for kind, count in self._counts(rows).items() if count]
        codes = np.concatenate(drawn) if drawn else np.empty((0, len(self.domain)), dtype=np.int64)
        alone = list(self.parts) == [TREE]  # satisfies structural zeros without further steps
        kept = {name for zero in self.targets.zeros for name in zero.clique} if alone else set[str]()
        codes = with_counts(codes, dict(zip(self.domain.names, self.columns, strict=True)), rng, kept=kept)
        codes = self.targets.coarsening.refine(codes, rng)
        names = self.domain.names
        measured = [*self.triples, *((names[a], names[b]) for a, b in self.targets.pairs)]
        targets = SwapTargets.of(self, rows, measured=measured, triples=True)
        near = max(self.near, targets.rounding)  # more records need not be nearer
        if self.zeros:
            if {COPULA, START} & self.parts.keys():
                codes = targets.swapped(codes, rng, near=near)
            columns = self.project_many([(name,) for name in names])
            codes, _ = repaired(codes, self.domain, self.zeros, columns, rng)
        return targets.swapped(codes, rng, zeros=self.zeros, near=near)

    def _counts(self, rows: int) -> dict[str, int]:
        """Return the number of records that each model draws."""
        ends = np.floor(np.cumsum(list(self.parts.values())) * rows + 0.5).astype(np.int64)
        counts = np.diff(np.minimum(ends, rows), prepend=0)
        counts[-1] += rows - counts.sum()
        return dict(zip(self.parts, counts.tolist(), strict=True))

    def _drawn(self, kind: str, rows: int, rng: np.random.Generator) -> Codes:
        found = self.candidates
        if kind == START and found.rows is not None:
            return self._started[rng.integers(len(self._started), size=rows)]
        if kind == FOREST and found.forest is not None:
            return found.forest.draw(rows, rng)
        if kind == MIXTURE and found.mixture is not None:
            return found.mixture.draw(rows, rng)
        if kind == COPULA and found.correlations is not None:
            return copula_codes(found.correlations, self.columns, rows, rng)
        assert found.tree is not None
        return found.tree.tree.sample(rows, rng)
