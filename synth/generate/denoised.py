"""Records by a network that was trained to undo a blur: the generator that follows private training.

Source: Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion Models, ICML
2023; what the network is, and how records are made, is told in `denoiser`.

  1. the network of the last training answer; without one, a network that says nothing
  2. records from codes drawn from its base, sharpened step by step
  3. those in a cell that cannot be are drawn again, a few times over, and then moved out of it (`repair`)
  4. records are weighed until every column is as it was measured, and drawn by weight

Differs from the paper in: line 3, where it knows no such cells; line 4, as clipped gradients are not those of
the loss, and a network taught by them misses the columns that are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.answers import Trained
from synth.denoiser import Denoiser
from synth.device import AUTO
from synth.domain import Domain
from synth.evidence import Evidence
from synth.generate.base import Generator
from synth.generate.coarse import coarsening_of
from synth.generate.columns import one_ways
from synth.generate.record_table import FEWEST, MOST, RecordTable
from synth.generate.repair import repaired
from synth.model import Model
from synth.options import option
from synth.progress import UNSAVED, Checkpoint, Progress, Reporter, silent

DRAWS = 8
"""Times that records in a cell that cannot be are drawn anew before they are moved."""

HEAVIEST, SWEEPS = 8.0, 20

SECONDS = 2e-8
"""Per record, code of any column and time, on one core."""

TIMES = 24
"""Times of the blur of a network that nobody trained, and by which seconds are told."""


@dataclass(frozen=True, kw_only=True)
class Denoised(Generator):
    """How many records are made."""

    name: ClassVar[str] = "denoised"
    title: ClassVar[str] = "Denoising network"
    summary: ClassVar[str] = "Records by a network that was trained on private gradients to undo a blur."
    trains: ClassVar[bool] = True

    records: int = option(
        0,
        label="Records",
        help="Records that are made; 0 is one for each record, at most 100,000.",
        low=0,
        high=MOST,
    )

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """From few records to many: how many there are is private."""
        work = sum(domain.sizes) * TIMES * SECONDS
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
        columns, rng = one_ways(evidence), np.random.default_rng([seed, 9])
        net, weights = network_of(evidence)  # line 1
        count = self.records or min(MOST, max(FEWEST, round(evidence.total)))
        made: list[NDArray[np.int64]] = []
        for some in net.records(weights, count, rng):  # line 2
            made.append(_possible(some, evidence, net, weights, rng))
            done = sum(map(len, made)) / count
            report(Progress(stage="fit", done=done, fact=f"made {done:.0%} of {count} records"))
        known = [columns[name].counts for name in evidence.domain.names]
        codes, _ = repaired(np.concatenate(made), evidence.domain, evidence.zeros, known, rng)
        codes = codes[weighed(codes, known, rng)]  # line 4
        return RecordTable(coarsening_of(evidence, columns), evidence.total, codes, True)


def network_of(evidence: Evidence) -> tuple[Denoiser, NDArray[np.float32]]:
    """The network that was trained, or one that draws every column by itself."""
    last: Trained | None = next((a for a in reversed(evidence.trained) if a.state.size), None)
    if last is not None:
        return last.net, last.weights
    net = Denoiser(evidence.domain.sizes, base_of(evidence), hidden=1, layers=1, times=TIMES)
    return net, np.zeros(net.parameters, dtype=np.float32)


def base_of(evidence: Evidence) -> tuple[tuple[int, ...], ...]:
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


def _possible(
    codes: NDArray[np.int64],
    evidence: Evidence,
    net: Denoiser,
    weights: NDArray[np.float32],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Records of which those that break a zero were drawn again; the last ones may break it still."""
    for _ in range(DRAWS if evidence.zeros else 0):
        broken = np.flatnonzero(_is_broken(codes, evidence))
        if not broken.size:
            break
        codes[broken] = np.concatenate([*net.records(weights, len(broken), rng)])
    return codes


def _is_broken(codes: NDArray[np.int64], evidence: Evidence) -> NDArray[np.bool_]:
    domain, is_broken = evidence.domain, np.zeros(len(codes), dtype=bool)
    for zero in evidence.zeros:
        is_broken |= zero.forbidden[tuple(codes[:, i] for i in domain.axes(zero.clique))]
    return is_broken
