"""Ballot, our own method: votes as in Tab-PE, on records drawn from a model of all earlier measurements.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every column with the share `columns_share` of rho.
  2. Fit weights of records to all measurements so far (`models.records.reweighed`).
  3. Draw distinct candidates from these records by weight.
  4. Let every record vote for the nearest candidate, or for the nearest candidate with the same label. Repeat
     lines 2 to 4 `rounds` times at equal privacy costs.
  5. Fit weights of records to all measurements.

The idea is that a vote is a one-way table of a derived column, and that most of its cells are in regions with
many records. In Tab-PE, a vote only determines which candidates continue. Here, all votes remain
measurements, and the released records are fitted to them and to the noisy columns. Therefore, the noise of
many votes averages out, the column counts are plausible, and candidates are in regions where all votes
together indicate records.

Privacy: d `measure` and `rounds` `votes` queries; the docstring of `votes` states the sensitivity. Candidates
depend only on noisy measurements and the run's own random number generator. Cost: the time of a vote is
proportional to records times candidates times columns (times codes for unordered columns), and weights are
fitted after each vote. Artificial Characters takes 3 s on one core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.mechanisms.learned.tabpe import PRODUCTS, Records, Voting
from synth.mechanisms.shared.base import Fitted, Occasion, Outlook, Problem
from synth.mechanisms.shared.shared_options import (
    candidates_option,
    columns_share,
    label_option,
    rounds_option,
)
from synth.models.records.record_table import WeightedRecords
from synth.models.records.reweighed import ReweighedRecords
from synth.private.source import Source

MOST_COLUMNS = 12
"""Maximum recommended number of columns. With more columns, unrelated columns dominate the distance."""


@dataclass(frozen=True, kw_only=True)
class Ballot(Voting):
    """Hyper-parameters of the votes. The generator has separate hyper-parameters of the weights."""

    name: ClassVar[str] = "ballot"
    title: ClassVar[str] = "Ballot"
    summary: ClassVar[str] = (
        "Measures every column, lets each private row vote for the most similar generated record in "
        "many rounds, and makes a table that agrees with all measurements."
    )
    paper: ClassVar[str] = "Our own, based on Tab-PE, not yet published"
    suits: ClassVar[str] = (
        "A column that up to a dozen ordered columns predict together, such as coordinates or measures "
        "of a shape, when no pair predicts it."
    )
    avoid: ClassVar[str] = "Many columns, or many unordered columns. Measured pairs describe them better."

    columns_share: float = columns_share(0.15, high=0.9)
    label: str = label_option()
    rounds: int = rounds_option(12)
    candidates: int = candidates_option(1000)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.columns > MOST_COLUMNS or occasion.k < 3

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the votes. A vote of weighted records takes as long as a vote of the same number
        of real records.
        """
        width, own = sum(domain.sizes), ReweighedRecords()
        products = self.rounds**2 * own.records * self.candidates
        seconds = 1 + products * len(domain) / 10 / PRODUCTS, 10 + 2 * products * width / PRODUCTS
        return Outlook.of(seconds, cells=own.records * len(domain) * self.rounds)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        answers, model = self.begun(source, problem), None  # line 1
        for t in range(self.rounds):
            model = answers.fit(model)  # line 2
            assert isinstance(model, WeightedRecords)
            self.vote(source, problem, answers, self._candidates(model, rng), t)  # lines 3 and 4
        problem.tell("fit", 1.0, "weighting records")
        return answers.fitted(model)  # line 5

    def _candidates(self, model: WeightedRecords, rng: np.random.Generator) -> Records:
        """Draw candidates by weight without replacement: the records with the largest log(weight) + Gumbel
        noise.
        """
        raised = np.log(np.maximum(model.weights, 1e-300)) + rng.gumbel(size=len(model.weights))
        return model.codes[np.argsort(-raised, kind="stable")[: self.candidates]]
