"""Copula: measure every pair once, and swap the records of a Gaussian copula towards all of them.

Pseudo-code (`run` has the same numbers)
  1. measure columns first, then every pair of the workload at the same privacy cost (`mechanisms.all_pairs`)
  2. fit a Gaussian copula, remove the noise around it, draw records from it and swap them towards the likely
     tables (`models.copula`)

Based on PrivPGD (Donhauser et al. 2024), which measures all pairs without a junction tree and uses the
similarity of neighbouring codes. Differs from it in: (a) a Wiener filter in closed form replaces the
transport distance, so that no particles have to be moved; (b) columns are also measured separately, and pairs
are measured in coarse codes if their cells would fall below the noise. Privacy: line 1 uses `measure` only,
with Gaussian noise and its accounting. Line 2 is post-processing. The queries follow from public sizes and
noisy columns. Cost: one millisecond for each pair of columns with 32 codes each, plus the swaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from synth.core.domain import Domain
from synth.mechanisms.shared.all_pairs import AllPairs
from synth.mechanisms.shared.base import Purpose


@dataclass(frozen=True, kw_only=True)
class CopulaOfAllPairs(AllPairs):
    """Hyper-parameters of the copula method. Set the share for columns only if you know the purpose of the
    table.
    """

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Copula of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and smooths the noise over neighbouring values."
    paper: ClassVar[str] = "Our own, after PrivPGD, not in a paper yet"
    suits: ClassVar[str] = "Wide tables of numbers and other ordered columns that are all related."
    avoid: ClassVar[str] = "Tables of unordered columns, or tables in which most columns are unrelated."
    generator: ClassVar[str] = "copula"
    evenly: ClassVar[bool] = True

    def cells(self, domain: Domain) -> float:
        return (sum(domain.sizes) ** 2 - sum(n * n for n in domain.sizes)) / 2
