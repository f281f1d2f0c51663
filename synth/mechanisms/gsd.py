"""Private-GSD: measure all pairs once, and evolve records until they are near the measurements.

Source: Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure columns, and then every pair of the workload, in coarser codes if cells would be below the noise
     (`mechanisms.all_pairs`).
  2. Evolve records until all their tables are near the measurements (`models.records.gsd`).

Necessary differences from the paper:

- Counts are measured instead of shares of the secret number of records. This number is estimated from the
  measurements.
- Neither the noise nor the search has a fixed seed.
- Codes are declared or estimated with budget, whereas the authors' code takes them from the private table.

Other differences:

- The privacy cost of a pair depends on the accuracy that it can add, and its codes depend on noisy columns.
  In the paper, all pairs have the same cost. The benchmark counts every number in five nested sets of equal
  bins, all of which use budget.
- The adaptive mode with several rounds is not implemented, because the benchmark ran the one-shot form of the
  paper.
- For differences in line 2, see `models.records.gsd`.

Privacy: line 1 uses only `measure`, with Gaussian noise and Gaussian accounting. Line 2 is post-processing.
The queries depend only on public sizes and noisy columns. Cost: about 140 ns per record, generation, and
column of each table. Adult takes 24 s.
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
    """Hyper-parameters of Private-GSD. The share of the columns rarely needs to be changed. The search has
    separate options.
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
        """Return the number of cells of the records and of the tables."""
        return MOST * len(domain) + sum(math.prod(pair) for pair in combinations(domain.sizes, 2))
