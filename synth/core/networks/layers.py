"""Compute the layers of small networks in multiples of powers of two. It is public arithmetic and reads no
rows.

Inputs, weights and gradients are bounded and rounded to multiples of small steps, so every float sum of their
products is exact. Therefore, no digit of the output and the gradient of a row depends on the other rows in a
matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Shapes = tuple[tuple[int, int], ...]
"""The numbers of inputs and outputs of each layer. The last input is always 1."""

Base = tuple[tuple[int, ...], ...]
"""The publicly known distribution of each column, as a positive integer weight for each code."""

LARGEST_INPUT, INPUT_STEP = 16.0, 2.0**-8
"""The maximum input of a layer, and the step size of inputs."""

LARGEST_WEIGHT, WEIGHT_STEP = 64.0, 2.0**-16
"""The maximum weight, and the step size of weights."""

LARGEST_DELTA, DELTA_STEP = 1.0, 2.0**-18
"""The maximum gradient, and the step size of gradients. With these steps, every sum of 2^13 products of
gradients and weights, or of inputs and weights, is below 2^53.
"""

MOST_UNITS = 1 << 13
"""Maximum number of units in a hidden layer. The last layer has no such limit if its gradients have a small
sum.
"""


def base_bytes(base: Base) -> bytes:
    """Return a base as bytes, column by column."""
    return bytes(np.array([weight for column in base for weight in column], dtype="<i8").tobytes())


def base_in(raw: bytes, sizes: Sequence[int]) -> tuple[Base, bytes]:
    """Return the base at the start of these bytes, for columns of these sizes, and the bytes that remain."""
    end = 8 * sum(sizes)
    columns = np.split(np.frombuffer(raw[:end], dtype="<i8"), np.cumsum(sizes)[:-1])
    return tuple(tuple(column.tolist()) for column in columns), raw[end:]


def is_base(base: Base, sizes: tuple[int, ...]) -> bool:
    """Whether this is a valid base for columns of these sizes."""
    return tuple(map(len, base)) == sizes and all(weight > 0 for column in base for weight in column)


def matrices_of(weights: Floats, shapes: Shapes) -> list[Doubles]:
    """Return the weights of the layers, rounded to their steps.

    Shapes: `weights` float32[parameters]; float64[inputs, outputs] for each layer.
    """
    ends = np.cumsum([a * b for a, b in shapes])[:-1]
    whole = multiples(weights, WEIGHT_STEP, LARGEST_WEIGHT)
    return [part.reshape(shape) for part, shape in zip(np.split(whole, ends), shapes, strict=True)]


def upwards(matrices: Sequence[Doubles], first: Doubles) -> list[Doubles]:
    """Return the inputs of each layer.

    They are `first` for the first layer. For later layers, they are the positive parts of the previous
    outputs, followed by a 1.

    Shapes: `first` float64[n, inputs of the first layer]; float64[n, inputs] for each layer.
    """
    inputs = [first]
    for matrix in matrices[:-1]:
        seen = multiples(np.maximum(inputs[-1] @ matrix, 0.0), INPUT_STEP, LARGEST_INPUT)
        inputs.append(np.concatenate([seen, np.ones((len(seen), 1))], axis=1))
    return inputs


def downwards(matrices: Sequence[Doubles], inputs: Sequence[Doubles], last: Doubles) -> list[Doubles]:
    """Return the gradient of a loss with respect to the outputs of each layer.

    `last` is the gradient with respect to the outputs of the last layer.

    Shapes: float64[n, outputs] for each layer.
    """
    deltas = [multiples(last, DELTA_STEP, LARGEST_DELTA)]
    for matrix, seen in zip(matrices[:0:-1], inputs[:0:-1], strict=True):
        is_open = (seen[:, :-1] > 0) & (seen[:, :-1] < LARGEST_INPUT)
        back = (deltas[-1] @ matrix[:-1].T) * is_open
        deltas.append(multiples(back, DELTA_STEP, LARGEST_DELTA))
    return deltas[::-1]


@dataclass(frozen=True)
class OverCodes:
    """Base class of networks over the codes of columns, which are numbered column by column.

    `sizes` contains the number of codes of each column. `base` contains a positive integer weight for each
    code.
    """

    sizes: tuple[int, ...]
    base: Base

    if TYPE_CHECKING:

        @property
        def shapes(self) -> Shapes:
            """Return the numbers of inputs and outputs of each layer."""

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(a * b for a, b in self.shapes)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Return the position of the first code of each column."""
        return np.cumsum([0, *self.sizes[:-1]])

    @cached_property
    def shares(self) -> Doubles:
        """Return the base as shares within each column."""
        return np.concatenate([np.array(column) / sum(column) for column in self.base])

    def spans(self) -> Iterator[slice]:
        """Yield the range of the codes of each column."""
        for first, size in zip(self.firsts.tolist(), self.sizes, strict=True):
            yield slice(first, first + size)

    def matrices(self, weights: Floats) -> list[Doubles]:
        """Return the weights of the layers. Shapes: float64[inputs, outputs] for each layer."""
        return matrices_of(weights, self.shapes)


def multiples(values: NDArray[Any], step: float, most: float) -> Doubles:
    """Round towards zero to multiples of `step` of at most `most` in size. NaN becomes `-most`."""
    bounded = np.fmin(np.fmax(values.astype(np.float64), -most), most)
    bounded /= step
    np.trunc(bounded, out=bounded)
    bounded *= step
    return bounded
