"""Define the denoiser of a diffusion model, a network that predicts the original record from a noisy record.

It reads no rows.

Discrete diffusion (Austin, Johnson, Ho, Tarlow, van den Berg, Structured Denoising Diffusion Models in
Discrete State-Spaces, NeurIPS 2021; Hoogeboom, Nielsen, Jaini, Forre, Welling 2021). At time t of `times`, a
column keeps its code with probability kept(t). Otherwise, it gets a code drawn from its `base`, the publicly
known distribution of the column. The inputs of the network are t and all columns of a noisy record, and it
predicts all original codes.

The output of the last layer is added to log base(v) + log Pr[noised code | v], which is the prediction
without the network. So if the last layer is zero, the network draws independent columns from `base`, and
training only has to learn the relations between columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.networks.layers import (
    INPUT_STEP,
    MOST_UNITS,
    Doubles,
    Floats,
    OverCodes,
    base_bytes,
    base_in,
    downwards,
    is_base,
    multiples,
    upwards,
)

RECORDS_AT_A_TIME = 1 << 10

WAVES = 4
"""Number of inputs that are sines and cosines of the time."""


@dataclass(frozen=True)
class Denoiser(OverCodes):
    """A denoiser with `layers` hidden layers of `hidden` units each.

    `times` is the number of steps from a record to codes drawn from `base`.
    """

    hidden: int
    layers: int
    times: int
    name: ClassVar[str] = "denoiser"

    def facts(self) -> dict[str, Any]:
        """Return all facts except the base."""
        return {"hidden": self.hidden, "layers": self.layers, "times": self.times}

    def public(self) -> bytes:
        """Return the base, column by column."""
        return base_bytes(self.base)

    @classmethod
    def restored(cls, sizes: tuple[int, ...], facts: Mapping[str, Any], state: bytes) -> tuple[Self, bytes]:
        """Return the network with these facts, and the bytes that remain.

        Its base is read from the start of `state`.

        Raises: ValueError or KeyError if they belong to another network.
        """
        if "trainee" in facts:
            raise ValueError("another network")
        base, rest = base_in(state, sizes)
        return cls(sizes, base, facts["hidden"], facts["layers"], facts["times"]), rest

    def bare(self) -> Self:
        """Return the network itself, because its only public numbers are the base."""
        return self

    @property
    def is_sound(self) -> bool:
        """Whether the attributes describe a valid network."""
        is_some = min(self.hidden, self.layers, self.times, *self.sizes) > 0
        return is_base(self.base, self.sizes) and is_some and self.hidden <= MOST_UNITS

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Return the numbers of inputs and outputs of each layer. The last input is always 1."""
        ends = [sum(self.sizes) + 2 * WAVES, *[self.hidden] * self.layers, sum(self.sizes)]
        return tuple((a + 1, b) for a, b in pairwise(ends))

    @cached_property
    def kept(self) -> NDArray[np.float64]:
        """Return the probability that a code is unchanged, at the times 0 (certain) to `times` (almost 0).

        It is the cosine schedule of Nichol and Dhariwal (2021). Shapes: float64[times + 1].
        """
        angles = (np.arange(self.times + 1) / self.times + 0.008) / 1.008 * np.pi / 2
        kept = np.cos(angles) ** 2 / np.cos(angles[0]) ** 2
        return np.asarray(np.clip(kept, 1e-4, 1.0))

    def start(self, rng: np.random.Generator) -> Floats:
        """Return random weights, which are 0 in the last layer. Shapes: float32[parameters]."""
        scale = [1.0 / np.sqrt(len(self.sizes) + 1)] + [np.sqrt(2 / self.hidden)] * (self.layers - 1) + [0.0]
        drawn = [s * rng.standard_normal(a * b) for s, (a, b) in zip(scale, self.shapes, strict=True)]
        return np.concatenate(drawn).astype(np.float32)

    def blurred(
        self, codes: NDArray[np.int64], times: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return records with noise at these times.

        Shapes: `codes` int64[n, columns], `times` int64[n], `chances` float64[2, n, columns], uniform between
        0 and 1. The first random number decides whether a code is kept, the second which code replaces it.
        """
        blurred = codes.copy()
        for column, span in enumerate(self.spans()):
            ends = np.cumsum(self.shares[span])
            other = np.minimum(np.searchsorted(ends, chances[1, :, column], side="right"), len(ends) - 1)
            is_kept = chances[0, :, column] < self.kept[times]
            blurred[:, column] = np.where(is_kept, codes[:, column], other)
        return blurred

    def slopes(
        self, matrices: Sequence[Doubles], codes: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> tuple[list[Doubles], list[Doubles]]:
        """Return the inputs of each layer, and the gradient of the loss with respect to its outputs.

        The rows have noise from `chances`, of which the first numbers determine the time (see
        `trainee.Trainee.slopes`).
        """
        times = 1 + np.minimum((chances[0, :, 0] * self.times).astype(np.int64), self.times - 1)
        inputs, odds = self.forward(matrices, self.blurred(codes, times, chances[:, :, 1:]), times)
        return inputs, self.backward(matrices, inputs, odds, codes)

    def against(self, matrices: Sequence[Doubles]) -> None:
        """Return None, because the loss does not use public records."""

    def forward(
        self, matrices: Sequence[Doubles], blurred: NDArray[np.int64], times: NDArray[np.int64]
    ) -> tuple[list[Doubles], Doubles]:
        """Return the inputs of each layer, and the log odds of the original code of each column.

        Shapes: float64[n, inputs] for each layer, float64[n, codes], with codes numbered column by column.
        """
        rows = np.arange(len(blurred))[:, None]
        hot = np.zeros((len(blurred), self.shapes[0][0]))
        hot[rows, blurred + self.firsts] = 1.0
        turns = np.outer(np.arange(self.times + 1) / self.times, np.pi * 2.0 ** np.arange(WAVES))
        waves = np.concatenate([np.sin(turns), np.cos(turns)], axis=1)
        hot[:, sum(self.sizes) : -1] = multiples(waves, INPUT_STEP, 1.0)[times]
        hot[:, -1] = 1.0
        inputs = upwards(matrices, hot)
        odds = inputs[-1] @ matrices[-1] + np.log(self.shares)
        kept = self.kept[times][:, None]
        odds[rows, blurred + self.firsts] += np.log1p(
            kept / ((1 - kept + 1e-9) * self.shares[blurred + self.firsts])
        )
        return inputs, odds

    def likely(self, odds: Doubles) -> Doubles:
        """Convert log odds to probabilities, column by column. Shapes: float64[n, codes] for both."""
        chances = np.empty_like(odds)
        for span in self.spans():
            column = np.exp(odds[:, span] - odds[:, span].max(axis=1, keepdims=True))
            chances[:, span] = column / column.sum(axis=1, keepdims=True)
        return chances

    def backward(
        self, matrices: Sequence[Doubles], inputs: Sequence[Doubles], odds: Doubles, codes: NDArray[np.int64]
    ) -> list[Doubles]:
        """Return the gradient of the loss with respect to the outputs of each layer.

        The loss is the mean of -log Pr[original code] over the columns.

        Shapes: float64[n, outputs] for each layer.
        """
        last = self.likely(odds)
        last[np.arange(len(codes))[:, None], codes + self.firsts] -= 1.0
        return downwards(matrices, inputs, last / len(self.sizes))

    def records(self, weights: Floats, rows: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield records in batches. The network draws them backwards in time, starting with codes from the
        base.

        At each time, the original code of each column is drawn from the network's probabilities. Then one
        noise step is reversed by Bayes' rule: Pr[v' | v at t, v0] is a mixture of v itself, v0 and the base.
        Shapes: `weights` float32[parameters]; int64[some rows, columns], `rows` in all.
        """
        matrices = self.matrices(weights)
        for start in range(0, rows, RECORDS_AT_A_TIME):
            some = min(RECORDS_AT_A_TIME, rows - start)
            now = np.stack([self._drawn(span, some, rng) for span in self.spans()], axis=1)
            for t in range(self.times, 0, -1):
                now = self._sharper(matrices, now, t, rng)
            yield now

    def _sharper(
        self, matrices: Sequence[Doubles], now: NDArray[np.int64], t: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the records at the previous time step."""
        rows, before = len(now), self.kept[t - 1]
        _, odds = self.forward(matrices, now, np.full(rows, t))
        chances, stays, earlier = self.likely(odds), self.kept[t] / before, now.copy()
        for column, span in enumerate(self.spans()):
            ends = np.cumsum(chances[:, span], axis=1)
            was = (ends < rng.random((rows, 1)) * ends[:, -1:]).sum(axis=1).clip(max=ends.shape[1] - 1)
            share = self.shares[span][now[:, column]]
            same = stays * (1 - before) + (was == now[:, column]) * stays * before / share
            back, fresh = (1 - stays) * before, (1 - stays) * (1 - before)
            place = rng.random(rows) * (same + back + fresh)
            other = np.where(place < same + back, was, self._drawn(span, rows, rng))
            earlier[:, column] = was if t == 1 else np.where(place < same, now[:, column], other)
        return earlier

    def _drawn(self, span: slice, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        ends = np.cumsum(self.shares[span])
        drawn = np.minimum(np.searchsorted(ends, rng.random(rows), side="right"), len(ends) - 1)
        return np.asarray(drawn, dtype=np.int64)
