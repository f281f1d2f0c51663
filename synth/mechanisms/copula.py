"""Copula: measure every pair once, and swap the records of a Gaussian copula towards all measurements.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure columns, and then every pair of the workload at the same privacy cost (`mechanisms.all_pairs`).
  2. Fit a Gaussian copula, denoise the residuals, draw records from it, and swap their values towards the
     likely tables (`models.copula`).

The method is based on PrivPGD (Donhauser et al. 2024), which measures all pairs without a junction tree and
uses the similarity of neighbouring codes.

Differences from PrivPGD:

- A Wiener filter in closed form replaces the transport distance, so that no particles have to be moved.
- Columns are also measured separately, and pairs are measured in coarser codes if their cells would be below
  the noise.

Privacy: line 1 uses only `measure`, with Gaussian noise and Gaussian accounting. Line 2 is post-processing.
The queries depend only on public sizes and noisy columns. Cost: one millisecond for each pair of columns with
32 codes each, plus the time of the swaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from synth.core.domain import Domain
from synth.mechanisms.shared.all_pairs import AllPairs
from synth.mechanisms.shared.base import Purpose


@dataclass(frozen=True, kw_only=True)
class CopulaOfAllPairs(AllPairs):
    """Hyper-parameters of the copula method. The share of the columns rarely needs to be changed."""

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Copula of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and smooths the noise over neighbouring values."
    paper: ClassVar[str] = "Our own, based on PrivPGD, not yet published"
    suits: ClassVar[str] = "Wide tables of ordered columns, such as numbers, that are all related."
    avoid: ClassVar[str] = "Tables of unordered columns, or tables in which most columns are unrelated."
    generator: ClassVar[str] = "copula"
    evenly: ClassVar[bool] = True

    def cells(self, domain: Domain) -> float:
        return (sum(domain.sizes) ** 2 - sum(n * n for n in domain.sizes)) / 2
