"""What is known before pairs are measured, and the ways to go on from there that Blend's steps share.

Post-processing but for `ask`, whose answers the room prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import Problem
from synth.mechanisms.columns_first import suits_interactions
from synth.mechanisms.first_look import FirstLook
from synth.models.coarse import Coarsening
from synth.private.queries import Interaction, Marginal, Query
from synth.private.source import Source


@dataclass(frozen=True, eq=False, kw_only=True)
class PairsToAsk:
    """The pairs that are worth measuring, in these codes, and the part of the price that each gets.

    `budget`: the rho that there was before anything was asked, by which progress is told.
    """

    source: Source
    problem: Problem
    look: FirstLook
    coarsening: Coarsening
    parts: Mapping[Clique, float]
    budget: float

    @property
    def left(self) -> float:
        """The rho that is left."""
        return self.source.left.rho

    @property
    def done(self) -> float:
        """The part of the budget that is spent."""
        return 1 - self.left / self.budget

    def ask(self, rho: float, *, parts: Mapping[Clique, float]) -> tuple[Measurement | NoisyNumbers, ...]:
        """Tables in these codes, for parts of this price; where that is all that is left, the last takes what
        rounding left."""
        left, whole = self.source.left, sum(parts.values())
        prices = [rho * part / whole for part in parts.values()]
        if rho >= left.rho:
            prices[-1] = left.after(prices[:-1]).rho
        self.tell("measure", f"measuring {number_of(len(parts), 'table')}")
        return self.source.ask(list(zip(self._questions(parts), prices, strict=True)))

    def known_with(self, answers: Iterable[Answer]) -> Evidence:
        """All that was asked so far, for a model that a look is held against."""
        self.tell("fit", "fitting the pairs that were measured")
        told = [*self.look.measured, *answers, *self.look.scores]
        return evidence_of(told, self.source, self.problem)

    def tell(self, stage: str, fact: str) -> None:
        self.problem.report(Progress(stage=stage, done=self.done, fact=fact))

    def _questions(self, cliques: Iterable[Clique]) -> list[Query[Measurement | NoisyNumbers]]:
        """Tables in these codes; where all columns have few codes the interactions of pairs, and of three
        columns whose pairs are asked as well."""
        domain, groups, asked = self.source.domain, self.coarsening.groups, dict.fromkeys(cliques)

        def joins(r: Clique) -> bool:
            is_known = all(pair in asked for pair in combinations(r, 2))
            varies = min(domain.shape(r)) > 1
            return len(r) <= 3 and is_known and varies and groups.keys().isdisjoint(r)

        if not suits_interactions(domain.sizes):
            return [Marginal(r).within(groups) for r in asked]
        return [Interaction.of(domain, r) if joins(r) else Marginal(r).within(groups) for r in asked]
