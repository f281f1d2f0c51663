"""Define the evidence, which contains all results of a run. All of them can be published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.measurements.joined import tables_of
from synth.core.measurements.noisy import Answer, Choice, Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.zeros import Zero

COMPARISON = "comparison"
"""The part of a run whose measurements are used to compare models (hold-out)."""

SHARES = "shares"
"""The part of a run whose measurements determine target proportions."""

VERDICT = "verdict"
"""The part of a run whose measurements compare the finished synthetic rows with the private table."""

MEANS = "means"
"""The part of a run whose measurements are used for means and regressions (`measurements.moments`)."""

FIT = "fit"
"""The part of a run that only counts cells that do not fit the declaration."""

_APART = (COMPARISON, SHARES, VERDICT, MEANS, FIT)
"""The parts of a run whose measurements are not used to fit a model."""


MOST_PLAIN = 2
"""Number of columns up to which a table is never a tiling."""


MOST_ROWS = 50_000
"""Maximum number of rows of a starting table that are used. More rows would add little precision compared
with the noise.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Start:
    """The rows of a public table, in the codes of a codebook. They have no privacy protection.

    `source` is the origin of the table as stated by the steward, and `digest` is the SHA-256 digest of its
    file. Shapes: `codes` int64[rows, columns]. Raises: ValueError if there are no rows.
    """

    codes: NDArray[np.int64]
    source: str
    digest: str

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or not len(self.codes):
            raise ValueError("a starting table needs at least one row")


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Noisy measurements in the codes of a codebook: the only input to a model.

    `total` is the number of rows, which is either public in the schema or estimated from the measurements.
    `start` is the public table that the run started from, if any.
    """

    codebook: Codebook
    answers: tuple[Answer, ...]
    total: float
    start: Start | None = None

    @property
    def domain(self) -> Domain:
        return self.codebook.domain

    @cached_property
    def total_sd(self) -> float:
        """Return the standard deviation of `total`, which is 0 if `total` is public.

        The estimate is an average of the totals of the tables, weighted by inverse variance.
        """
        if self.codebook.schema.rows_public is not None:
            return 0.0
        tables = [m for m in self._tables if m.part not in _APART]
        precision = float(sum(1 / (m.variance * m.counts.size) for m in tables))
        return precision**-0.5 if precision else 0.0

    @property
    def zeros(self) -> tuple[Zero, ...]:
        return self.codebook.zeros

    @property
    def ordered(self) -> Mapping[str, int]:
        return self.codebook.ordered

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """Return the tables to which a model is fitted.

        Each column has the same codes, or the same groups, in all of them.

        A measured interaction is replaced by the complete table that is computed from it and from the other
        measurements (`measurements.joined`).
        """
        tilings = {id(m) for m in self.tilings}
        return tuple(m for m in self._fitted if id(m) not in tilings)

    @cached_property
    def tilings(self) -> tuple[Measurement, ...]:
        """Return tables of three or more columns that have other groups for a column than the other tables.

        They can be used to weight the rows of a model. No model is fitted to them and no bound uses them, so
        only a mechanism that declares `Mechanism.tiles` may measure them.
        """
        cuts: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        for name, group_of in (item for m in self._fitted for item in m.groups.items()):
            cuts[name].add(group_of)
        large = (m for m in self._fitted if len(m.clique) > MOST_PLAIN and not m.joined)
        return tuple(m for m in large if any(len(cuts[name]) > 1 for name in m.groups))

    @cached_property
    def held_back(self) -> tuple[Measurement, ...]:
        """Return the hold-out tables. No model is fitted to them, so they can be used to compare models."""
        return tuple(m for m in self._tables if m.part == COMPARISON)

    @cached_property
    def shares(self) -> tuple[Measurement, ...]:
        """Return the tables of target proportions (`synth.rules.shares`). No model is fitted to them."""
        return tuple(m for m in self._tables if m.part == SHARES)

    @cached_property
    def fit(self) -> tuple[Measurement, ...]:
        """Return the measurements that only count cells that do not fit. No model is fitted to them."""
        return tuple(m for m in self._tables if m.part == FIT)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return tuple(a for a in self.answers if isinstance(a, Choice))

    @cached_property
    def scores(self) -> tuple[NoisyScores, ...]:
        return tuple(a for a in self.answers if isinstance(a, NoisyScores) and a.part != VERDICT)

    @cached_property
    def numbers(self) -> tuple[NoisyNumbers, ...]:
        return tuple(a for a in self.answers if isinstance(a, NoisyNumbers) and a.part != VERDICT)

    @cached_property
    def verdict(self) -> tuple[NoisyScores | NoisyNumbers, ...]:
        """Return the results of queries about the finished rows (`release.verdict`).

        No model is fitted to them.
        """
        kinds = NoisyScores | NoisyNumbers
        return tuple(a for a in self.answers if isinstance(a, kinds) and a.part == VERDICT)

    @cached_property
    def trained(self) -> tuple[Trained, ...]:
        """Return the results of the blocks of a training, in order. The last block contains the network."""
        return tuple(a for a in self.answers if isinstance(a, Trained))

    def untiled(self) -> Evidence:
        """Return the same evidence, without the tilings."""
        tilings = {id(m) for m in self.tilings}
        return replace(self, answers=tuple(a for a in self.answers if id(a) not in tilings))

    def joined(self, answers: Iterable[Answer]) -> Evidence:
        """Return the same evidence with additional measurements and the same `total`."""
        return replace(self, answers=(*self.answers, *answers))

    @cached_property
    def _fitted(self) -> tuple[Measurement, ...]:
        return tuple(tables_of((a for a in self.answers if a.part not in _APART), self.total))

    @property
    def _tables(self) -> Iterable[Measurement]:
        return (a for a in self.answers if isinstance(a, Measurement))
