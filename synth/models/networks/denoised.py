"""Records by a network that was trained to undo a blur: the generator that follows private training.

Source: Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion Models, ICML
2023; `denoiser` describes the network and how records are made.

  1. the network of the last training answer; without one, a network that says nothing
  2. records from codes drawn from its base, sharpened step by step
  3. those in a cell that cannot be are drawn again, and then moved out of it
  4. records are weighed until every column is as it was measured, and drawn by weight (`drawn`, as line 3)

Differs from the paper in: line 3, where it knows no such cells; line 4, as clipped gradients are not those of
the loss, and a network taught by them misses the columns that are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.networks.denoiser import Denoiser
from synth.models.networks.drawn import Draw, Drawn, base_of

SECONDS = 2e-8
"""Per record, code of any column and time, on one core."""

TIMES = 24
"""Times of the blur of an untrained network, also used to predict seconds."""


@dataclass(frozen=True, kw_only=True)
class Denoised(Drawn):
    """How many records are made."""

    name: ClassVar[str] = "denoised"
    title: ClassVar[str] = "Denoising network"
    summary: ClassVar[str] = "Records by a network that was trained on private gradients to undo a blur."
    trains: ClassVar[str] = Denoiser.name

    stream: ClassVar[int] = 9
    per_code: ClassVar[float] = TIMES * SECONDS

    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        """Return the function that draws records from the network of the last training answer."""
        net, weights = network_of(evidence)  # line 1
        return lambda rows: net.records(weights, rows, rng)


def network_of(evidence: Evidence) -> tuple[Denoiser, NDArray[np.float32]]:
    """The network that was trained, or one that draws every column by itself."""
    for last in reversed(evidence.trained):
        if last.state.size and isinstance(last.net, Denoiser):
            return last.net, last.weights
    net = Denoiser(evidence.domain.sizes, base_of(evidence), hidden=1, layers=1, times=TIMES)
    return net, np.zeros(net.parameters, dtype=np.float32)
