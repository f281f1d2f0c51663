"""Train a network on private gradients, and return its weights after some noisy steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import rho_of
from synth.core.accounting.sampled import PARTS, TRAIN, sampled_sigma
from synth.core.domain import Clique, Domain
from synth.core.errors import Code, Refusal
from synth.core.measurements.noisy import Trained
from synth.core.networks.layers import Doubles, Floats
from synth.core.networks.trainee import Trainee
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.exact_tables import ExactTables, Groups
from synth.private.gradients import CLIP, clipped
from synth.private.noise import rounded_gaussian
from synth.private.queries.base import GaussianQuery, is_canonical
from synth.private.terms import Paid, Terms

MOST_STEPS, MOST_COPIES, MOST_PARAMETERS = 100_000, 64, 1 << 22

SMALLEST_CLIP, LARGEST_CLIP = 2.0**-20, 2.0**20
"""The minimum and maximum of the clipping length. Far below the smallest length, a delta in units of the
clipping length is not a finite float.
"""


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Updates of weights with noisy gradients, which are public arithmetic.

    These are `steps` of the `whole` steps of a training, starting at step `first`. Each row is in the sample
    of a step with probability `rate` / PARTS. `records` is the approximate number of rows. Gradients are
    clipped to `clip`, and each row has `copies` blurred copies. The step size decreases linearly from `pace`
    to 0.
    """

    first: int
    steps: int
    whole: int
    rate: int
    records: int
    copies: int
    clip: float
    pace: float
    momentum: float
    memory: float

    @property
    def is_sound(self) -> bool:
        """Whether these are valid settings of a training."""
        are_whole = all(
            type(n) is int for n in (self.first, self.steps, self.whole, self.rate, self.records, self.copies)
        )
        counted = 0 <= self.first < self.first + self.steps <= self.whole <= MOST_STEPS and self.steps > 0
        parts = 0 < self.rate <= PARTS and self.records > 0 and 0 < self.copies <= MOST_COPIES
        finite = all(math.isfinite(x) and x >= 0 for x in (self.pace, self.momentum, self.memory))
        return are_whole and counted and parts and finite and SMALLEST_CLIP <= self.clip <= LARGEST_CLIP

    def step(
        self, state: Floats, noisy: NDArray[np.int64], number: int, *, public: Doubles | None = None
    ) -> Floats:
        """Return the state after a step.

        The step uses a noisy sum of gradients and the mean gradient of public records, in units of the
        clipping length.

        Shapes: `noisy` int64[parameters], `public` float64[parameters]; float32[3, parameters]: the weights,
        their momentum, and their mean over the last steps.
        """
        weights, moving, mean = state
        gradient = noisy / (CLIP * (self.rate / PARTS) * self.records)
        if public is not None:
            gradient += public
        moving = self.momentum * moving + gradient
        weights = weights - self.pace * (1 - number / self.whole) * moving
        kept = min(self.memory, (1 + number) / (10 + number))
        return np.stack([weights, moving, kept * mean + (1 - kept) * weights]).astype(np.float32)


