"""Measure the noisy mean embedding of a table: sums of random Fourier features over its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.errors import Code, Refusal
from synth.private.counting.rows import wave_sums
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, NumbersQuery, label_codes
from synth.private.terms import Terms

TURN = 1 << 16
"""Number of steps in a full turn. Frequencies and phases are whole numbers of steps."""

SCALE = 1 << 14
"""Amplitude of a wave. Features are integer multiples of 1/SCALE."""

MOST_FREQUENCIES = 10_000


@dataclass(frozen=True)
class Embedding(CliqueQuery, NumbersQuery):
    """The sums of (cos, sin)(2 pi phase / TURN) over all rows.

    A row's phase is the sum of code times frequency over the columns. With a `label`, which is one of the
    columns, the sums are computed separately for each of its codes.

    Shapes: `frequencies` are tuples with one number from 0 to TURN - 1 per column of the clique (0 for the
    label). The answer's `values` are int64[codes of the label or 1, frequencies, 2], in units of 1/SCALE.

    Privacy: the Gaussian mechanism on a lattice. A feature is a pair of integers, SCALE (cos, sin) rounded
    towards zero. So the F pairs of one row have a length of at most SCALE sqrt(F) for any codes, and they all
    belong to one code of the label (or to none, if a code is outside the domain). Adding or removing a unit
    of k rows changes the sums by at most k SCALE sqrt(F), by the triangle inequality. Replacing a unit
    changes them by at most twice as much: unlike the counts of a histogram, features can be negative, so the
    removed rows and the added rows may point in opposite directions. In short, the change is at most l1 SCALE
    sqrt(F), and each number gets independent integer noise with sigma^2 = (l1 SCALE)^2 F / (2 rho).
    Frequencies are public, because they are drawn before any row is read.
    """

    clique: Clique
    frequencies: tuple[tuple[int, ...], ...]
    label: str = ""
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "embedding"
    fact_fields: ClassVar[tuple[str, ...]] = ("clique", "label", "frequencies")
    scale: ClassVar[int] = SCALE
    words: ClassVar[tuple[str, str]] = ("mean embedding", "mean embeddings")

    def fits(self, domain: Domain) -> bool:
        if self.coarse(domain) is None or (self.label and self.label not in self.clique):
            return False
        return 0 < len(self.frequencies) <= MOST_FREQUENCIES and all(
            len(steps) == len(self.clique) and all(type(n) is int and 0 <= n < TURN for n in steps)
            for steps in self.frequencies
        )

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {**super().own_facts(terms), "turn": TURN}

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values. `domain`: the codes before grouping."""
        return (label_codes(self.label, domain, self.groups), len(self.frequencies), 2)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        return wave_sums(
            *tables.columns(self.clique, self.groups),
            frequencies=np.array(self.frequencies, dtype=np.uint16),
            wave=wave(),
            by=self.clique.index(self.label) if self.label else None,
        )

    def l2_squared(self, terms: Terms) -> int:
        """Return the largest squared change, in units of 1/SCALE squared."""
        return len(self.frequencies) * (SCALE * terms.l1) ** 2


@lru_cache(maxsize=1)
def wave() -> NDArray[np.int16]:
    """Return SCALE (cos, sin) of each phase, rounded towards zero. Shapes: int16[TURN, 2], read-only.

    Raises: `Refusal` if the floats of this machine would round a value to more than SCALE.
    """
    angles = np.arange(TURN) * (2 * np.pi / TURN)
    made: NDArray[np.int16] = np.trunc(SCALE * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(
        np.int16
    )
    if np.square(made, dtype=np.int64).sum(axis=1).max() > SCALE**2:
        raise Refusal(Code.INTERNAL)
    made.setflags(write=False)
    return made
