"""Define the critic of a GAN, a network that distinguishes records of a table from generated records.

Goodfellow et al., Generative adversarial nets, NIPS 2014. It has one hidden layer on the codes of a record.
The loss of its output D is log(1 + exp(-D)) for records of the table and log(1 + exp(D)) for generated
records. The first term is private and is computed from noisy sums. The second term is public: generated
records are determined by the weights of a generator network (`forger`), which are part of the query, and by
its seed. There is no normalisation over a batch of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.networks.forger import Forger
from synth.core.networks.layers import (
    MOST_UNITS,
    Doubles,
    Floats,
    OverCodes,
    Shapes,
    base_bytes,
    base_in,
    downwards,
    upwards,
)

MOST_MADE, MOST_LESSONS = 1 << 16, 10_000

NUMBERS = ("hidden", "latent", "width", "made", "lessons", "lesson", "seed")


@dataclass(frozen=True)
class Critic(OverCodes):
    """A critic and its generator.

    `hidden` is the number of hidden units. `latent` and `width` are the sizes of the generator network, and
    `made_by` contains its weights, float32[parameters] as bytes. `made` is the number of generated records,
    drawn with `seed`, that are compared with the records of the table. `lessons` is the number of generator
    steps after the critic was trained, and `lesson` is their length.
    """

    hidden: int
    latent: int
    width: int
    made: int
    lessons: int
    lesson: float
    seed: int
    made_by: bytes
    name: ClassVar[str] = "critic"

    def facts(self) -> dict[str, Any]:
        """Return all facts except the base and the generator's weights."""
        numbers = {key: getattr(self, key) for key in NUMBERS}
        return {"trainee": self.name, **numbers}

    def public(self) -> bytes:
        """Return the base, column by column, followed by the generator's weights."""
        return base_bytes(self.base) + self.made_by

    @classmethod
    def restored(cls, sizes: tuple[int, ...], facts: Mapping[str, Any], state: bytes) -> tuple[Self, bytes]:
        """Return the critic with these facts, and the bytes that remain.

        Its public numbers are read from the start of `state`.

        Raises: ValueError or KeyError if the facts or numbers belong to a different network.
        """
        if facts["trainee"] != cls.name:
            raise ValueError("another network")
        base, rest = base_in(state, sizes)
        bare = cls(sizes=sizes, base=base, made_by=b"", **{key: facts[key] for key in NUMBERS})
        end = 4 * bare.forger.parameters
        return replace(bare, made_by=rest[:end]), rest[end:]

    def bare(self) -> Self:
        """Return the critic without the weights of its generator."""
        return replace(self, made_by=b"")

    @cached_property
    def forger(self) -> Forger:
        """Return the generator network."""
        return Forger(self.sizes, self.base, self.latent, self.width)

    @property
    def is_sound(self) -> bool:
        """Whether the attributes describe a valid network."""
        numbers = (self.hidden, self.latent, self.width, self.made, self.lessons, self.seed)
        if not all(type(n) is int for n in numbers) or not self.forger.is_sound:
            return False
        is_some = 0 < self.hidden <= MOST_UNITS and 0 < self.made <= MOST_MADE and self.seed >= 0
        taught = 0 <= self.lessons <= MOST_LESSONS and 0 <= self.lesson <= 1
        return is_some and taught and len(self.made_by) == 4 * self.forger.parameters

    @cached_property
    def shapes(self) -> Shapes:
        """Return the numbers of inputs and outputs of each layer. The last input is always 1."""
        return (sum(self.sizes) + 1, self.hidden), (self.hidden + 1, 1)

    def start(self, rng: np.random.Generator) -> Floats:
        """Return random weights. Shapes: float32[parameters]."""
        scale = (1.0 / np.sqrt(len(self.sizes) + 1), 1.0 / np.sqrt(self.hidden + 1))
        drawn = [s * rng.standard_normal(a * b) for s, (a, b) in zip(scale, self.shapes, strict=True)]
        return np.concatenate(drawn).astype(np.float32)

    def slopes(
        self, matrices: Sequence[Doubles], codes: NDArray[np.int64], _: NDArray[np.float64] | None = None
    ) -> tuple[list[Doubles], list[Doubles]]:
        """Return the inputs of each layer, and the gradient of log(1 + exp(-D)) with respect to its outputs.

        Shapes: `codes` int64[n, columns]; float64[n, inputs] and float64[n, outputs] for each layer.
        """
        inputs, judged = self._judged(matrices, codes)
        return inputs, downwards(matrices, inputs, -1 / (1 + np.exp(judged)))

    def against(self, matrices: Sequence[Doubles]) -> tuple[list[Doubles], list[Doubles]]:
        """Return the inputs and the gradient of log(1 + exp(D)) for the generated records.

        Shapes: float64[made, inputs] and float64[made, outputs] for each layer.
        """
        inputs, judged = self._judged(matrices, self.fakes)
        return inputs, downwards(matrices, inputs, 1 / (1 + np.exp(-judged)))

    def answered(self, weights: Floats) -> Self:
        """Return the critic with the next seed and with a generator that was trained against these weights.
        Shapes: `weights` float32[parameters].
        """
        rng, critic = np.random.default_rng([self.seed, 1]), self.matrices(weights)
        taught = self.forger.taught(self.making, critic, steps=self.lessons, rate=self.lesson, rng=rng)
        return replace(self, seed=self.seed + 1, made_by=taught.astype("<f4").tobytes())

    @property
    def making(self) -> Floats:
        """Return the weights of the generator. Shapes: float32[forger.parameters]."""
        return np.frombuffer(self.made_by, dtype="<f4").astype(np.float32, copy=False)

    @cached_property
    def fakes(self) -> NDArray[np.int64]:
        """Return the generated records. Shapes: int64[made, columns]."""
        rng = np.random.default_rng([self.seed, 0])
        return np.concatenate([*self.forger.records(self.making, self.made, rng)])

    def _judged(self, matrices: Sequence[Doubles], codes: NDArray[np.int64]) -> tuple[list[Doubles], Doubles]:
        hot = np.zeros((len(codes), self.shapes[0][0]))
        hot[np.arange(len(codes))[:, None], codes + self.forger.firsts] = 1.0
        hot[:, -1] = 1.0
        inputs = upwards(matrices, hot)
        return inputs, np.clip(inputs[-1] @ matrices[-1], -500.0, 500.0)
