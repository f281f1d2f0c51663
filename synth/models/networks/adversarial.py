"""Records by the generator network of a GAN whose critic was trained in private.

Source: Xu, Skoularidou, Cuesta-Infante, Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
2019 (CTGAN); `forger` and `critic` describe the networks.

  1. the generator of the last training answer, taught once more by the critic of that answer; without an
     answer, a generator that knows the columns alone
  2. records from chance and conditions that the columns give
  3. those in a cell that cannot be are drawn again, and then moved out of it
  4. records are weighed until every column is as it was measured, and drawn by weight (`drawn`, as line 3)

Differs from the paper in: line 3, where it knows no such cells; line 4, as a generator follows its critic and
loses sight of the columns that are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.evidence import Evidence
from synth.core.networks.critic import Critic
from synth.core.networks.forger import Forger
from synth.models.networks.drawn import Draw, Drawn, base_of

SECONDS = 2e-7
"""Per record and code of any column, on one core."""


@dataclass(frozen=True, kw_only=True)
class Adversarial(Drawn):
    """How many records are made."""

    name: ClassVar[str] = "adversarial"
    title: ClassVar[str] = "Adversarial network"
    summary: ClassVar[str] = "Records by a network that was taught by a critic trained on private gradients."
    trains: ClassVar[str] = Critic.name

    stream: ClassVar[int] = 10
    per_code: ClassVar[float] = SECONDS

    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        """Return the function that draws records from the network of the last training answer."""
        critic = critic_of(evidence)  # line 1
        return lambda rows: critic.forger.records(critic.making, rows, rng)


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
