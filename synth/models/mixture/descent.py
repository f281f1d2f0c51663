"""Minimise the objective of a mixture with Adam (Kingma and Ba 2015).

`MixtureOptions` states the size of the mixture and the steps, for mixtures of products (`mixture_fit`) and of
trees (`trees_fit`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from synth.core.progress import Reporter
from synth.models.mixture.mixture_blocks import CACHED, Shares
from synth.models.pulse import Pulse
from synth.models.targets import Targets

WIDE = 50
"""Minimum number of columns of a wide table. A component of a wide table is estimated from more pairs."""

PRECISE = 10.0
"""Median noise of a pair, in counts, below which finer structure can be estimated."""

PER_CODE = 8
"""Maximum number of components per code. Further components could not be distinguished."""

MOMENTUM, SQUARES, TINY = 0.9, 0.95, 1e-12
"""Decay rates of Adam for the mean gradient and the mean squared gradient, and the constant that prevents
division by zero.
"""

WARM = 20
"""Number of steps until the full rate is reached. At the full rate from the start, rare cells would become
too small.
"""

LAST_RATE = 0.01
"""Ratio between the last step size and the first. The remaining fluctuation is far below the noise."""

CHECKED, PATIENCE = 10, 50
"""Number of steps between two computations of the distance to unseen measurements, and number of steps
without a smaller distance after which a fit ends. With less patience, it could end before the components
separate.
"""


@dataclass(frozen=True, kw_only=True)
class MixtureOptions:
    """Options of a fit. If the number of components or steps is 0, it is computed from the width and the
    noise, which are both public.

    `rate`: the step size of a logit in the first step. `cooled`: whether step sizes decrease to zero (a
    cosine schedule) instead of being constant. `pull`: the weight of the independent model.
    """

    components: int = 0
    iterations: int = 0
    rate: float = 0.4
    cooled: bool = True
    pull: float = 0.5

    def decided(self, targets: Targets) -> MixtureOptions:
        """Return these options, in which computed values replace zeros."""
        wide, precise = len(targets.domain) >= WIDE, targets.typical_sigma < PRECISE
        components = self.components or min(
            1000 if precise and not wide else 128 if wide else 250, PER_CODE * int(targets.firsts[-1])
        )
        iterations = self.iterations or (300 if precise else 200 if wide else 150)
        return replace(self, components=components, iterations=iterations)


AGAIN = MixtureOptions(rate=0.05, iterations=40)
"""Options of a fit that starts from a fit to nearly the same measurements, so it needs fewer and smaller
steps. With 80 steps, mixtures of five tables had up to 9% more error, and forests the same.
"""


class Sloped(Protocol):
    """Interface of an objective that gradient descent can minimise."""

    def gradient(self, logits: Shares) -> Shares:
        """Return the gradient, which the caller may modify. Shapes: the shape of the logits."""
        ...

    def loss(self, logits: Shares) -> float:
        """Return the mean squared distance between the model and the measured cells, in units of their noise
        variance.
        """
        ...


def descended(
    problem: Sloped,
    options: MixtureOptions,
    shaped: Shares,
    report: Reporter,
    *,
    unseen: Sloped | None = None,
) -> Shares:
    """Run Adam from the given logits, and return the final logits. `unseen` is the objective
    for independent measurements of the same pairs. The result is then the model with the least loss on them,
    because further steps fit the noise.
    """
    steps = options.iterations
    pulse = Pulse("fitting the mixture", steps, report)
    state = np.stack([shaped, np.zeros_like(shaped), np.zeros_like(shaped)])
    shaped, (logits, means, squares) = state[0], state.reshape(3, -1)
    least, best, best_step = math.inf, shaped, 0
    for step in range(steps):
        if pulse.is_due:
            pulse.on_step(step + 1, problem.loss(shaped))
        slope = problem.gradient(shaped).reshape(-1)
        rate = options.rate * min(1.0, (step + 1) / WARM)
        if options.cooled:
            rate *= LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * (step + 1) / steps)) / 2
        length = np.float32(rate / (1 - MOMENTUM ** (step + 1)))
        for at in range(0, slope.size, CACHED):
            part = slice(at, at + CACHED)
            gradient, mean, square = slope[part], means[part], squares[part]
            mean += np.float32(1 - MOMENTUM) * (gradient - mean)
            gradient *= gradient
            square += np.float32(1 - SQUARES) * (gradient - square)
            root = np.sqrt(square, out=gradient)
            root *= np.float32((1 - SQUARES ** (step + 1)) ** -0.5)
            root += np.float32(TINY)
            np.divide(mean, root, out=root)
            root *= length
            logits[part] -= root
        if unseen is None or (step + 1) % CHECKED:
            continue
        if (distance := unseen.loss(shaped)) < least:
            least, best, best_step = distance, shaped.copy(), step
        elif step - best_step >= PATIENCE:
            break
    return np.asarray(best)
