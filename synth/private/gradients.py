"""Compute the gradients of a network on a sample of private rows, as integers of bounded length.

The gradient of a layer's weights for one row is the sum over its blurred copies of (input) x (delta), an
outer product. Inputs and deltas are multiples of small steps and are computed exactly (`denoiser`), so that
the gradient of a row does not depend on other rows. Here they are rounded towards zero to integers. So the
sum over some rows is one matrix product, which is exact in floats below 2^53. The length of a row's gradient
is computed before any gradients are added, from the products of its copies with each other:

    |g|^2 = sum over layers and pairs (i, j) of copies of (input_i . input_j) (delta_i . delta_j).

A longer gradient is first shortened to CLIP (Abadi et al. 2016). The length is measured after rounding, and a
row whose gradient is still too long because of float errors is excluded. So for any weights and rows, one row
changes the sum by at most CLIP.

The blurring of a row depends only on its codes and the number of the step. So adding or removing a row does
not change the gradient of any other row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting.sampled import PARTS
from synth.core.networks.layers import INPUT_STEP, Doubles
from synth.core.networks.trainee import Trainee
from synth.private.entropy import Entropy
from synth.private.sealed import Hidden

CLIP = 1 << 30
"""Maximum length of a row's gradient, in integer units."""

INPUT_SCALE = round(1 / INPUT_STEP)
DUST = 2.0**-20
"""Upper limit of the relative float error of a length."""

ROUNDED = 2.0**-9
"""Share of CLIP that is reserved for the rounding of deltas."""

COPIES_AT_A_TIME = 1 << 9
"""Number of blurred records that are processed at once. They fit into the cache of a core, and their sum is
below 2^39.
"""

Words = NDArray[np.uint64]


class Rows(Hidden):
    """The rows whose codes are all inside the domain. The `repr` is empty, and the rows cannot be pickled.

    Shapes: `codes` int64[rows, columns].
    """

    def __init__(self, codes: NDArray[np.int64], net: Trainee) -> None:
        inside = (codes < np.array(net.sizes)).all(axis=1)
        self._codes, self._net = codes[inside], net
        self._keys = _mixed_all(self._codes)

    def sample(self, rate: int, entropy: Entropy) -> NDArray[np.intp]:
        """Draw each row independently with probability rate / PARTS, using the system's entropy."""
        if rate >= PARTS:
            return np.arange(len(self._codes))
        words = np.frombuffer(entropy.bytes(2 * len(self._codes)), dtype="<u2")
        return np.flatnonzero(words < rate)

    def gradient(
        self, matrices: list[Doubles], sample: NDArray[np.intp], *, clip: float, copies: int, step: int
    ) -> NDArray[np.int64]:
        """Return the sum of the clipped gradients of these rows, in units of clip / CLIP. Shapes:
        int64[parameters].
        """
        net = self._net
        total = [np.zeros(shape, dtype=np.int64) for shape in net.shapes]
        at_a_time = max(1, COPIES_AT_A_TIME // copies)
        for start in range(0, len(sample), at_a_time):
            some = sample[start : start + at_a_time]
            codes = np.repeat(self._codes[some], copies, axis=0)
            chances = _chances(self._keys[some], copies, len(net.sizes), step)
            parts = chances[0, :, 0].reshape(-1, copies)
            chances[0, :, 0] = ((parts + np.arange(copies)) / copies).ravel()
            inputs, deltas = net.slopes(matrices, codes, chances)
            for part, added in zip(total, clipped(inputs, deltas, clip=clip, copies=copies), strict=True):
                part += added.astype(np.int64)
        return np.concatenate([part.ravel() for part in total])


def clipped(
    inputs: list[Doubles], deltas: list[Doubles], *, clip: float, copies: int
) -> list[NDArray[np.float64]]:
    """Return the sum of the rows' gradients, each clipped to length CLIP, as integers.

    Shapes: `inputs[l]` float64[rows * copies, a_l], `deltas[l]` float64[rows * copies, b_l]; float64[a_l,
    b_l].
    """
    unit = CLIP / (clip * copies * INPUT_SCALE)
    wholes = [_trunc(a * INPUT_SCALE) for a in inputs]
    lengths = _lengths(wholes, deltas, copies) * unit
    allowed = np.minimum(1.0, CLIP * (1 - ROUNDED) / np.maximum(lengths, 1.0))
    steps = [_trunc(d * unit * np.repeat(allowed, copies)[:, None]) for d in deltas]
    is_short = np.repeat(_lengths(wholes, steps, copies) <= CLIP * (1 - DUST), copies)
    for d in steps:
        d[~is_short] = 0.0  # also if the length is not a finite number
    return [a.T @ d for a, d in zip(wholes, steps, strict=True)]


def _trunc(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.trunc(values, out=values)


def _lengths(
    inputs: list[NDArray[np.float64]], deltas: list[NDArray[np.float64]], copies: int
) -> NDArray[np.float64]:
    """Return the length of each row's gradient, or of its longest copy if that is longer. Shapes:
    float64[rows].

    The copies are included so that no product of one copy is too large for an exact float sum. Deltas are
    multiples of a step. The squares of one copy's deltas sum to at most 2^49 steps before clipping and to
    2^44 after, because the last input is 1. So the sums of their products are exact, and no length depends on
    the position of its row in a block. With `einsum`, the length would depend on the position for wide
    layers.
    """
    pairs = np.zeros((len(inputs[0]) // copies, copies, copies))
    for a, d in zip(inputs, deltas, strict=True):
        a, d = a.reshape(-1, copies, a.shape[1]), d.reshape(-1, copies, d.shape[1])
        pairs += (a @ a.transpose(0, 2, 1)) * np.einsum("nik,njk->nij", d, d)
    alone = np.einsum("nii->ni", pairs).max(axis=1, initial=0.0)
    return np.asarray(np.sqrt(np.maximum(pairs.sum(axis=(1, 2)), alone)))


def _mixed(words: Words) -> Words:
    """Apply the finisher of splitmix64 (Steele, Lea, Flood 2014).

    Each bit of the result depends on all bits of the word.
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mixed_all(codes: NDArray[np.int64]) -> Words:
    """Return one word for every row, computed from all its codes. Shapes: uint64[rows]."""
    words = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        words = _mixed(words * np.uint64(3) + column.astype(np.uint64) + GOLDEN)
    return words


def _chances(keys: Words, copies: int, columns: int, step: int) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 for each row and copy.

    The first sets the time, the others blur the columns.

    Shapes: float64[2, rows * copies, 1 + columns].
    """
    many = copies * 2 * (1 + columns)
    salt = _mixed(np.array([step + 1], dtype=np.uint64) * GOLDEN)
    counter = _mixed((np.arange(many, dtype=np.uint64) + np.uint64(1)) * GOLDEN ^ salt)
    words = _mixed(keys[:, None] ^ counter)
    even = (words >> np.uint64(11)) * 2.0**-53
    shaped = even.reshape(len(keys), copies, 2, 1 + columns)
    return np.ascontiguousarray(shaped.transpose(2, 0, 1, 3)).reshape(2, -1, 1 + columns)
