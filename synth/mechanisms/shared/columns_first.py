"""Common part of methods that measure pairs: measure the columns, then choose the groups of codes and the
costs of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.numbers import number_of
from synth.mechanisms.selection.allocation import POWER
from synth.mechanisms.selection.coarsening import coarsen, kinds_of
from synth.mechanisms.selection.resolution import blur, width
from synth.mechanisms.selection.split import (
    one_way_share,
    share_beside_interactions,
    shrunken_errors,
    sigma_grid,
    split,
    thresholded_errors,
)
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Problem, Prospect
from synth.models.coarse import Coarsening
from synth.private.queries import Interaction, Marginal
from synth.private.source import Source

ROUGH = 0.005
"""Share of rho for an approximate record count. The fit uses this measurement too."""

WHOLE = 0.07
"""Share of rho for the record count if columns are measured as interactions, which do not contain it. The
count is estimated from marginals of all columns, which together are as precise as one marginal at the total
cost. Each marginal also shows whether records are missing from its column, such as blanks in a column that
was declared without blanks.
"""

LEAST_SIGMAS = 5.0
"""Minimum number of records in a group, in sigmas of a cell of a typical pair. A smaller group shows its
relation to another column only if the relation is concentrated in one cell.
"""

DOUBLINGS = 7
"""Maximum number of doublings of the smallest group."""

FEW_CODES = 3
"""Maximum number of codes per column for measuring pairs as interactions, which costs a quarter to half as
much as measuring marginals.
"""

PREDICTED = 2_000
"""Number of pairs from which the error of a plan is predicted. All pairs of 63 columns are fewer."""

NEARLY = 1.1
"""Ratio up to which predicted errors are treated as equal."""

OPTIMISM = 1.5
"""Ratio between the departure of a large cell from independence and the average departure, both divided by
the size of the cell.
"""


def pairs_of(problem: Problem) -> dict[Clique, float]:
    """Return the pairs of the workload and their weights."""
    return {r: w for r, w in problem.workload.candidates().items() if len(r) == 2}


def suits_interactions(sizes: Sequence[int]) -> bool:
    """Return whether pairs are measured as interactions. This requires that all columns have at most
    `FEW_CODES` codes and at least two columns have more than one code.
    """
    return sum(size > 1 for size in sizes) > 1 and max(sizes) <= FEW_CODES


def measure_columns(
    source: Source,
    problem: Problem,
    *,
    given: float = 0.0,
    pairs: bool = True,
    most: float = 1.0,
    interactions: bool = False,
) -> tuple[list[Measurement | NoisyNumbers], float, float]:
    """Measure the record count with the smallest column, or with all columns if interactions follow. Then
    measure every column.

    Return the measurements, the estimated record count, and the budget share of all columns. This share is 1
    if `pairs` is false, and otherwise `given` unless that is 0. In the remaining cases, `selection.split`
    computes it, and `most` limits its sum with the share of the record count.
    """
    domain, budget = source.domain, source.left.rho
    if interactions:
        rough_share, counted = WHOLE, domain.names
    else:
        rough_share, counted = ROUGH, (min(domain.names, key=lambda n: domain.sizes[domain.axis(n)]),)
    each = rough_share * budget / len(counted)
    measured: list[Measurement | NoisyNumbers] = [
        *source.ask([(Marginal((name,)), each) for name in counted])
    ]
    if not pairs:
        share = 1.0
    elif given:
        share = max(given - rough_share, ROUGH)
    else:
        rough = evidence_of(measured, source, problem).total
        share_of = share_beside_interactions if interactions else one_way_share
        wanted = share_of(domain.sizes, total=rough, sigma=source.terms.sigma(budget))
        share = min(wanted, most - rough_share)
    measured += ask_columns(
        source, problem, rho=min(share * budget, source.left.rho), interactions=interactions
    )
    return measured, evidence_of(measured, source, problem).total, share


def ask_columns(
    source: Source, problem: Problem, *, rho: float, done: float = 0.0, interactions: bool = False
) -> tuple[Measurement | NoisyNumbers, ...]:
    """Measure every column once, for rho in total. `done`: the fraction of the budget that has already been
    spent.
    """
    parts = np.array(source.domain.sizes, dtype=float) ** POWER
    prices = (parts / parts.sum() * rho).tolist()
    problem.tell("columns", done, f"measuring {number_of(len(prices), 'column')}")
    one_ways = [
        Interaction.of(source.domain, (name,)) if interactions and size > 1 else Marginal((name,))
        for name, size in zip(source.domain.names, source.domain.sizes, strict=True)
    ]
    return source.ask(list(zip(one_ways, prices, strict=True)))


def groups_of_at_least(
    domain: Domain, columns: Mapping[str, NDArray[np.float64]], problem: Problem, *, runs: float, heaps: float
) -> Coarsening:
    """Group codes so that each group has at least the given number of records: `runs` in groups of
    neighbouring codes of ordered columns, and `heaps` in groups of rare codes of other columns.
    """
    groupings = (
        coarsen(
            name,
            columns[name],
            least=runs if name in problem.ordered else heaps,
            ordered=problem.ordered.get(name, 0),
            kinds=kinds_of(domain, name, problem.zeros),
        )
        for name in domain.names
    )
    return Coarsening(domain, tuple(g for g in groupings if g is not None))


def independent_pairs(
    coarsening: Coarsening, columns: Mapping[str, NDArray[np.float64]], pairs: Sequence[Clique], total: float
) -> dict[Clique, NDArray[np.float64]]:
    """Return the expected counts of the pairs under independence of the noisy columns."""
    shares = shares_of_groups(coarsening, columns, total)
    return {r: independent_pair(r, shares, total) for r in pairs}


def shares_of_groups(
    coarsening: Coarsening, columns: Mapping[str, NDArray[np.float64]], total: float
) -> dict[str, NDArray[np.float64]]:
    """Return the share of the records in each group of each column. Shapes: float64[groups]."""
    return {name: coarsening.sum(counts, (name,)) / total for name, counts in columns.items()}


def independent_pair(
    r: Clique, shares: Mapping[str, NDArray[np.float64]], total: float
) -> NDArray[np.float64]:
    """Return the expected counts of a pair under independence. Shapes: float64[groups of the pair]."""
    first, second = (shares[name] for name in r)
    return np.asarray(total * np.outer(first, second))


Errors = Callable[[NDArray[np.float64], float, NDArray[np.float64]], NDArray[np.float64]]
"""A function that returns the error of a table at every sigma, such as
`mechanisms.selection.split.shrunken_errors`.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairAllocation:
    """The public facts that determine how the remaining budget is split over pairs.

    `errors`: noisy or assumed distances from the expected counts. `shares`: the share of the records in each
    group of each column. `widths`: how coarsely each ordered column is counted (`resolution.width`).
    `typical`: the sigma of a pair if all pairs have the same cost.
    """

    coarsening: Coarsening
    weights: Mapping[Clique, float]
    errors: Mapping[Clique, float]
    shares: Mapping[str, NDArray[np.float64]]
    widths: Mapping[str, float]
    total: float
    typical: float

    @cached_property
    def sigmas(self) -> NDArray[np.float64]:
        """Return the sigmas from which the split chooses."""
        return sigma_grid(self.typical)

    def expected(self, r: Clique) -> NDArray[np.float64]:
        """Return the counts of a pair under independence. They are computed on demand, because all pairs of
        500 columns would take 100 MB for every width of groups.
        """
        return independent_pair(r, self.shares, self.total)

    def least_error(self, source: Source, departures: Mapping[Clique, float]) -> float:
        """Predict the smallest error that a split of the budget can achieve, without shrinkage of cells. With
        shrinkage, groups would be too fine for tables with many zeros (10% more error at epsilon 0.2).
        `departures`: distances from independence; groups lose some of the detail in them.
        """

        def costs(r: Clique, error: float) -> NDArray[np.float64]:
            return self._costs(r, error, thresholded_errors, self._lost(r, departures[r]))

        return self.predicted(source, costs)

    def predicted(self, source: Source, costs_of: Callable[[Clique, float], NDArray[np.float64]]) -> float:
        """Predict the smallest weighted error of all pairs for the remaining budget. `costs_of`: the error of
        a pair at every sigma, given its error if it is not measured. Of more than `PREDICTED` pairs, every
        k-th in the order of their errors is used, with 1/k of the budget.
        """
        step = math.ceil(len(self.errors) / PREDICTED)
        pairs = sorted(self.errors, key=self.errors.__getitem__)[step // 2 :: step]
        costs = np.array([costs_of(r, self.errors[r]) for r in pairs])
        part = len(pairs) / len(self.errors)
        rho, price = part * source.left.rho, source.terms.rho_for
        return split(costs, self.sigmas, rho=rho, price=price)[1] / part

    def costs(self, r: Clique, error: float) -> NDArray[np.float64]:
        """Predict the error of a pair at every sigma. The last value is the error if the pair is not
        measured. If a column of the pair has only one group, no measurement helps, because the table contains
        only counts of the other column.
        """
        return self._costs(r, error, shrunken_errors, 0.0)

    def _costs(self, r: Clique, error: float, errors_of: Errors, lost: float) -> NDArray[np.float64]:
        if any(len(self.shares[name]) == 1 for name in r):
            return np.full(len(self.sigmas), self.weights[r] * error)
        strength = min(1.0, error / self.total) * OPTIMISM
        noisy = errors_of(self.expected(r), strength, self.sigmas)
        costs = np.minimum(noisy + lost, error)
        costs[-1] = error
        return self.weights[r] * costs

    def _lost(self, r: Clique, departure: float) -> float:
        """Return the error, in counts, that merging codes causes in a pair."""
        strength = min(1.0, departure / self.total / 2)
        return 2 * self.total * blur(strength, self.widths[r[0]], self.widths[r[1]])


def best_allocation(
    source: Source,
    problem: Problem,
    columns: Mapping[str, NDArray[np.float64]],
    *,
    weights: Mapping[Clique, float],
    errors: Mapping[Clique, float],
    departures: Mapping[Clique, float] | None = None,
    total: float,
    typical: float,
    interactions: bool = False,
) -> PairAllocation:
    """Choose the smallest groups of neighbouring codes whose predicted error is within a factor `NEARLY` of
    the smallest error, because details inside a group cannot be recovered. Groups of rare codes stay small,
    because they lose all details. Interactions use the domain's own codes. `departures`: distances from
    independence, by default `errors`.
    """
    allocations: list[PairAllocation] = []
    costs: list[float] = []
    for doublings in range(DOUBLINGS + 1):
        heaps = LEAST_SIGMAS * typical
        runs = heaps * 2**doublings
        coarsening = (
            Coarsening(source.domain, ())
            if interactions
            else groups_of_at_least(source.domain, columns, problem, runs=runs, heaps=heaps)
        )
        if allocations and coarsening.groupings == allocations[-1].coarsening.groupings:
            continue
        allocation = PairAllocation(
            coarsening=coarsening,
            weights=weights,
            errors=errors,
            shares=shares_of_groups(coarsening, columns, total),
            widths={
                name: width(coarsening.by_column.get(name)) if name in problem.ordered else 0.0
                for name in source.domain.names
            },
            total=total,
            typical=typical,
        )
        allocations.append(allocation)
        costs.append(allocation.least_error(source, departures or errors))
    return next(a for a, cost in zip(allocations, costs, strict=True) if cost <= NEARLY * min(costs))


def likely_share(prospect: Prospect, *, interactions: bool = False) -> float:
    """Return the likely budget share of the columns, based on facts that are known before a run."""
    counted, share_of = (WHOLE, share_beside_interactions) if interactions else (ROUGH, one_way_share)
    return counted + share_of(prospect.sizes, total=prospect.rows, sigma=prospect.sigma)