@dataclass(frozen=True)
class Training(GaussianQuery):
    """The state of a network after `descent.steps` noisy steps from the given state.

    Privacy: the Gaussian mechanism on a lattice, with Poisson samples. In each step, every row is in the
    sample independently with a public probability. A row changes the sum of gradients, a vector of integers,
    by at most CLIP in L2, measured after rounding (`private.gradients`), and a unit of k rows by j CLIP if j
    of them are in the sample. Every number gets normal noise of sigma CLIP, rounded, which is post-processing
    of the Gaussian mechanism. sigma is the smallest value for which all steps together have the stated cost
    at every order up to `most` (`sampled`). The ledger ensures that `most` covers the orders that its
    conversions use. The result is computed only from the noisy sums and, if the network has them, from public
    records that the loss compares with the rows (`trainee`). The guarantee covers only adding and removing a
    unit. The total cost of all steps does not depend on the samples. With an empty sample, a step uses only
    noise.

    `weights`: float32[3, parameters] as bytes. The facts contain a digest of them.
    """

    clique: Clique
    net: Trainee
    descent: Descent
    weights: bytes
    most: int
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = TRAIN
    words: ClassVar[tuple[str, str]] = ("block of training steps", "blocks of training steps")

    def within(self, groups: Groups) -> Self:
        if groups:
            raise ValueError("training uses the codes of the domain")
        return self

    def fits(self, domain: Domain) -> bool:
        if not is_canonical(self.clique, domain) or self.groups or not self.net.is_sound:
            return False
        is_small = self.net.parameters <= MOST_PARAMETERS
        is_known = self.net.sizes == domain.shape(self.clique) and type(self.most) is int and self.most > 1
        is_whole = len(self.weights) == 12 * self.net.parameters
        return is_small and is_known and is_whole and self.descent.is_sound

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {
            "clique": list(self.clique),
            **self.net.facts(),
            **vars(self.descent),
            "most": self.most,
            "state": sha256(self.state()).hexdigest(),
        }

    def state(self) -> bytes:
        """Return the public state of the network, followed by the weights, as bytes."""
        return self.net.public() + self.weights

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        if state is None or sha256(state).hexdigest() != facts["state"]:
            raise ValueError("another state")
        net, weights = type(self.net).restored(self.net.sizes, facts, state)
        return replace(
            self,
            clique=tuple(facts["clique"]),
            net=net,
            descent=Descent(**{name: facts[name] for name in vars(self.descent)}),
            weights=weights,
            most=facts["most"],
        )

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        """Return the sum of the clipped gradients of all rows in the given state."""
        rows, matrices = tables.rows(self.clique, self.net), self.net.matrices(self._floats(self.weights)[0])
        every = rows.sample(PARTS, OS_ENTROPY)
        descent = self.descent
        return rows.gradient(matrices, every, clip=descent.clip, copies=descent.copies, step=descent.first)

    def answer(
        self, tables: ExactTables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY
    ) -> bytes:
        variance = self.variance(units, terms)
        rows, state, descent = tables.rows(self.clique, self.net), self._floats(self.weights), self.descent
        for number in range(descent.first, descent.first + descent.steps):
            sample, matrices = rows.sample(descent.rate, entropy), self.net.matrices(state[0])
            exact = rows.gradient(matrices, sample, clip=descent.clip, copies=descent.copies, step=number)
            noise = rounded_gaussian(variance, exact.size, entropy=entropy)
            state = descent.step(state, exact + noise, number, public=self._against(matrices))
        return self._as_bytes(state)

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        """Return the result of steps that all use this sum of gradients.

        The gradients of public records are those in the given state.
        """
        state, descent = self._floats(self.weights), self.descent
        whole, against = exact * descent.rate // PARTS, self._against(self.net.matrices(state[0]))
        for number in range(descent.first, descent.first + descent.steps):
            state = descent.step(state, whole, number, public=against)
        return self._as_bytes(state)

    def l2_squared(self, terms: Terms) -> int:
        """Return the squared change of the sum over all rows, in units of clip / CLIP squared."""
        return (terms.l1 * CLIP) ** 2

    def variance(self, units: int, terms: Terms) -> Fraction:
        """Return sigma^2 of each number in each step, in units of clip / CLIP squared.

        Raises: `Refusal` if the cost is not known under these terms.
        """
        if terms.replaces:
            raise Refusal(Code.QUERY_INVALID)
        price = rho_of(units) / self.descent.steps
        sigma = sampled_sigma(price, rate=self.descent.rate, rows=terms.rows, most=float(self.most))
        return (Fraction(sigma) * CLIP) ** 2

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Trained:
        return Trained(
            requested=self.facts(paid.terms),
            net=self.net,
            state=self._floats(blob),
            sigma=math.sqrt(self.variance(paid.units, paid.terms)) / CLIP,
            **paid.place,
        )

    def _against(self, matrices: list[Doubles]) -> Doubles | None:
        """Return the mean gradient of the public records in the loss, in units of the clipping length.

        Each gradient is clipped like the gradient of a row.

        Shapes: float64[parameters].
        """
        slopes = self.net.against(matrices)
        if slopes is None:
            return None
        inputs, deltas = slopes
        parts = clipped(inputs, deltas, clip=self.descent.clip, copies=1)
        return np.concatenate([part.ravel() for part in parts]) / (CLIP * len(inputs[0]))

    def _floats(self, state: bytes) -> Floats:
        return (
            np.frombuffer(state, dtype="<f4").reshape(3, self.net.parameters).astype(np.float32, copy=False)
        )

    def _as_bytes(self, state: Floats) -> bytes:
        return bytes(state.astype("<f4").tobytes())
