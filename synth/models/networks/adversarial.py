"""Records by the generator network of a GAN whose critic was trained in private.

Source: Xu, Skoularidou, Cuesta-Infante, Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
2019 (CTGAN); what the networks are is told in `forger` and `critic`.

  1. the generator of the last training answer, taught once more by the critic of that answer; without an
     answer, a generator that knows the columns alone
  2. records from chance and conditions that the columns give
  3. those in a cell that cannot be are drawn again, and then moved out of it
  4. records are weighed until every column is as it was measured, and drawn by weight (`drawn`, as line 3)

Differs from the paper in: line 3, where it knows no such cells; line 4, as a generator follows its critic and
loses sight of the columns that are known.
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
from synth.core.networks.critic import Critic
from synth.core.networks.forger import Forger
from synth.core.options import option
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.system.device import AUTO
from synth.models.base import Generator
from synth.models.networks.drawn import base_of, table_drawn
from synth.models.records.record_table import FEWEST, MOST, RecordTable

SECONDS = 2e-7
"""Per record and code of any column, on one core."""


@dataclass(frozen=True, kw_only=True)
class Adversarial(Generator):
    """How many records are made."""

    name: ClassVar[str] = "adversarial"
    title: ClassVar[str] = "Adversarial network"
    summary: ClassVar[str] = "Records by a network that was taught by a critic trained on private gradients."
    trains: ClassVar[str] = Critic.name

    records: int = option(
        0,
        label="Records",
        help="Records that are made; 0 is one for each record, at most 100,000.",
        low=0,
        high=MOST,
    )

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """From few records to many: how many there are is private."""
        work = sum(domain.sizes) * SECONDS
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
        critic = critic_of(evidence)  # line 1
        rng = np.random.default_rng([seed, 10])

        def draw(rows: int) -> Iterator[NDArray[np.int64]]:
            return critic.forger.records(critic.making, rows, rng)

        return table_drawn(evidence, draw, records=self.records, rng=rng, report=report)  # lines 2 to 4


def critic_of(evidence: Evidence) -> Critic:
    """The critic of the last training answer with the generator that it taught, or one that was taught
    nothing."""
    for last in reversed(evidence.trained):
        if last.state.size and isinstance(last.net, Critic):
            return last.net.answered(last.weights)
    sizes, base = evidence.domain.sizes, base_of(evidence)
    made_by = Forger(sizes, base, 1, 1).start(np.random.default_rng(0)).astype("<f4").tobytes()
    return Critic(
        sizes, base, hidden=1, latent=1, width=1, made=1, lessons=0, lesson=0.0, seed=0, made_by=made_by
    )
