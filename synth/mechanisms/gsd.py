"""Private-GSD: measure all pairs once, and evolve records until they are near the measurements.

Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023.

Pseudo-code (`run` has the same numbers)
  1. measure columns, then every pair of the workload, in coarse codes if cells would fall below the noise
     (`mechanisms.all_pairs`)
  2. evolve records until all their tables are near the measurements (`models.records.gsd`)

Necessary differences from the paper: (a) counts are measured, not shares of the secret number of records,
which is estimated from the measurements; (b) neither noise nor search has a fixed seed; (c) codes are
declared or estimated with budget, while the authors' code takes them from the private table. Differences by
choice: (d) the privacy cost of a pair depends on the accuracy it can add, and its codes follow from noisy
columns. In the paper, all pairs have the same cost, and the benchmark counts every number in five nested sets
of equal bins, all of which use budget; (e) the adaptive mode with several rounds is not implemented, because
the benchmark ran the paper's one-shot form; (f) for line 2, see `models.records.gsd`. Privacy: line 1 uses
`measure` only, with Gaussian noise and its accounting. Line 2 is post-processing. The queries follow from
public sizes and noisy columns. Cost: about 140 ns per record, generation, and column of each table. Adult
takes 24 s.
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
    """Hyper-parameters of Private-GSD. Set the share for columns only if you know the purpose of the table.
    The search has its own options.
    """

    name: ClassVar[str] = "gsd"
    title: ClassVar[str] = "Private-GSD"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Measures every pair at once, then improves records by a genetic search until they are near the "
        "measurements."
    )
    paper: ClassVar[str] = (
        "Liu, Tang, Vietri, Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023"
    )
    suits: ClassVar[str] = (
        "Tables of up to about 20 columns that all depend on each other, at larger budgets."
    )
    avoid: ClassVar[str] = (
        "Wide tables and small budgets, because unrelated pairs cost as much as related ones."
    )
    generator: ClassVar[str] = "gsd"
    fitting: ClassVar[str] = "evolving records near"

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 1 or occasion.columns > 20

    def cells(self, domain: Domain) -> float:
        """Return the number of cells of the records and the tables."""
        return MOST * len(domain) + sum(math.prod(pair) for pair in combinations(domain.sizes, 2))
