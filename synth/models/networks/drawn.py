"""Records that a network draws, made into a table: possible ones, with columns as they were measured.

What networks trained on private gradients have in common: they know their columns less well than the noisy
counts do, and no cell that cannot be.

  1. records, some at a time; those in a cell that cannot be are drawn again, a few times over
  2. those that are still in one are moved out of it (`repair`)
  3. records are weighed until every column is as it was measured, and drawn by weight
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.networks.layers import Base
from synth.core.numbers import number_of, per_cent
from synth.core.options import option
from synth.core.progress import UNSAVED, Checkpoint, Progress, Reporter, silent
from synth.core.system.device import AUTO
from synth.models.base import Generator
from synth.models.coarse import coarsening_of
from synth.models.estimates.columns import one_ways
from synth.models.records.record_table import FEWEST, MOST, RecordTable
from synth.models.repair import repaired

DRAWS = 8
"""Times that records in an impossible cell are drawn again before they are moved."""

HEAVIEST, SWEEPS = 8.0, 20

Codes = NDArray[np.int64]
Draw = Callable[[int], Iterator[Codes]]
"""So many records, some at a time. Shapes: int64[some rows, columns]."""


@dataclass(frozen=True, kw_only=True)
class Drawn(Generator):
    """Base of the generators whose network was trained on private gradients: how many records are made.

    `stream` numbers the random stream; `per_code` are seconds per record and code of any column on one core.
    """

    stream: ClassVar[int]
    per_code: ClassVar[float]

    records: int = option(
        0,
        label="Records",
        help="Records that are made; 0 is one for each record, at most 100,000.",
        low=0,
        high=MOST,
    )

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """From few records to many: the number of records is private."""
        work = sum(domain.sizes) * self.per_code
        return 0.1 + work * (self.records or FEWEST), 1 + 4 * work * (self.records or MOST)

    def fit(
        self,
        evidence: Evidence,
        *,
        start: Model | None = None,
        seed: int = 0,
        device: str = AUTO,
        report: Reporter = silent,
        checkpoint: Checkpoint = UNSAVED,
    ) -> RecordTable:
        """On one core. ValueError if a column was measured in two different sets of groups, or the zeros
        leave no record."""
        rng = np.random.default_rng([seed, self.stream])
        return table_drawn(evidence, self.draws(evidence, rng), records=self.records, rng=rng, report=report)

    @abstractmethod
    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        """Return the function that draws records from the network of the last training answer."""


def table_drawn(
    evidence: Evidence, draw: Draw, *, records: int, rng: np.random.Generator, report: Reporter
) -> RecordTable:
    """A table of so many records; of 0, as many as there are, within limits. ValueError if a column was
    measured in two different sets of groups, or the zeros leave no record."""
    columns = one_ways(evidence)
    count = records or min(MOST, max(FEWEST, round(evidence.total)))
    made: list[Codes] = []
    for some in draw(count):  # line 1
        made.append(_possible(some, evidence, draw))
        done = sum(map(len, made)) / count
        report(
            Progress(stage="fit", done=done, fact=f"made {per_cent(done)} of {number_of(count, 'record')}")
        )
    known = [columns[name].counts for name in evidence.domain.names]
    codes, _ = repaired(np.concatenate(made), evidence.domain, evidence.zeros, known, rng)  # line 2
    codes = codes[weighed(codes, known, rng)]  # line 3
    return RecordTable(coarsening_of(evidence, columns), evidence.total, codes, True)


def base_of(evidence: Evidence) -> Base:
    """What is known of every column by itself, in whole numbers above 0."""
    columns = one_ways(evidence)
    return tuple(
        tuple(np.maximum(np.rint(columns[name].counts), 1).astype(np.int64).tolist())
        for name in evidence.domain.names
    )


def weighed(
    codes: NDArray[np.int64], columns: Sequence[NDArray[np.float64]], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Which records to take, as many as there are: by weights under which each column is as these counts say,
    as far as that goes with weights between 1/HEAVIEST and HEAVIEST. Shapes: intp[records].

    Iterative proportional fitting (Deming and Stephan 1940), then systematic draws at equal distances.
    """
    weights = np.ones(len(codes))
    for _ in range(SWEEPS):
        for column, counts in zip(codes.T, columns, strict=True):
            now = np.bincount(column, weights=weights, minlength=len(counts))
            wanted = np.maximum(counts, 0.0) * (len(codes) / max(float(counts.sum()), 1e-9))
            ratio = np.divide(wanted, now, out=np.ones_like(now), where=now > 0)
            weights = np.clip(weights * ratio[column], 1 / HEAVIEST, HEAVIEST)
    ends = np.cumsum(weights)
    places = (np.arange(len(codes)) + rng.random()) * (ends[-1] / max(len(codes), 1))
    taken = np.minimum(np.searchsorted(ends, places, side="right"), len(codes) - 1)
    return np.asarray(taken, dtype=np.intp)


def _possible(codes: Codes, evidence: Evidence, draw: Draw) -> Codes:
    """Records of which those that break a zero were drawn again; the last ones may break it still."""
    for _ in range(DRAWS if evidence.zeros else 0):
        broken = np.flatnonzero(_is_broken(codes, evidence))
        if not broken.size:
            break
        codes[broken] = np.concatenate([*draw(len(broken))])
    return codes


def _is_broken(codes: Codes, evidence: Evidence) -> NDArray[np.bool_]:
    domain, is_broken = evidence.domain, np.zeros(len(codes), dtype=bool)
    for zero in evidence.zeros:
        is_broken |= zero.forbidden[tuple(codes[:, i] for i in domain.axes(zero.clique))]
    return is_broken
