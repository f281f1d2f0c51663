"""How far tables are off on noisy answers that their own models never saw. Public: post-processing.

A model was fitted to its run's answers, so these flatter it. Not so the answers a run held back, nor those of
any other run on the same private table: for such an answer y = M(D) + Z, Z of variance v per cell and
independent of the table's marginal s,

    E sum_x (s_x - y_x)^2 - n v  =  sum_x (s_x - M(D)_x)^2,

with variance 2 n v^2 + 4 v sum_x (s_x - M(D)_x)^2 for Gaussian Z. What stands here is the root of that mean
over all cells of the tables compared, next to the noise in it. Tables are compared on the same marginals:
those about which every one of them has an answer it never saw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from synth.check.gls import Pool
from synth.domain import Clique
from synth.table import CodeTable

SIGMAS = 2.0
"""Two errors whose squares lie within this many standard deviations of each other are told as equal."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """The noisy answers of one run: those its model was fitted to and those it held back. Unit: counts."""

    fitted: Pool
    held_back: Pool
    total: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Contender:
    """One table, the run whose answers its model was fitted to, and its records in the codes of every run's
    answers, by run. Several tables may come from the answers of one run."""

    name: str
    run: str
    tables: Mapping[str, CodeTable]


@dataclass(frozen=True, kw_only=True)
class Missed:
    """The error of a table on marginals it never saw.

    Units: `square` and `doubt` (one standard deviation of it) in counts squared per cell; `square` may be
    negative where noise is all there is. `marginals` counts the cliques it was compared on.
    """

    square: float
    doubt: float
    marginals: int

    @property
    def is_lost(self) -> bool:
        """Whether the error cannot be told from the noise of the answers."""
        return self.square < SIGMAS * self.doubt

    @property
    def counts(self) -> float:
        """The typical error of one cell; where it is lost in the noise, what it is most likely below."""
        above = SIGMAS * self.doubt if self.is_lost else 0.0
        return math.sqrt(max(self.square, 0.0) + above)

    def ties(self, other: Missed) -> bool:
        """Whether the difference to another is no larger than the noise allows."""
        return abs(self.square - other.square) <= SIGMAS * math.hypot(self.doubt, other.doubt)


def missed(
    contenders: Sequence[Contender], answers: Mapping[str, Answers], *, columns: int
) -> dict[str, Missed | None]:
    """Per table its error over all comparable marginals of so many columns; None where there is none."""
    names = [set(c.tables[run].domain.names) for c in contenders for run in c.tables]
    shared = sorted(set.intersection(*names)) if names else []
    cliques = [
        clique
        for clique in combinations(shared, columns)
        if all(next(_unseen(clique, c, answers), None) is not None for c in contenders)
    ]
    return {c.name: _missed(cliques, c, answers) if cliques else None for c in contenders}


def _unseen(
    clique: Clique, contender: Contender, answers: Mapping[str, Answers]
) -> Iterator[tuple[Pool, str]]:
    """Every pool that knows the clique and that the contender's model was not fitted to, with its run."""
    for run, known in answers.items():
        for pool in (known.held_back, *(() if run == contender.run else (known.fitted,))):
            if pool.supports(clique):
                yield pool, run


def _missed(cliques: Sequence[Clique], contender: Contender, answers: Mapping[str, Answers]) -> Missed:
    square = doubt = 0.0
    cells = 0
    for clique in cliques:
        for pool, run in _unseen(clique, contender, answers):
            table, total = contender.tables[run], answers[run].total
            in_order = table.domain.clique(clique)
            released = table.project(in_order) * (total / max(table.rows, 1))
            average = pool.average(in_order)
            n, variance = released.size, average.variance
            off = float(((released - average.counts) ** 2).sum()) - n * variance
            square += off
            doubt += 2.0 * n * variance**2 + 4.0 * variance * max(off, 0.0)
            cells += n
    return Missed(square=square / cells, doubt=math.sqrt(doubt) / cells, marginals=len(cliques))
