"""Records by a network that was trained to undo a blur: the generator that follows private training.

Source: Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion Models, ICML
2023; what the network is, and how records are made, is told in `denoiser`.

  1. the network of the last training answer; without one, a network that says nothing
  2. records from codes drawn from its base, sharpened step by step
  3. those in a cell that cannot be are drawn again, and then moved out of it
  4. records are weighed until every column is as it was measured, and drawn by weight (`drawn`, as line 3)

Differs from the paper in: line 3, where it knows no such cells; line 4, as clipped gradients are not those of
the loss, and a network taught by them misses the columns that are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.networks.denoiser import Denoiser
from synth.core.options import option
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.system.device import AUTO
from synth.models.base import Generator
from synth.models.networks.drawn import base_of, table_drawn
from synth.models.records.record_table import FEWEST, MOST, RecordTable

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
    trains: ClassVar[str] = Denoiser.name

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
        net, weights = network_of(evidence)  # line 1
        rng = np.random.default_rng([seed, 9])

        def draw(rows: int) -> Iterator[NDArray[np.int64]]:
            return net.records(weights, rows, rng)

        return table_drawn(evidence, draw, records=self.records, rng=rng, report=report)  # lines 2 to 4


def network_of(evidence: Evidence) -> tuple[Denoiser, NDArray[np.float32]]:
    """The network that was trained, or one that draws every column by itself."""
    for last in reversed(evidence.trained):
        if last.state.size and isinstance(last.net, Denoiser):
            return last.net, last.weights
    net = Denoiser(evidence.domain.sizes, base_of(evidence), hidden=1, layers=1, times=TIMES)
    return net, np.zeros(net.parameters, dtype=np.float32)
