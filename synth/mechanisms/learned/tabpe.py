"""Tab-PE: private evolution, in which records vote for the nearest candidates and the best candidates
continue.

Source: Tab-PE, arXiv 2606.08259, ICML 2026 (the paper's abstract, and the authors' code, microsoft/DPSDA at
9078c67).

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every column with the share `columns_share` of rho.
  2. Draw candidates with uniform codes. Their label values have the noisy shares.
  3. Repeat `rounds` times at equal costs: every record votes for the nearest candidate with its label.
  4. After each of the first four votes, draw candidates by their noisy votes and vary them. After later
     votes, keep the best candidates and add three variations of each (`models.records.variation`).
  5. Release the candidates of the last vote in proportion to their noisy votes (`models.records.reweighed`,
     `last_vote`).

Necessary differences from the authors' code:

- Codes and ranges are declared, whereas the code takes them from the private table.
- The shares of the label values are noisy instead of exact.
- Distances are integers from 0 to 255, because the rounding error of a floating-point number can depend on
  other rows.
- The candidates of a vote are distinct records, because all but one of several equal candidates would count
  only noise.
- No exact values are kept.

Other differences:

- Line 5: the code releases each record of the last selection once.
- Every column is measured, not only the label, so that records can be moved out of structural zeros.
- Without a label, the distance includes all columns.

Privacy: d `measure` and `rounds` `votes` queries; the docstring of `votes` states the sensitivity. Candidates
depend only on noisy measurements and the run's own random number generator. Cost: one matrix product per
vote, whose time is proportional to records times candidates times columns (times codes for unordered
columns). Artificial Characters takes 0.6 s on one core.
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
"""Number of votes after which candidates are selected instead of drawn."""

VARIED = 3
"""Number of variations of each selected candidate."""

LEAST = 2
"""Minimum number of candidates for each label value."""

PRODUCTS = 1e10
"""Number of multiplications per second."""

Records = NDArray[np.int64]


class Voting(Mechanism):
    """Base class of the methods in which records vote. Subclasses define the options declared below."""

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
        """Let all records vote for the given candidates. The remaining votes share the remaining budget
        equally.
        """
        domain = source.domain
        requested = Votes(domain.names, distinct(codes), places_of(domain, problem.ordered), self.label)
        problem.tell("measure", answers.done, f"vote {t + 1} of {self.rounds}")
        return answers.numbers(requested, rho=source.left.rho / (self.rounds - t))


@dataclass(frozen=True, kw_only=True)
class TabPE(Voting):
    """Hyper-parameters of the evolution."""

    name: ClassVar[str] = "tabpe"
    title: ClassVar[str] = "Tab-PE"
    summary: ClassVar[str] = (
        "Generates records, lets each private row vote for the most similar one, and varies those with "
        "many votes."
    )
    paper: ClassVar[str] = "Tab-PE, arXiv 2606.08259, ICML 2026"
    suits: ClassVar[str] = (
        "Comparisons with published results, and a column that a few ordered columns predict together."
    )
    avoid: ClassVar[str] = (
        "When counts of columns and pairs matter. Votes contain little information about them."
    )

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
            known = np.array(answer.requested["candidates"], dtype=np.int64)
            rate = rate_at(t, self.rounds + 1)
            codes = self._next(known, answer.numbers, often, label, t, rate, domain, problem, rng)  # line 4
        problem.tell("fit", 1.0, "taking the records of the last vote")
        return answers.fitted()  # line 5

    def _often(self, columns: list[NDArray[np.float64]], label: int | None) -> NDArray[np.int64]:
        """Return the number of candidates with each label value."""
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
        """Return the candidates of the next vote, grouped by label value."""
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
    """Return the distinct records in ascending order, as they are listed in a query."""
    return tuple(map(tuple, np.unique(codes, axis=0).tolist()))
