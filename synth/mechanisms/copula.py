"""Copula: every pair is measured once, and records of a Gaussian copula are swapped towards all of them.

Pseudo-code (the numbers stand again in `run`)
  1. columns first, then every pair of the workload at one price (`mechanisms.all_pairs`)
  2. fit a Gaussian copula, remove the noise around it, draw its records and swap them towards the likely
     tables (`generate.copula`)

Descends from PrivPGD (Donhauser et al. 2024), whose good idea is to measure all pairs without a junction tree
and to let neighbouring codes help each other. Differs from it in: (a) the geometry is a Wiener filter in
closed form and not a transport distance, so that no particle has to be moved; (b) columns are measured by
themselves too, and pairs in coarse codes where their cells would fall below the noise.
Privacy: line 1 is `measure` throughout, under the law of Gaussian answers; line 2 is post-processing. What is
asked follows from public sizes and noisy columns.
Cost: a millisecond per pair of 32 codes each, and the swaps.
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
from synth.models.copula.copula import CopulaRecords
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class CopulaOfAllPairs(Mechanism):
    """The columns' share is for who knows what the table is for."""

    name: ClassVar[str] = "copula"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "Copula of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and lets neighbouring values share what is known."
    paper: ClassVar[str] = "Our own, after PrivPGD; in no paper yet"
    suits: ClassVar[str] = "Wide tables of numbers and other ordered columns that are all related."
    avoid: ClassVar[str] = (
        "Tables of unordered columns, or in which most columns have nothing to do with each other."
    )
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = math.inf
    generator: ClassVar[str] = "copula"
    joins: ClassVar[bool] = False

    columns_share: float = decided_columns_share()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share or likely_share(prospect)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """The fit takes the time."""
        fastest, slowest = CopulaRecords().seconds(domain)
        cells = (sum(domain.sizes) ** 2 - sum(n * n for n in domain.sizes)) / 2
        return Outlook(
            fastest=fastest,
            slowest=slowest,
            model_mb=cells / CELLS_PER_MB,
        )

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        share = self.columns_share
        measured = measure_all_pairs(source, problem, columns_share=share, evenly=True)  # line 1
        problem.report(Progress(stage="fit", done=1.0, fact=f"fitting {number_of(len(measured), 'table')}"))
        evidence = evidence_of(measured, source, problem)
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)  # line 2
