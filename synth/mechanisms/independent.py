"""Independent: measure every column separately. This is a baseline that every other mechanism should
outperform.

Pseudo-code
  1. Split rho over the columns.
  2. Measure every one-way marginal.
  3. The model is the product of the measured columns.

Privacy: one query per column; the privacy costs add up to the budget. Cost: no fit is needed. The split is
proportional to n^(2/3), which minimises the total expected L1 error of independent tables at a fixed total
privacy cost. ABSyn and PrivSyn use the same rule. The baselines in the papers split the budget evenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.numbers import number_of
from synth.mechanisms.selection.allocation import POWER
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Prospect, Purpose
from synth.private.queries import Marginal
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class Independent(Mechanism):
    """Measure every column once, and assume that columns are independent."""

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent columns"
    purpose: ClassVar[Purpose] = Purpose.BASELINE
    summary: ClassVar[str] = "Each column keeps its distribution. No relation between columns is kept."
    paper: ClassVar[str] = "Baseline of every paper in the field"
    suits: ClassVar[str] = (
        "Tables that are used one column at a time, very small budgets, and comparisons with other methods."
    )
    avoid: ClassVar[str] = "Any use of two columns together, because every relation is lost."
    keeps_relations: ClassVar[bool] = False
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = 0.0
    generator: ClassVar[str] = "independent"

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 1

    def first_pass(self, prospect: Prospect) -> float | None:
        return 1.0

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        seconds = 0.005 * len(domain) + 1e-6 * sum(domain.sizes)
        return Outlook.of((seconds / 2, 2 * seconds), cells=sum(domain.sizes))

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget = source.domain, source.left.rho
        share = np.array(domain.sizes, dtype=float) ** POWER  # line 1
        share /= share.sum()
        prices = [budget * float(part) for part in share[:-1]]
        prices.append(source.left.after(prices).rho)
        problem.tell("measure", 0.0, f"measuring {number_of(len(domain), 'column')}")
        one_ways = [Marginal((name,)) for name in domain.names]
        measurements = source.ask(list(zip(one_ways, prices, strict=True)))  # line 2
        return self.modelled(evidence_of(measurements, source, problem), problem)  # line 3
