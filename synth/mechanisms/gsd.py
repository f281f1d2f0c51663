"""Private-GSD: all pairs measured once, and records bred until they are near the answers.

Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023.

Pseudo-code (the numbers stand again in `run`)
  1. columns first, then every pair of the workload, in coarse codes where cells would fall below the noise
     (`mechanisms.all_pairs`)
  2. breed records until all tables are near (`models.records.gsd`)

Differs from the paper in, because it has to: (a) counts are asked, not shares of the secret number of
records, and that number is what the answers say; (b) neither noise nor search has a fixed seed; (c) codes are
declared or bought, where the authors' code takes them from the private table. By choice: (d) pairs are priced
by what they may gain, where the paper pays alike for all, and their codes follow from noisy columns, where
the benchmark counts every number in five nested sets of even bins and pays for all of them; (e) the adaptive
mode, round after round, is not built: the paper's one-shot form is the one that the benchmark ran; (f) line
2, see `models.records.gsd`.
Privacy: line 1 is `measure` throughout, under the law of Gaussian answers; line 2 is post-processing. The
queries follow from public sizes and noisy columns.
Cost: some 140 ns per record, generation, and column of each table. Adult 24 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from synth.core.domain import Domain
from synth.mechanisms.shared.all_pairs import AllPairs
from synth.mechanisms.shared.base import Occasion, Purpose
from synth.models.records.record_table import MOST


@dataclass(frozen=True, kw_only=True)
class PrivateGSD(AllPairs):
    """The share for columns is for users who know the purpose of the table.

    The search has its own options.
    """

    name: ClassVar[str] = "gsd"
    title: ClassVar[str] = "Private-GSD"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = "Measures every pair at once, then breeds records until all of them are near."
    paper: ClassVar[str] = (
        "Liu, Tang, Vietri, Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023"
    )
    suits: ClassVar[str] = "Up to about 20 columns that all depend on each other, at larger budgets."
    avoid: ClassVar[str] = "Wide tables, and small budgets: every pair is measured, whether related or not."
    generator: ClassVar[str] = "gsd"
    fitting: ClassVar[str] = "breeding records near"

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 1 or occasion.columns > 20

    def cells(self, domain: Domain) -> float:
        """The records and the tables."""
        return MOST * len(domain) + sum(math.prod(pair) for pair in combinations(domain.sizes, 2))
