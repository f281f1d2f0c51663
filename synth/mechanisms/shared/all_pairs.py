"""Measure every column and every pair of the workload once, without selecting the important ones first.

Pseudo-code
1. Measure the columns (`columns_first.measure_columns`).
2. Assume that the distance of every pair from independence is `SUPPOSED` times the number of records.
3. Merge only codes whose counts would be below the noise of a pair's cell, because a model of all pairs
   together can separate relations from noise in finer codes than a single pair can.
4. Choose equal costs for the pairs, or the costs that minimise the expected error after shrinkage (`split`),
   with a minimum for each pair. Measure the pairs.

Privacy: steps 1 and 4 are `measure`; the decisions in between depend only on noisy columns and public facts.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Answer
from synth.core.numbers import number_of
from synth.mechanisms.selection.split import split
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Prospect
from synth.mechanisms.shared.columns_first import (
    LEAST_SIGMAS,
    PairAllocation,
    groups_of_at_least,
    likely_share,
    measure_columns,
    pairs_of,
    shares_of_groups,
)
from synth.mechanisms.shared.shared_options import decided_columns_share
from synth.models.estimates.columns import one_ways
from synth.private.queries import Marginal
from synth.private.source import Source

SUPPOSED = 0.4
"""Assumed distance of a pair from independence, summed over its cells and divided by the number of records.
Two normal variables with a correlation of about 0.3 have this distance.
"""

LEAST_PART = 0.1
"""Minimum cost of a pair, as a fraction of the mean cost. Every pair is measured, because any pair may have a
relation that no one expects.
"""


def measure_all_pairs(
    source: Source,
    problem: Problem,
    *,
    columns_share: float = 0.0,
    evenly: bool = False,
) -> tuple[Answer, ...]:
    """Spend the remaining budget on the columns and all pairs of the workload. Return the measurements in the
    order of the queries.

    `columns_share`: the budget share of the columns, or 0 for `one_way_share`. `evenly`: whether all pairs
    have the same cost. This suits a model that combines all pairs, because such a model also uses pairs that
    are below the noise when considered alone.
    """
    budget, weights = source.left.rho, pairs_of(problem)
    measured, total, _ = measure_columns(source, problem, given=columns_share, pairs=bool(weights))
    if not weights:
        return tuple(measured)
    allocation = _allocation(source, problem, weights, measured, total=total)
    prices = _prices(source, allocation, evenly=evenly)
    done = 1 - source.left.rho / budget
    problem.tell("measure", done, f"measuring {number_of(len(prices), 'pair')}")
    groups = allocation.coarsening.groups
    measured += source.ask([(Marginal(r).within(groups), rho) for r, rho in prices])
    return tuple(measured)


def _allocation(
    source: Source,
    problem: Problem,
    weights: dict[Clique, float],
    measured: Sequence[Answer],
    *,
    total: float,
) -> PairAllocation:
    typical = source.terms.sigma(source.left.rho / len(weights))
    columns = {r: e.counts for r, e in one_ways(evidence_of(measured, source, problem)).items()}
    least = LEAST_SIGMAS * typical
    coarsening = groups_of_at_least(source.domain, columns, problem, runs=least, heaps=least)
    return PairAllocation(
        coarsening=coarsening,
        weights=weights,
        errors=dict.fromkeys(weights, SUPPOSED * total),
        shares=shares_of_groups(coarsening, columns, total),
        widths={},
        total=total,
        typical=typical,
    )


def _prices(source: Source, allocation: PairAllocation, *, evenly: bool) -> list[tuple[Clique, float]]:
    """Return the privacy costs of all pairs, which use up the remaining budget."""
    left, pairs = source.left, list(allocation.errors)
    spent = np.full(len(pairs), left.rho / len(pairs))
    if not evenly:
        costs = np.array([allocation.costs(r, error) for r, error in allocation.errors.items()])
        shares, _ = split(costs, allocation.sigmas, rho=left.rho, price=source.terms.rho_for)
        spent = np.maximum(shares, LEAST_PART * spent)
    prices = (spent * (left.rho / spent.sum())).tolist()[:-1]
    return list(zip(pairs, [*prices, left.after(prices).rho], strict=True))


@dataclass(frozen=True, kw_only=True)
class AllPairs(Mechanism):
    """Base class of the methods that measure every column and pair and then fit one model. The columns' share
    rarely needs to be changed. `evenly`: whether all pairs have the same cost.
    """

    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = math.inf
    joins: ClassVar[bool] = False
    evenly: ClassVar[bool] = False
    fitting: ClassVar[str] = "fitting"

    columns_share: float = decided_columns_share()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share or likely_share(prospect)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the fit."""
        return Outlook.of(self.own_generator().seconds(domain), cells=self.cells(domain))

    @abstractmethod
    def cells(self, domain: Domain) -> float:
        """Return the number of cells of the model."""

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        share, evenly = self.columns_share, self.evenly
        measured = measure_all_pairs(source, problem, columns_share=share, evenly=evenly)  # line 1
        problem.tell("fit", 1.0, f"{self.fitting} {number_of(len(measured), 'table')}")
        return self.modelled(evidence_of(measured, source, problem), problem)  # line 2
