"""Convert tables, records and structural zeros between the domain's own codes and coarser codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement, coarsened
from synth.core.zeros import Zero
from synth.models.base import Projected
from synth.models.pgm import Estimate

LONG = 1_000
"""Maximum number of codes of a column that keeps its own codes if no measurement relates it to other
columns.
"""


@dataclass(frozen=True, eq=False)
class Coarsening:
    """Groupings of some columns of a domain. A group is converted back by drawing one of its codes, with
    probabilities proportional to the weights of the grouping.
    """

    domain: Domain
    groupings: tuple[Grouping, ...]

    @cached_property
    def coarse(self) -> Domain:
        """The domain in which groups replace codes."""
        return self.domain.with_sizes({g.column: g.size for g in self.groupings})

    @cached_property
    def by_column(self) -> dict[str, Grouping]:
        """The grouping of every column that has one."""
        return {g.column: g for g in self.groupings}

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """The group of each code, for every column that has a grouping."""
        return {g.column: g.group_of for g in self.groupings}

    @cached_property
    def _shares(self) -> dict[str, NDArray[np.float64]]:
        """Return the share of each code in its group. All codes of a group have the same share if the group
        has no weight.
        """
        return {g.column: _within(g) for g in self.groupings}

    def ordered(self, codes: Mapping[str, int]) -> dict[str, int]:
        """Return the number of leading groups that are ordered, for columns whose leading codes are
        ordered.
        """
        in_order = dict(codes)
        for name in in_order.keys() & self.by_column.keys():
            grouping = self.by_column[name]
            in_order[name] = min(grouping.group_of[codes[name] :], default=grouping.size)
        return in_order

    def sum(self, table: NDArray[np.float64], clique: Clique) -> NDArray[np.float64]:
        """Sum a table in the domain's codes within groups."""
        return coarsened(table, clique, self.groups)

    def spread(self, table: NDArray[np.float64], clique: Clique) -> NDArray[np.float64]:
        """Return a table of groups in the domain's codes. Within a group, the columns are independent."""
        for axis, name in enumerate(clique):
            if name in self.by_column:
                share = self._shares[name].reshape([-1 if i == axis else 1 for i in range(table.ndim)])
                table = table.take(self.by_column[name].group_of, axis=axis) * share
        return table

    def refine(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Convert records of groups to the domain's codes. Shapes: int64[rows, len(domain)]."""
        fine = codes.copy()
        for grouping in self.groupings:
            axis = self.domain.axis(grouping.column)
            fine[:, axis] = grouping.refine(codes[:, axis], rng)
        return fine

    def zeros(self, zeros: Iterable[Zero]) -> tuple[Zero, ...]:
        """Return the structural zeros in terms of the groups.

        Raises: ValueError if a group contains both forbidden and possible codes.
        """
        return tuple(zero.grouped(self.groups) for zero in zeros)


class OverGroups(Projected):
    """Base class of the models that are fitted to groups of codes."""

    coarsening: Coarsening

    @property
    def domain(self) -> Domain:
        return self.coarsening.domain


def _within(grouping: Grouping) -> NDArray[np.float64]:
    group_of = np.asarray(grouping.group_of)
    weights = np.maximum(np.asarray(grouping.weights, dtype=np.float64), 0.0)
    whole = np.bincount(group_of, weights=weights, minlength=grouping.size)
    weights = np.where(whole[group_of] > 0, weights, 1.0)
    whole = np.bincount(group_of, weights=weights, minlength=grouping.size)
    return np.asarray(weights / whole[group_of])


def common_groups(measurements: Iterable[Measurement]) -> dict[str, tuple[int, ...]]:
    """Return the grouping of every column that was measured in groups.

    Raises: ValueError if a column was measured in two different groupings.
    """
    groups: dict[str, tuple[int, ...]] = {}
    for name, group_of in (item for m in measurements for item in m.groups.items()):
        if groups.setdefault(name, group_of) != group_of:
            raise ValueError("a column was measured in two different sets of groups")
    return groups


def coarsening_of(evidence: Evidence, columns: Mapping[str, Estimate]) -> Coarsening:
    """Return the groups in which tables were measured, with weights proportional to the columns' counts.

    Raises: ValueError if a column was measured in two different sets of groups.
    """
    groupings = (
        Grouping(column=name, group_of=group_of, weights=tuple(float(c) for c in columns[name].counts))
        for name, group_of in common_groups(evidence.measurements).items()
    )
    return Coarsening(evidence.domain, tuple(groupings))


def coarsening_for_relations(evidence: Evidence, columns: Mapping[str, Estimate]) -> Coarsening:
    """Return the groups as in `coarsening_of`, with additional groups for long unrelated columns.

    If a column has more than `LONG` codes and neither a measurement nor a structural zero relates it to other
    columns, all its codes except the missing value form one group. No information is lost, because codes are
    drawn independently within a group. Tables of two such columns remain small.
    """
    known, domain = coarsening_of(evidence, columns), evidence.domain
    cliques = [*(m.clique for m in evidence.measurements), *(z.clique for z in evidence.zeros)]
    related = {name for clique in cliques if len(clique) > 1 for name in clique}
    partly = {z.clique[0] for z in evidence.zeros if len(z.clique) == 1 and z.forbidden[:-1].any()}
    alone = (
        Grouping(
            column=name,
            group_of=(*(0,) * (size - 1), 1),
            weights=tuple(float(c) for c in columns[name].counts),
        )
        for name, size in zip(domain.names, domain.sizes, strict=True)
        if size > LONG and name not in known.by_column and name not in related and name not in partly
    )
    return Coarsening(domain, (*known.groupings, *alone))


def summed(coarsening: Coarsening, table: Measurement | Estimate) -> Estimate:
    """Sum a table within groups. Every group gets the noise of a group with an average number of codes."""
    counts = coarsening.sum(table.counts.astype(np.float64), table.clique)
    return Estimate(table.clique, counts, table.variance * table.counts.size / counts.size)


def onto(coarsening: Coarsening, m: Measurement) -> Measurement | Estimate:
    """Convert a measurement to the common groups. A measurement in finer codes is summed."""
    finer = tuple(g for g in coarsening.groupings if g.column in m.clique and g.column not in m.groups)
    return summed(Coarsening(coarsening.domain, finer), m) if finer else m
