"""PrivSyn: pairs chosen at once by how far they are from independence (Zhang et al.; USENIX Security 2021).

Pseudo-code (the numbers stand again in `run`)
  1. split rho: 0.1 for the scores of pairs, 0.1 for columns, 0.8 for tables
  2. measure every column
  3. ask for InDif = ||M_ab - M_a M_b / n||_1 of all pairs at once
  4. add the pair after which the noise of those chosen and the InDif of the others are least
     together; stop when their sum no longer falls
  5. a column in no pair is measured again by itself
  6. pairs that form small cliques are one table together
  7. measure the tables at a price proportional to cells^(2/3)
  8. make the tables agree, and change records until they are near (`models.records.gum`)

Differs from the authors' code in, because it has to: (a) the scores are in counts once; there they are
multiplied by the number of records again after the noise, so that nearly every pair is taken; (b) line 4
stops at no improvement, without a threshold that was tuned on each private table, and leaves out the pair
that brought none; (c) the number of records is nowhere taken from the table; (d) tables agree by the mean of
their sums weighed by precision, where the code gives columns no weight (`models.estimates.consistency`).
By choice: (e) errors of pairs count by their weight in the workload; pairs outside it are not asked about;
(f) a pair's InDif is cut off at what is possible; (g) line 5: in the code such a column joins the one it
depends on most, though line 4 found that its noise would be more than that; (h) cliques are grown greedily
(`mechanisms.selection.dense`).
Privacy: d measurements, one batch of pair scores (sensitivity 4 in counts, see `private.scores.indif`), the
chosen tables; the choice itself is post-processing.
Cost: next to nothing until line 8, which takes some 45 ns per record, table and round. Adult 2 to
4 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.domain import Clique, Domain
from synth.core.numbers import number_of
from synth.core.options import option
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.correlation import Correlations, wanted_pairs
from synth.mechanisms.selection.dense import combined, dense_pairs
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Purpose
from synth.mechanisms.shared.shared_options import columns_share, scores_share
from synth.models.records.gum import GradualUpdates
from synth.models.records.record_table import MOST
from synth.private.scores import InDif
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class PrivSyn(Mechanism):
    """Hyper-parameters of PrivSyn with the paper's shares."""

    name: ClassVar[str] = "privsyn"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "PrivSyn"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Scores every two columns, measures the pairs worth their noise at once, and changes records until "
        "all of them are near."
    )
    paper: ClassVar[str] = (
        "Zhang et al., PrivSyn: Differentially Private Data Synthesis, USENIX Security 2021"
    )
    column_power: ClassVar[float] = 0.0
    suits: ClassVar[str] = "Tables where most columns depend on many others, more than one tree can hold."
    avoid: ClassVar[str] = (
        "Small budgets: every pair is scored, whether or not it is promising. Relations of three columns "
        "that do not show in any pair."
    )
    generator: ClassVar[str] = "gum"
    joins: ClassVar[bool] = False

    columns_share: float = columns_share(0.1, high=0.9)
    scores_share: float = scores_share()
    table_cells: int = option(
        5_000,
        label="Largest combined table",
        help="Most cells of a table of three or more columns; 0 measures pairs alone.",
        low=0,
        high=10**6,
    )

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 0.2 or occasion.k > 2

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """The gradual updates take the time; the records are the model."""
        return Outlook.of(GradualUpdates().seconds(domain), cells=MOST * len(domain))

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget = source.domain, source.left.rho
        answers, one_ways = Answers(self, source, problem), [(name,) for name in domain.names]
        columns, scores = self.columns_share * budget, self.scores_share * budget  # line 1
        answers.measure_each(one_ways, rho=columns / len(domain))  # line 2
        problem.tell("measure", 0.1, f"measured {number_of(len(domain), 'column')}")
        weights = wanted_pairs(domain, problem.workload.candidates())
        tables: Sequence[Clique] = one_ways
        if weights:
            noisy = answers.score(InDif(tuple(weights)), rho=scores).values  # line 3
            likely = Correlations.of(domain, list(weights), noisy, total=answers.total).counts
            sigma = source.terms.sigma(source.left.rho)
            pairs = dense_pairs(domain, weights, likely, sigma=sigma)  # line 4
            alone = [r for r in one_ways if not any(r[0] in pair for pair in pairs)]  # line 5
            tables = [*combined(domain, pairs, cells=self.table_cells), *alone]  # line 6
        problem.tell("select", 0.2, f"measuring {number_of(len(tables), 'table')}")
        wanted = shares(domain, {r: weights.get(r, 1.0) for r in tables})
        answers.measure_all(wanted, rho=source.left.rho)  # line 7
        problem.tell("fit", 1.0, "changing records")
        return answers.fitted()  # line 8
