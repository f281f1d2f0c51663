"""The state of a run after its pairs are planned, and the steps that the later stages of Blend share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers
from synth.core.numbers import number_of
from synth.mechanisms.blend.first_pass import FirstPass
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Problem
from synth.models.coarse import Coarsening
from synth.private.queries import Interaction, Marginal, Query
from synth.private.source import Source


@dataclass(frozen=True, eq=False)
class Measuring:
    """The planned pairs, the budget share of each, and the remaining budget.

    `budget`: the rho before the first query, used for progress messages.
    """

    source: Source
    problem: Problem
    first: FirstPass
    coarsening: Coarsening
    parts: Mapping[Clique, float]
    budget: float

    @property
    def left(self) -> float:
        return self.source.left.rho

    def measure(self, rho: float, parts: Mapping[Clique, float]) -> tuple[Measurement | NoisyNumbers, ...]:
        """Spend rho on tables in proportion to their shares. The last table also receives the rounding
        remainder. Tables for which no budget is left are not measured: a resumed run pays what it paid
        before, and may plan more tables.
        """
        left, whole = self.source.left, sum(parts.values())
        prices = [rho * part / whole for part in parts.values()]
        if rho >= left.rho:
            prices[-1] = left.after(prices[:-1]).rho
        self.report("measure", f"measuring {number_of(len(parts), 'table')}")
        units = left.prices(prices)
        requested = zip(self._queries(parts), prices, units, strict=True)
        return self.source.ask([(query, price) for query, price, paid in requested if paid])

    def evidence(self, answers: Iterable[Answer]) -> Evidence:
        """Return all noisy measurements made so far. Scores are computed against a model fitted to them."""
        self.report("fit", "fitting the measured pairs")
        return evidence_of([*self.first.measured, *answers, *self.first.scores], self.source, self.problem)

    def report(self, stage: str, fact: str) -> None:
        self.problem.tell(stage, 1 - self.left / self.budget, fact)

    def _queries(self, cliques: Iterable[Clique]) -> list[Query[Measurement | NoisyNumbers]]:
        """Return marginals in the planned codes. If the first pass measured interactions, return interactions
        for pairs, and for triples whose pairs are also measured.
        """
        domain, groups, requested = self.source.domain, self.coarsening.groups, dict.fromkeys(cliques)

        def suits(r: Clique) -> bool:
            has_pairs = all(pair in requested for pair in combinations(r, 2))
            return len(r) <= 3 and has_pairs and min(domain.shape(r)) > 1 and groups.keys().isdisjoint(r)

        joins = self.first.interactions
        return [
            Interaction.of(domain, r) if joins and suits(r) else Marginal(r).within(groups) for r in requested
        ]
