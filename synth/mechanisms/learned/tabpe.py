"""Tab-PE: private evolution; records vote for the nearest of invented ones, and those with votes go on.

Tab-PE, arXiv 2606.08259, ICML 2026 (the paper's abstract, and the authors' code, microsoft/DPSDA at 9078c67).

Pseudo-code (the numbers stand again in `run`)
  1. the part `columns_share` of rho measures every column
  2. candidates: codes drawn evenly, as many for each code of the label as its noisy share says
  3. `rounds` times, at equal prices: every record votes for the nearest candidate with its own label
  4. after each of the first four votes: draw candidates by their noisy votes and vary them; then keep the
     best and add three variations of each (`models.records.variation`)
  5. the records of the last vote, as often as their noisy votes say (`models.records.reweighed`, `last_vote`)

Differs from the authors' code, because it has to: (a) codes and ranges are declared, where the code takes
them from the private table; (b) shares of the label are noisy, where it counts; (c) distances are whole
numbers of places from 0 to 255, since a float's error may depend on other rows; (d) candidates of a vote are
different records: of equal ones all but one would hold nothing but noise; (e) nothing exact is kept. By
choice: (f) line 5, where the code releases the last selection, each record once; (g) every column is
measured, not the label alone, so that records can be moved out of structural zeros; (h) without a label all
columns are in the distance.
Privacy: d `measure` and `rounds` `votes`, whose docstring has the sensitivity. Candidates follow from noisy
answers and the run's own generator.
Cost: a product of matrices per vote, records by candidates by columns (codes, of columns without an order).
Artificial Characters takes 0.6 s of one core's time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.measurements.noisy import NoisyNumbers
from synth.core.options import check_columns
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Mechanism, Outlook, Problem, Prospect, Purpose
from synth.mechanisms.shared.shared_options import (
    candidates_option,
    columns_share,
    label_option,
    rounds_option,
)
from synth.models.base import Generator
from synth.models.estimates.columns import one_ways
from synth.models.records.reweighed import ReweighedRecords
from synth.models.records.variation import places_of, rate_at, varied
from synth.models.repair import repaired
from synth.private.queries import Votes
from synth.private.source import Source

SAMPLED = 4
"""After so many votes candidates are no longer drawn but selected."""

VARIED = 3
"""Variations of each selected candidate."""

LEAST = 2
"""Candidates that every code of the label has at least."""

PRODUCTS = 1e10
"""Numbers multiplied in a second."""

Records = NDArray[np.int64]


class Voting(Mechanism):
    """Base of the methods whose records vote. A subclass has the options below."""

    purpose: ClassVar[Purpose] = Purpose.FITTED
    generator: ClassVar[str] = "reweighed"
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = 0.0
    joins: ClassVar[bool] = False
    votes: ClassVar[bool] = True

    columns_share: float
    label: str
    rounds: int
    candidates: int

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        return self.outlook(domain, k=k)

    def begun(self, source: Source, problem: Problem) -> Answers:
        """Measure every column."""
        check_columns(self, source.domain.names)
        answers = Answers(self, source, problem)
        answers.measure_columns(rho=self.columns_share * source.left.rho)
        return answers

    def vote(
        self, source: Source, problem: Problem, answers: Answers, codes: Records, t: int
    ) -> NoisyNumbers:
        """Let all records vote for these ones, the votes that are left sharing what is left."""
        domain = source.domain
        asked = Votes(domain.names, distinct(codes), places_of(domain, problem.ordered), self.label)
        problem.tell("measure", answers.done, f"vote {t + 1} of {self.rounds}")
        return answers.numbers(asked, rho=source.left.rho / (self.rounds - t))


@dataclass(frozen=True, kw_only=True)
class TabPE(Voting):
    """Hyper-parameters of the evolution."""

    name: ClassVar[str] = "tabpe"
    title: ClassVar[str] = "Tab-PE"
    summary: ClassVar[str] = (
        "Invents records, lets every real one vote for that most like it, and varies those with many votes."
    )
    paper: ClassVar[str] = "Tab-PE, arXiv 2606.08259, ICML 2026"
    suits: ClassVar[str] = (
        "Comparisons with the literature, and a column to predict from a few ordered ones together."
    )
    avoid: ClassVar[str] = "Where counts of single columns and pairs matter: votes hardly see them."

    columns_share: float = columns_share(0.05, high=0.9)
    label: str = label_option()
    rounds: int = rounds_option(14)
    candidates: int = candidates_option(1000)

    def own_generator(self) -> ReweighedRecords:
        return ReweighedRecords(last_vote=True)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        width, most = sum(domain.sizes), self.candidates * (1 + VARIED)
        products = self.rounds * most * width
        seconds = 1 + 1_000 * products / PRODUCTS, 10 + 300_000 * products / PRODUCTS
        return Outlook.of(seconds, cells=most * width)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, answers = source.domain, self.begun(source, problem)  # line 1
        columns = [likely.counts for likely in one_ways(answers.evidence).values()]
        label = domain.axis(self.label) if self.label else None
        often = self._often(columns, label)
        codes = np.stack([rng.integers(0, size, int(often.sum())) for size in domain.sizes], axis=1)  # line 2
        if label is not None:
            codes[:, label] = np.repeat(np.arange(len(often)), often)
        codes, _ = repaired(codes, domain, problem.zeros, columns, rng)
        for t in range(self.rounds):
            answer = self.vote(source, problem, answers, codes, t)  # line 3
            known = np.array(answer.asked["candidates"], dtype=np.int64)
            rate = rate_at(t, self.rounds + 1)
            codes = self._next(known, answer.numbers, often, label, t, rate, domain, problem, rng)  # line 4
        problem.tell("fit", 1.0, "taking the records of the last vote")
        return answers.fitted()  # line 5

    def _often(self, columns: list[NDArray[np.float64]], label: int | None) -> NDArray[np.int64]:
        """How many candidates each code of the label has."""
        if label is None:
            return np.array([self.candidates])
        counts = columns[label]
        wanted = np.rint(self.candidates * counts / counts.sum()).astype(np.int64)
        return np.asarray(np.maximum(wanted, LEAST), dtype=np.int64)

    def _next(
        self,
        codes: Records,
        votes: NDArray[np.float64],
        often: NDArray[np.int64],
        label: int | None,
        t: int,
        rate: float,
        domain: Domain,
        problem: Problem,
        rng: np.random.Generator,
    ) -> Records:
        """The candidates of the next vote, label by label."""
        after = []
        for code, most in enumerate(often.tolist()):
            mine = np.arange(len(codes)) if label is None else np.flatnonzero(codes[:, label] == code)
            if not mine.size:
                continue
            if t < SAMPLED:
                chances = np.maximum(votes[mine], 0.0) + 1e-9
                parents = codes[rng.choice(mine, most, p=chances / chances.sum())]
                copies, kept = 1, parents[:0]
            else:
                kept = parents = codes[mine[np.argsort(-votes[mine], kind="stable")[:most]]]
                copies = VARIED
            for _ in range(copies):
                moved = varied(
                    parents, domain, rate=rate, ordered=problem.ordered, zeros=problem.zeros, rng=rng
                )
                if label is not None:
                    moved[:, label] = code
                after.append(moved)
            after.append(kept)
        return repaired(
            np.concatenate(after), domain, problem.zeros, [np.ones(size) for size in domain.sizes], rng
        )[0]


def distinct(codes: Records) -> tuple[tuple[int, ...], ...]:
    """Different records in ascending order, as a question lists them."""
    return tuple(map(tuple, np.unique(codes, axis=0).tolist()))
