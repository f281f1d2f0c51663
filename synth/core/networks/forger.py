"""Define the generator network of a GAN, which creates records from random numbers and a condition.

It reads no rows.

Goodfellow et al., Generative adversarial nets, NIPS 2014; Xu, Skoularidou, Cuesta-Infante, Veeramachaneni,
Modeling tabular data using conditional GAN (CTGAN), NeurIPS 2019, for the residual layers, the condition and
the Gumbel softmax. A record is drawn as follows:

  1. draw a column uniformly, and a code of this column from its `base`, the publicly known distribution of
     the column; this is the condition
  2. `latent` normal numbers z; h = relu(W1 [z, condition, 1]), g = relu(W2 [h, z, 1])
  3. log odds of all codes: log base + W3 [h, g, z, 1]
  4. the column of the condition has the code of the condition; for every other column, draw a code according
     to the odds

W3 starts at 0, so an untrained network draws independent columns from `base`.

It is trained against a critic, which scores every possible code of each column, given the record's other
columns as drawn (local expectation gradients, Titsias and Lazaro-Gredilla, NIPS 2015).

Deviations from CTGAN: (a) conditions are drawn from `base` and not from the private rows, with the
probabilities of `base` and not their logarithms; (b) step 4 keeps the condition, which CTGAN learns with a
cross-entropy; (c) local expectations replace the Gumbel softmax, because they are unbiased and the critic
scores codes as in its training; (d) a divergence keeps the columns of generated records close to `base`,
because a critic learns the columns less well; (e) there is no batch normalisation; (f) all columns are
categories, as in all other models here; (g) log base is added in step 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.networks.layers import (
    LARGEST_INPUT,
    MOST_UNITS,
    Doubles,
    Floats,
    OverCodes,
    Shapes,
    is_base,
)

RECORDS_AT_A_TIME, JUDGED_AT_A_TIME = 1 << 10, 1 << 6

BATCH = 256
"""Number of records in a training step."""

FIRST_DECAY, SECOND_DECAY, TINY = 0.5, 0.9, 1e-8
"""The parameters of Adam, with their usual values."""

HOLD = 3.0
"""Weight of the divergence of the generated columns from the base, relative to the critic's score."""

MOST_LATENT = 1 << 10


