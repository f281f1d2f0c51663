"""A graphical model of answers in coarser codes, its records drawn back to the domain's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.axis import Grouping
from synth.domain import Clique, Domain
from synth.generate import pgm
from synth.generate.coarse import Coarsening, common_groups
from synth.generate.refined import one_ways
from synth.model import Model
from synth.zeros import Zero


@dataclass(frozen=True, eq=False)
class Spread:
    """A model of groups over the codes that they hold (a `model.Model`): inside a group a code comes as often
    as the released one-way says, whatever the other columns."""

    groups: pgm.PGM
    coarsening: Coarsening

    @property
    def domain(self) -> Domain:
        return self.coarsening.domain

    @property
    def total(self) -> float:
        return self.groups.total

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """Those of the model of groups."""
        return tuple(self.groups.cliques)

    @property
    def cells(self) -> int:
        """Cells of the model of groups."""
        return self.groups.cells

    @property
    def converged(self) -> bool:
        return self.groups.converged

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Expected counts. Shapes: float64[shape(clique)]."""
        return self.project_many([clique])[0]

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Expected counts of many cliques."""
        asked = list(cliques)
        tables = self.groups.project_many(asked)
        return [self.coarsening.spread(table, r) for table, r in zip(tables, asked, strict=True)]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Records of the groups, undone. Shapes: int64[rows, len(domain)]."""
        return self.coarsening.refine(self.groups.sample(rows, rng), rng)


def fit(
    domain: Domain,
    measurements: Sequence[Measurement],
    *,
    total: float,
    zeros: Sequence[Zero] = (),
    ordered: Mapping[str, int] | None = None,
) -> Model:
    """The graphical model of all answers; of their groups, where some were asked in coarser codes.

    ValueError if a column was measured in two different sets of groups, or a group holds codes that a zero
    tells apart.
    """
    groups = common_groups([item for m in measurements for item in m.groups.items()])
    if not groups:
        return pgm.fit(domain, measurements, zeros=zeros, total=total)
    columns = one_ways(domain, measurements, total=total, zeros=zeros, ordered=ordered or {})
    coarsening = Coarsening(
        domain,
        tuple(
            Grouping(column=name, group_of=group_of, weights=tuple(float(c) for c in columns[name].counts))
            for name, group_of in groups.items()
        ),
    )
    tables = [_summed(coarsening, m) for m in measurements]
    return Spread(pgm.fit(coarsening.coarse, tables, zeros=coarsening.zeros(zeros), total=total), coarsening)


def _summed(coarsening: Coarsening, m: Measurement) -> Measurement | pgm.Estimate:
    """A measurement in the common groups. Where finer codes are summed, a cell has the noise of a group of
    average size."""
    finer = tuple(g for g in coarsening.groupings if g.column in m.clique and g.column not in m.groups)
    if not finer:
        return m
    counts = Coarsening(coarsening.domain, finer).sum(m.counts.astype(np.float64), m.clique)
    return pgm.Estimate(m.clique, counts, m.variance * m.counts.size / counts.size)
