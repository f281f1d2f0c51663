"""Mixture: every pair is measured once, and a mixture of products is fitted to all of them.

Pseudo-code (the numbers stand again in `run`)
  1. columns first, then every pair of the workload, in coarse codes where cells would fall below the noise
     (`mechanisms.all_pairs`)
  2. fit a mixture of products to all answers at once (`generate.mixture_fit`); draw its records and swap them
     towards its tables

Descends from MargNet (the model of its generator is such a mixture) and from the Gaussian baseline of AIM,
which measures a workload without looking; there one graphical model has to hold what is measured, here
nothing has to fit into cliques, so that tables of hundreds of columns can be measured in full. Ours: the
prices by size and shrinkage, the coarse codes, the fit.
Privacy: line 1 is `measure` throughout, under the law of Gaussian answers; line 2 is post-processing. What is
asked follows from public sizes and noisy columns.
Cost: a step of the fit is 3 K D^2 operations for D coarse codes and K components, 11 ms for 50 columns of 20
codes and 0.4 s for 400; its memory is 2 D^2 bytes, and that of the answers as 64-bit numbers 8 D^2 more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.domain import Domain
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.shared.all_pairs import measure_all_pairs
from synth.mechanisms.shared.answers import evidence_of
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
from synth.mechanisms.shared.columns_first import likely_share
from synth.mechanisms.shared.shared_options import decided_columns_share
from synth.models.mixture.mixture import MixtureOfProducts
from synth.private.source import Source

FEW_COLUMNS = 20
"""Columns up to which a look at the pairs pays: most of them relate too weakly to be measured."""


@dataclass(frozen=True, kw_only=True)
class MixtureOfAllPairs(Mechanism):
    """The columns' share is for who knows what the table is for."""

    name: ClassVar[str] = "mixture"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "Mixture of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and fits a mixture of products to all of them."
    paper: ClassVar[str] = "Our own, after the generator of MargNet; in no paper yet"
    suits: ClassVar[str] = "Wide tables in which everything is related to everything: up to 400 columns."
    avoid: ClassVar[str] = (
        "Tables in which most columns have nothing to do with each other, and chains of local relations: "
        "Grove looks first and spends its budget there."
    )
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = math.inf
    generator: ClassVar[str] = "mixture"
    joins: ClassVar[bool] = False

    columns_share: float = decided_columns_share()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2 or occasion.columns <= FEW_COLUMNS

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share or likely_share(prospect)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """The fit takes the time."""
        codes, (fastest, slowest) = sum(domain.sizes), MixtureOfProducts().seconds(domain)
        size = (codes**2 + 250 * codes) / CELLS_PER_MB
        return Outlook(fastest=fastest, slowest=slowest, model_mb=size)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        measured = measure_all_pairs(source, problem, columns_share=self.columns_share)  # line 1
        problem.report(Progress(stage="fit", done=1.0, fact=f"fitting {number_of(len(measured), 'table')}"))
        evidence = evidence_of(measured, source, problem)
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)  # line 2
