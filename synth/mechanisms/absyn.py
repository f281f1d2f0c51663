"""ABSyn: adaptive selection in one batch (Jia et al., IEEE TIFS 2024).

Pseudo-code, Algorithms 1 to 4 of the paper (comments in `run` use the same numbers)

- Alg. 2 line 5: split rho into 0.1 for columns, 0.1 for scores and 0.8 for pairs.
- Alg. 2 line 6: measure every one-way marginal.
- Alg. 3 lines 6-8: measure the R-scores of all pairs at once.
- Alg. 1: reduce the score of a pair by the strongest path of selected pairs. The rest is the missing part.
- Alg. 3 line 11: add the pair that minimises noise + missing parts, with all pairs inside the cliques of the
  triangulated graph. Stop when the sum no longer decreases.
- Alg. 2 line 10: set the privacy cost of a pair with c cells in proportion to c^(2/3).
- Alg. 2 line 11: measure the selected pairs.
- Alg. 2 line 12: make tables agree where they overlap. With Alg. 4, fit every clique and join them.

Necessary differences from the paper:

- The R-score is measured in counts. Its sensitivity is 4 only in counts; as a share, it would be divided by
  the secret number of records.
- The number of records is estimated from the noisy columns, never taken from the table.
- The privacy cost of the scores is split over all pairs, as in the paper but not in its code. Each score has
  the noise 4 sqrt(d (d - 1) / (4 rho)). At a nominal epsilon of 1 (delta 1e-9), the authors' code spends 3.4
  on Adult, 3.9 on NLTCS, 2.2 on Titanic and 13.5 on Loans. Charging the full cost of the scores does not
  change the accuracy of this implementation on Adult. It increases the error by 5% on Titanic at epsilon 1
  and by 28% on NLTCS at 0.1, where fewer pairs can be distinguished from noise (2-way TVD, means of three
  runs).

Other differences:

- One weighted fit of the junction tree (`models.pgm`) replaces Alg. 2 line 12 and Alg. 4. The fit computes
  the averages of line 12 implicitly and keeps counts non-negative. Neighbouring cliques agree exactly,
  whereas Alg. 4 leaves separators that differ and joins sorted records. The fit takes about as long as
  separate fits of the cliques, because one sweep visits each clique once.
- The path reduces a score by a factor. Of the score of a selected pair, only the part that exceeds its noise
  contributes to a path. Both are as in the authors' code (`correlation`). The subtraction of Eq. 7 had larger
  errors on Adult at epsilon 1 and 10 and on NLTCS at 0.1.
- The errors of pairs are weighted by the workload, and pairs outside the workload are not measured.
- Columns in no selected pair get a share in line 10 and are measured again.
- Rare values are not merged, unlike in the authors' code.

Privacy: d measurements, one batch of scores, and the measurements of the selected pairs. The selection itself
is post-processing. Cost: d^2 / 2 triangulations, a few more for each selected pair (`selection.batch`
evaluates lazily), and one fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import number_of
from synth.core.options import option
from synth.core.zeros import Zero
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.batch import Triangulation, select_batch
from synth.mechanisms.selection.correlation import Correlations, wanted_pairs
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Problem, Purpose
from synth.mechanisms.shared.shared_options import columns_share, scores_share
from synth.private.scores import InDif
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class ABSyn(Mechanism):
    """Hyper-parameters of ABSyn. The default shares of the budget are those of the paper."""

    name: ClassVar[str] = "absyn"
    title: ClassVar[str] = "ABSyn"
    purpose: ClassVar[Purpose] = Purpose.MODEL
    summary: ClassVar[str] = (
        "Scores how strongly each pair of columns is related, and measures the best pairs at once."
    )
    pace: ClassVar[float | None] = 0.35
    paper: ClassVar[str] = (
        "Jia et al., ABSyn: An Accurate Differentially Private Data Synthesis Scheme With Adaptive Selection "
        "and Batch Processes, IEEE TIFS 2024"
    )
    column_power: ClassVar[float] = 0.0
    pairs_per_column: ClassVar[float] = 2.0
    suits: ClassVar[str] = "Tables with a few strongly related pairs of columns, when time matters."
    avoid: ClassVar[str] = (
        "Very small budgets, because scoring every pair uses part of the budget. Relations of three "
        "columns that no pair shows."
    )

    columns_share: float = columns_share(0.1, high=0.9)
    scores_share: float = scores_share()
    clique_cells: int = option(
        1_000_000,
        label="Clique size",
        help="Maximum number of cells in one clique.",
        low=100,
        high=10**8,
        unit="cells",
    )

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 0.2 or occasion.k > 2

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget = source.domain, source.left.rho
        answers, one_ways = Answers(self, source, problem), [(name,) for name in domain.names]
        columns, scores = self.columns_share * budget, self.scores_share * budget  # Alg. 2 line 5
        answers.measure_each(one_ways, rho=columns / len(domain))  # Alg. 2 line 6
        problem.tell("measure", 0.1, f"measured {number_of(len(domain), 'column')}")
        weights = wanted_pairs(domain, problem.workload.candidates())
        chosen: dict[Clique, float] = shares(domain, dict.fromkeys(one_ways, 1.0))
        if weights:
            noisy = answers.score(InDif(tuple(weights)), rho=scores).values  # Alg. 3 lines 6-8
            chosen = select_batch(  # Alg. 1, Alg. 3 lines 9-38, Alg. 2 line 10
                Correlations.of(domain, list(weights), noisy, total=answers.total),
                self._triangulation(domain, problem.zeros),
                sigma=source.terms.sigma(source.left.rho),
                weights=np.array(list(weights.values())),
            )
        problem.tell("select", 0.2, f"measuring {number_of(len(chosen), 'table')}")
        answers.measure_all(chosen, rho=source.left.rho)  # Alg. 2 line 11
        problem.tell("fit", 1.0, "fitting the model")
        return answers.fitted()  # Alg. 2 line 12, Alg. 4

    def _triangulation(self, domain: Domain, zeros: Sequence[Zero]) -> Triangulation:
        """Return a function that computes the cliques of a set of pairs together with the structural zeros.
        The cliques of structural zeros may have any size.
        """
        fixed = [zero.clique for zero in zeros]
        largest = _largest(domain, JunctionGraph.of(domain, fixed).maximal)

        def triangulation(pairs: Sequence[Clique]) -> Sequence[Clique] | None:
            maximal = JunctionGraph.of(domain, [*fixed, *pairs]).maximal
            return maximal if _largest(domain, maximal) <= max(self.clique_cells, largest) else None

        return triangulation


def _largest(domain: Domain, cliques: Sequence[Clique]) -> int:
    return max(domain.size(r) for r in cliques)
