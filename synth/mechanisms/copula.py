"""Copula: every pair is measured once, and records of a Gaussian copula are swapped towards all of them.

Pseudo-code (the numbers stand again in `run`)
  1. columns first, then every pair of the workload at one price (`mechanisms.all_pairs`)
  2. fit a Gaussian copula, remove the noise around it, draw its records and swap them towards the likely
     tables (`models.copula`)

Descends from PrivPGD (Donhauser et al. 2024), whose good idea is to measure all pairs without a junction tree
and to let neighbouring codes help each other. Differs from it in: (a) the geometry is a Wiener filter in
closed form and not a transport distance, so that no particle has to be moved; (b) columns are measured by
themselves too, and pairs in coarse codes where their cells would fall below the noise.
Privacy: line 1 is `measure` throughout, under the law of Gaussian answers; line 2 is post-processing. The
queries follow from public sizes and noisy columns.
Cost: a millisecond per pair of 32 codes each, and the swaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from synth.core.domain import Domain
from synth.mechanisms.shared.all_pairs import AllPairs
from synth.mechanisms.shared.base import Purpose


@dataclass(frozen=True, kw_only=True)
class CopulaOfAllPairs(AllPairs):
    """The share for columns is for users who know the purpose of the table."""

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Copula of all pairs"
    purpose: ClassVar[Purpose] = Purpose.WIDE
    summary: ClassVar[str] = "Measures every pair at once and lets neighbouring values share what is known."
    paper: ClassVar[str] = "Our own, after PrivPGD; in no paper yet"
    suits: ClassVar[str] = "Wide tables of numbers and other ordered columns that are all related."
    avoid: ClassVar[str] = (
        "Tables of unordered columns, or in which most columns have nothing to do with each other."
    )
    generator: ClassVar[str] = "copula"
    evenly: ClassVar[bool] = True

    def cells(self, domain: Domain) -> float:
        return (sum(domain.sizes) ** 2 - sum(n * n for n in domain.sizes)) / 2
