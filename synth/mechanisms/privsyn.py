"""PrivSyn: choose all pairs at once by their distance from independence (Zhang et al.; USENIX Security 2021).

Pseudo-code (comments in `run` use the same numbers)
  1. Split rho: 0.1 for the scores of pairs, 0.1 for columns, and 0.8 for tables.
  2. Measure every column.
  3. Score InDif = ||M_ab - M_a M_b / n||_1 for all pairs at once.
  4. Add the pair that most reduces the noise of the chosen pairs plus the InDif of the other pairs. Stop when
     this sum no longer decreases.
  5. Measure each column that is in no pair again.
  6. Combine pairs that form small cliques into one table.
  7. Measure the tables at a privacy cost proportional to cells^(2/3).
  8. Make the tables consistent, and change records until they are near (`models.records.gum`).

Necessary differences from the authors' code:

- The scores are in counts. The code multiplies them by the number of records again after adding noise, so
  that it chooses nearly every pair.
- Line 4 stops before the first pair that brings no improvement. The code uses a threshold that was tuned on
  each private table.
- The number of records is never taken from the table.
- Tables are made consistent by averaging their common sums with weights by precision
  (`models.estimates.consistency`). In the code, columns have no weight.

Other differences:

- The errors of pairs are weighted by the workload, and pairs outside the workload are not scored.
- The InDif of a pair is clipped to the possible range.
- Line 5: the code combines such a column with the column on which it depends most, although line 4 found that
  the noise exceeds this dependence.
- Cliques are grown greedily (`mechanisms.selection.dense`).

Privacy: d measurements, one batch of pair scores (sensitivity 4 in counts, see `private.scores.indif`), and
the measurements of the chosen tables. The choice itself is post-processing. Cost: line 8 takes nearly all of
the time, about 45 ns per record, table and round. Adult takes 2 to 4 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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
    """Hyper-parameters of PrivSyn. The default shares of the budget are those of the paper."""

    name: ClassVar[str] = "privsyn"
    title: ClassVar[str] = "PrivSyn"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Scores all pairs of columns, measures the informative ones, and changes records "
        "until they are near the measurements."
    )
    paper: ClassVar[str] = (
        "Zhang et al., PrivSyn: Differentially Private Data Synthesis, USENIX Security 2021"
    )
    column_power: ClassVar[float] = 0.0
    suits: ClassVar[str] = "Tables with more relations between columns than one junction tree can contain."
    avoid: ClassVar[str] = (
        "Small budgets, because every pair is scored. Relations of three columns that no pair shows."
    )
    generator: ClassVar[str] = "gum"
    joins: ClassVar[bool] = False

    columns_share: float = columns_share(0.1, high=0.9)
    scores_share: float = scores_share()
    table_cells: int = option(
        5_000,
        label="Largest combined table",
        help="Maximum number of cells in a table of three or more columns. 0 measures only pairs.",
        low=0,
        high=10**6,
    )

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 0.2 or occasion.k > 2

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the gradual updates, which dominate the total time. The model consists of the
        records.
        """
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
