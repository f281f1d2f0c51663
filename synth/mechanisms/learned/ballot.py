"""Ballot: our own; votes as in Tab-PE, over records drawn from a model of all votes and columns so far.

Pseudo-code (the numbers stand again in `run`)
  1. the part `columns_share` of rho measures every column
  2. weigh records by all answers so far (`generate.reweighed`)
  3. candidates: different ones of these records, drawn by their weights
  4. every record votes for the nearest candidate, with a label for the nearest of its own; 2. to 4. `rounds`
     times, at equal prices
  5. weigh records by all answers

Why: a vote is a table of one derived code, whose cells lie where the table is dense. In Tab-PE a vote only
says which candidates go on; here all votes stay answers that the released records are fitted to, beside the
noisy columns. So the noise of many votes averages out, columns come as they are likely, and candidates lie
where all votes together say that records are.
Privacy: d `measure` and `rounds` `votes`, whose docstring has the sensitivity. Candidates follow from noisy
answers and the run's own generator.
Cost: that of a vote, records by candidates by columns (codes, of columns without an order), and of weighing
after each. Artificial Characters takes 3 s of one core's time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.options import check_columns
from synth.mechanisms.learned.tabpe import PRODUCTS, distinct
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import (
    CELLS_PER_MB,
    Fitted,
    Mechanism,
    Occasion,
    Outlook,
    Problem,
    Prospect,
    Purpose,
)
from synth.mechanisms.shared.shared_options import (
    candidates_option,
    columns_share,
    label_option,
    rounds_option,
)
from synth.models.base import Generator
from synth.models.records.record_table import WeightedRecords
from synth.models.records.reweighed import ReweighedRecords
from synth.models.records.variation import places_of
from synth.private.queries import Votes
from synth.private.source import Source

MOST_COLUMNS = 12
"""With more columns, those that have nothing to do with the rest hide it in the distance."""


@dataclass(frozen=True, kw_only=True)
class Ballot(Mechanism):
    """Hyper-parameters of the votes; those of the weights are the generator's."""

    name: ClassVar[str] = "ballot"
    title: ClassVar[str] = "Ballot"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Counts every column, lets every real record vote for the invented one most like it, over and over, "
        "and makes a table that agrees with all counts and votes."
    )
    paper: ClassVar[str] = "Our own, after Tab-PE; in no paper yet"
    suits: ClassVar[str] = (
        "A column to predict from up to a dozen ordered ones together, such as places on a map or the "
        "measures of a shape, where no pair of columns tells it."
    )
    avoid: ClassVar[str] = "Many columns, or many without an order: counts of pairs say more of them."
    generator: ClassVar[str] = "reweighed"
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = 0.0
    joins: ClassVar[bool] = False
    votes: ClassVar[bool] = True

    columns_share: float = columns_share(0.15, high=0.9)
    label: str = label_option()
    rounds: int = rounds_option(12)
    candidates: int = candidates_option(1000)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.columns > MOST_COLUMNS or occasion.k < 3

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Votes of the records that are weighed take as long as those of many real ones."""
        width, own = sum(domain.sizes), ReweighedRecords()
        products = self.rounds**2 * own.records * self.candidates
        return Outlook(
            fastest=1 + products * len(domain) / 10 / PRODUCTS,
            slowest=10 + 2 * products * width / PRODUCTS,
            model_mb=own.records * len(domain) * self.rounds / CELLS_PER_MB,
        )

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        return self.outlook(domain, k=k)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, answers, budget = source.domain, Answers(self, source, problem), source.left.rho
        check_columns(self, domain.names)
        priced = shares(domain, {(name,): 1.0 for name in domain.names})
        answers.measure_all(priced, rho=self.columns_share * budget)  # line 1
        places, model = places_of(domain, problem.ordered), None
        for t in range(self.rounds):
            model = answers.fit(model)  # line 2
            assert isinstance(model, WeightedRecords)
            asked = Votes(domain.names, self._candidates(model, rng), places, self.label)  # line 3
            done = 1 - source.left.rho / budget
            problem.tell("measure", done, f"vote {t + 1} of {self.rounds}")
            answers.vote(asked, rho=source.left.rho / (self.rounds - t))  # line 4
        problem.tell("fit", 1.0, "weighing records")
        return answers.fitted(model)  # line 5

    def _candidates(self, model: WeightedRecords, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
        """Drawn by weight, none twice: those whose logarithm with Gumbel noise is largest."""
        raised = np.log(np.maximum(model.weights, 1e-300)) + rng.gumbel(size=len(model.weights))
        return distinct(model.codes[np.argsort(-raised, kind="stable")[: self.candidates]])
