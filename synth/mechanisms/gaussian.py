"""Gaussian: measure as many marginals of the workload as one model can contain, each of them once.

This is the baseline of McKenna et al. (AIM, VLDB 2022, section 6), extended to generate records. In the
paper, it only answers queries.

Pseudo-code (comments in `run` use the same numbers)
  1. Order the workload's marginals by weight, and marginals of the same weight by size.
  2. Keep each marginal with which the junction tree of all kept marginals stays within its capacity.
  3. Let w of a single column be the largest weight of a marginal that contains it.
  4. Measure every column and every kept marginal at a privacy cost proportional to (w n)^(2/3).
  5. Fit a model.

Differences from the paper:

- Lines 1 and 2: the paper measures the whole workload and releases no records. A model of all its marginals
  would be as large as the domain. Therefore, marginals that do not fit are excluded, based only on sizes and
  weights.
- Columns are also measured separately, because the fit needs them if a pair is below the noise.

Privacy: the queries and their costs are fixed before any record is read; nothing is selected. Cost: one
triangulation per marginal, and one fit of a model near its capacity. Adult takes 1 to 3 s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import number_of
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Occasion, Problem, Prospect, Purpose
from synth.mechanisms.shared.shared_options import capacity
from synth.private.source import Source

WIDEST_TRIED = 24
"""Maximum number of columns for which a forecast computes which marginals fit. This takes at most one
second.
"""


@dataclass(frozen=True, kw_only=True)
class Gaussian(Mechanism):
    """Hyper-parameters of the Gaussian baseline."""

    name: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian"
    purpose: ClassVar[Purpose] = Purpose.BASELINE
    summary: ClassVar[str] = (
        "Measures as many marginals as one model can contain, without selecting the important ones."
    )
    pace: ClassVar[float | None] = 0.1
    paper: ClassVar[str] = "baseline of McKenna et al., AIM, VLDB 2022, with the split of PrivSyn and ABSyn"
    suits: ClassVar[str] = (
        "Tables of up to about 15 columns with few values each. On them, it can be the most accurate method."
    )
    avoid: ClassVar[str] = (
        "Wide tables and small budgets, because most of the cost goes to unrelated columns."
    )

    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = math.inf

    capacity_mb: float = capacity()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.columns > 15 or occasion.epsilon < 0.5

    def first_pass(self, prospect: Prospect) -> float | None:
        if len(prospect.sizes) > WIDEST_TRIED:
            return None
        return _first_pass(prospect.sizes, self.capacity_mb * CELLS_PER_MB)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        answers = Answers(self, source, problem)
        domain, limit = source.domain, self.capacity_mb * CELLS_PER_MB
        weights = dict(zip(problem.workload.cliques, problem.workload.weights, strict=True))
        kept = _kept(JunctionGraph.of(domain, answers.cliques), weights, limit)  # lines 1 and 2
        problem.tell("select", 0.1, f"{len(kept):,} of {number_of(len(weights), 'marginal')} fit")
        wanted = {(name,): _weight(name, weights) for name in domain.names} | {r: weights[r] for r in kept}
        answers.measure_all(shares(domain, wanted), rho=source.left.rho)  # lines 3 and 4
        problem.tell("fit", 1.0, "fitting the model")
        return answers.fitted()  # line 5


def _kept(graph: JunctionGraph, weights: Mapping[Clique, float], limit: float) -> list[Clique]:
    """Return the marginals that one model can contain, chosen in order of decreasing weight and increasing
    size.
    """
    kept: list[Clique] = []
    for r in sorted(weights, key=lambda r: (-weights[r], graph.domain.size(r))):
        if graph.fits(r, limit):
            graph = graph.joined(r)
            kept.append(r)
    return kept


@lru_cache(maxsize=16)
def _first_pass(sizes: tuple[int, ...], limit: float) -> float:
    """Return the share of single columns if all pairs have the same weight and structural zeros use no
    capacity.
    """
    domain = Domain(tuple(str(i) for i in range(len(sizes))), sizes)
    pairs: dict[Clique, float] = dict.fromkeys(combinations(domain.names, 2), 1.0)
    kept = _kept(JunctionGraph.of(domain, [(name,) for name in domain.names]), pairs, limit)
    wanted = {(name,): 1.0 for name in domain.names} | dict.fromkeys(kept, 1.0)
    prices = shares(domain, wanted)
    return sum(price for r, price in prices.items() if len(r) == 1)


def _weight(name: str, weights: Mapping[Clique, float]) -> float:
    """Return the weight of a single column: the largest weight of a marginal that contains it, or else the
    smallest weight of any marginal.
    """
    held = [weight for r, weight in weights.items() if name in r]
    return max(held) if held else min(weights.values(), default=1.0)
