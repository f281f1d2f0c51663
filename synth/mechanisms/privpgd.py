"""PrivPGD: measure all pairs once at the same cost, and move particles towards the measurements.

Source: Donhauser, Abad, Hulkund and Yang, Privacy-preserving data release leveraging optimal transport and
particle gradient descent, ICML 2024.

Pseudo-code (comments in `run` use the same numbers)
  1. List all pairs of columns in the workload, and every column that is in none of them.
  2. Measure each of these at the same privacy cost, in the domain's own codes.
  3. Move particles towards the measurements (`models.particles.particles`).

Differences from the paper:

- Neighbouring tables differ by adding or removing a record, while the paper replaces one. Therefore, sigma is
  smaller by a factor of sqrt(2), and the number of records is estimated.
- The privacy cost follows from the exact curve of the Gaussian mechanism instead of a bound.
- Bins are declared or estimated with budget, while the paper takes them from the private table without
  accounting for this.
- For differences in line 3, see `particles.particles`.

Privacy: the queries and their costs are fixed before any record is read; nothing is selected. Cost: 20 ns per
pair, direction, particle and epoch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.workload import Workload
from synth.core.numbers import number_of
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import (
    CELLS_PER_MB,
    Fitted,
    Outlook,
    Problem,
    Prospect,
    Purpose,
    TimedByGenerator,
)
from synth.models.base import Generator
from synth.models.particles.particles import Particles
from synth.models.records.record_table import MOST
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class PrivPGD(TimedByGenerator):
    """The PrivPGD method, which has no options."""

    name: ClassVar[str] = "privpgd"
    title: ClassVar[str] = "PrivPGD"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Measures all pairs at equal cost, then moves records until every pair is near its measurement."
    )
    paper: ClassVar[str] = "Donhauser et al., PrivPGD, ICML 2024"
    suits: ClassVar[str] = (
        "Ordered columns and epsilon 1 or more. The generator 'copula' is a fast alternative: it takes "
        "seconds, with the same measurements."
    )
    avoid: ClassVar[str] = (
        "Unordered columns, because codes are compared as if they had an order. Small budgets, because "
        "unrelated pairs cost as much as related ones."
    )
    device: ClassVar[str] = "graphics card if there is one, else CPU, one core"
    generator: ClassVar[str] = "particles"
    pairs_per_column: ClassVar[float] = math.inf
    chooses: ClassVar[bool] = False
    joins: ClassVar[bool] = False
    fast: ClassVar[str | None] = "copula"

    @property
    def measures_columns(self) -> bool:
        return False

    def first_pass(self, prospect: Prospect) -> float:
        return 0.0 if len(prospect.sizes) > 1 else 1.0

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the single fit, which dominates the total time."""
        if not isinstance(generator, Particles):
            return super().outlook_by(generator, domain, k=k)
        fastest, slowest = generator.seconds(domain)
        memory = 4 * MOST * 6 * (len(domain) + generator.directions) / 2**20
        cells_mb = sum(math.prod(pair) for pair in combinations(domain.sizes, 2)) / CELLS_PER_MB
        return Outlook(fastest=fastest, slowest=slowest, model_mb=memory + 4 * cells_mb)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        answers, budget = Answers(self, source, problem), source.left.rho
        requested = _requested(source.domain, problem.workload)  # line 1
        problem.tell("measure", 0.0, f"measuring {number_of(len(requested), 'table')}")
        answers.measure_all(dict.fromkeys(requested, 1 / len(requested)), rho=budget)  # line 2
        problem.tell("fit", 1.0, "moving particles")
        return answers.fitted()  # line 3


def _requested(domain: Domain, workload: Workload) -> list[Clique]:
    """Return every pair within a marginal of the workload, and the columns that are in no pair."""
    pairs = dict.fromkeys(domain.clique(pair) for r in workload.cliques for pair in combinations(r, 2))
    held = {name for pair in pairs for name in pair}
    return [*((name,) for name in domain.names if name not in held), *pairs]