@dataclass(frozen=True)
class Forger(OverCodes):
    """A generator network.

    `latent` is the number of normal random numbers per record. `width` is the number of units in each of the
    two hidden layers.
    """

    latent: int
    width: int

    @property
    def is_sound(self) -> bool:
        """Whether the attributes describe a valid network."""
        is_some = min(self.latent, self.width, *self.sizes) > 0
        return (
            is_base(self.base, self.sizes)
            and is_some
            and self.width <= MOST_UNITS
            and self.latent <= MOST_LATENT
        )

    @cached_property
    def shapes(self) -> Shapes:
        """Return the numbers of inputs and outputs of each layer."""
        codes, latent, width = sum(self.sizes), self.latent, self.width
        return (codes + latent + 1, width), (width + latent + 1, width), (2 * width + latent + 1, codes)

    def start(self, rng: np.random.Generator) -> Floats:
        """Return random weights, which are 0 in the last layer. Shapes: float32[parameters]."""
        (a, b), (c, d), (e, f) = self.shapes
        first = rng.standard_normal(a * b) / np.sqrt(self.latent + 2)
        second = rng.standard_normal(c * d) * np.sqrt(2 / c)
        return np.concatenate([first, second, np.zeros(e * f)]).astype(np.float32)

    def records(self, weights: Floats, rows: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield records in batches. Shapes: int64[batch, columns], with `rows` records in total."""
        layers = self._layers(weights)
        for start in range(0, rows, RECORDS_AT_A_TIME):
            some = min(RECORDS_AT_A_TIME, rows - start)
            conditions = self._conditions(some, rng)
            *_, odds = self._forward(layers, rng.standard_normal((some, self.latent)), conditions)
            yield self._drawn(odds, conditions, rng) - self.firsts

    def taught(
        self,
        weights: Floats,
        critic: Sequence[Doubles],
        *,
        steps: int,
        rate: float,
        rng: np.random.Generator,
    ) -> Floats:
        """Return the weights after Adam steps towards records that the critic considers real.

        The loss is the mean of log(1 + exp(-D)), the non-saturating loss of Goodfellow et al., plus HOLD
        times the sum over columns of the divergence between their shares and the base. Shapes: `critic`
        float64[codes + 1, hidden] and float64[hidden + 1, 1]; float32[parameters].
        """
        now = weights.astype(np.float64)
        first, second = np.zeros_like(now), np.zeros_like(now)
        for step in range(1, steps + 1):
            slope = self._slope(self._layers(now), critic, rng)
            first = FIRST_DECAY * first + (1 - FIRST_DECAY) * slope
            second = SECOND_DECAY * second + (1 - SECOND_DECAY) * slope**2
            length = np.sqrt(second / (1 - SECOND_DECAY**step)) + TINY
            now = now - rate * first / (1 - FIRST_DECAY**step) / length
        return now.astype(np.float32)

    def _slope(
        self, layers: Sequence[Doubles], critic: Sequence[Doubles], rng: np.random.Generator
    ) -> Doubles:
        """Return the gradient, with respect to the weights, of the loss of new records.

        Shapes: float64[parameters].
        """
        conditions = self._conditions(BATCH, rng)
        z = rng.standard_normal((BATCH, self.latent))
        h, g, odds = self._forward(layers, z, conditions)
        likely = self._softmax(odds.copy())
        drawn = self._drawn(odds, conditions, rng)
        losses = np.logaddexp(0.0, -self._judged(drawn, critic))
        off = losses - HOLD * self.shares / np.maximum(likely.mean(axis=0), 1e-9)
        back = likely * (off - np.add.reduceat(likely * off, self.firsts, axis=1)[:, self._columns])
        column = np.searchsorted(self.firsts, conditions, side="right") - 1
        back[self._columns == column[:, None]] = 0.0
        back /= BATCH
        one = np.ones((BATCH, 1))
        third = np.concatenate([h, g, z, one], axis=1).T @ back
        down = back @ layers[2][: 2 * self.width].T
        at_g = down[:, self.width :] * (g > 0)
        second = np.concatenate([h, z, one], axis=1).T @ at_g
        at_h = (down[:, : self.width] + at_g @ layers[1][: self.width].T) * (h > 0)
        first = np.zeros(self.shapes[0])
        np.add.at(first, conditions, at_h)
        first[sum(self.sizes) :] = np.concatenate([z, one], axis=1).T @ at_h
        return np.concatenate([part.ravel() for part in (first, second, third)])

    def _judged(self, drawn: NDArray[np.int64], critic: Sequence[Doubles]) -> NDArray[np.float32]:
        """Return D of the records with one code replaced, for each possible code of each column.

        Shapes: `drawn` int64[n, columns]; float32[n, codes], with codes numbered column by column.
        """
        first, last = (matrix.astype(np.float32) for matrix in critic)
        judged = np.empty((len(drawn), sum(self.sizes)), dtype=np.float32)
        for start in range(0, len(drawn), JUDGED_AT_A_TIME):
            some = drawn[start : start + JUDGED_AT_A_TIME]
            held = first[some].sum(axis=1) + first[-1]
            rest = held[:, None, :] - first[some]
            seen = rest[:, self._columns] + first[:-1]
            np.clip(seen, 0.0, LARGEST_INPUT, out=seen)
            judged[start : start + JUDGED_AT_A_TIME] = seen @ last[:-1, 0] + last[-1, 0]
        return judged

    def _drawn(
        self, odds: Doubles, conditions: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return a code for each column, which is the code of the condition or drawn according to the odds.

        Shapes: int64[rows, columns], with codes numbered column by column.
        """
        odds = odds + rng.gumbel(size=odds.shape)
        drawn = np.stack([odds[:, span].argmax(axis=1) for span in self.spans()], axis=1) + self.firsts
        drawn[np.arange(len(conditions)), np.searchsorted(self.firsts, conditions, side="right") - 1] = (
            conditions
        )
        return drawn

    def _forward(
        self, layers: Sequence[Doubles], z: Doubles, conditions: NDArray[np.int64]
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Return both hidden layers and the log odds of all codes. `conditions` are codes, numbered column by
        column.
        """
        one, codes = np.ones((len(z), 1)), sum(self.sizes)
        h = np.maximum(np.concatenate([z, one], axis=1) @ layers[0][codes:] + layers[0][conditions], 0.0)
        g = np.maximum(np.concatenate([h, z, one], axis=1) @ layers[1], 0.0)
        return h, g, np.concatenate([h, g, z, one], axis=1) @ layers[2] + np.log(self.shares)

    def _conditions(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a code for each record, drawn from the base of a random column.

        Codes are numbered column by column.
        """
        ends = np.cumsum(self.shares) / len(self.sizes)
        return np.minimum(np.searchsorted(ends, rng.random(rows), side="right"), len(ends) - 1)

    def _softmax(self, odds: Doubles) -> Doubles:
        odds = odds - np.maximum.reduceat(odds, self.firsts, axis=1)[:, self._columns]
        shares: Doubles = np.exp(odds, out=odds)
        return shares / np.add.reduceat(shares, self.firsts, axis=1)[:, self._columns]

    @cached_property
    def _columns(self) -> NDArray[np.int64]:
        """Return the column of each code."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def _layers(self, weights: NDArray[np.floating]) -> list[Doubles]:
        ends = np.cumsum([a * b for a, b in self.shapes])[:-1]
        parts = np.split(weights.astype(np.float64), ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]
