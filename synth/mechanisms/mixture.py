"""Mixture: measure every pair once, and fit a mixture of products to all measurements.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure columns, and then every pair of the workload, in coarser codes if cells would be below the noise
     (`mechanisms.all_pairs`).
  2. Fit a mixture of products to all measurements at once (`mixture.mixture_fit`), draw records from it, and
     swap their values towards its tables.

The method is based on MargNet, whose generator models such a mixture, and on the Gaussian baseline of AIM,
which measures a workload without selection. In that baseline, one graphical model has to contain all measured
marginals. Here, the marginals do not have to fit into cliques, so all pairs can be measured even in tables
with hundreds of columns. Our own parts are the privacy costs, which depend on size and shrinkage, the coarser
codes, and the fit.

Privacy: line 1 uses only `measure`, with Gaussian noise and Gaussian accounting. Line 2 is post-processing.
The queries depend only on public sizes and noisy columns. Cost: a step of the fit takes 3 K D^2 operations
for D codes in total and K components. This is 11 ms for 50 columns of 20 codes and 0.4 s for 400 columns. The
fit needs 2 D^2 bytes of memory, and the measurements, which are stored as 64-bit numbers, another 8 D^2
bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from synth.core.domain import Domain
from synth.mechanisms.shared.all_pairs import AllPairs
from synth.mechanisms.shared.base import Occasion, Purpose

FEW_COLUMNS = 20
"""Number of columns up to which scoring the pairs first is more accurate, because most pairs are too weakly
related to be measured.
"""


@dataclass(frozen=True, kw_only=True)
class MixtureOfAllPairs(AllPairs):
    """Hyper-parameters of the mixture method. The share of the columns rarely needs to be changed."""

    name: ClassVar[str] = "mixture"
    title: ClassVar[str] = "Mixture of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and fits a mixture of products to all of them."
    paper: ClassVar[str] = "Our own, based on the generator of MargNet, not yet published"
    suits: ClassVar[str] = "Wide tables of up to 400 columns that are all related to each other."
    avoid: ClassVar[str] = (
        "Tables in which most columns are unrelated, and chains of local relations. Grove scores the "
        "pairs first and spends its budget on the related ones."
    )
    generator: ClassVar[str] = "mixture"

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2 or occasion.columns <= FEW_COLUMNS

    def cells(self, domain: Domain) -> float:
        codes = sum(domain.sizes)
        return codes**2 + 250 * codes
