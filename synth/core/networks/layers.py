"""Layers of small networks in multiples of powers of two: public arithmetic on inputs and weights, no rows.

Inputs, weights and what comes back are rounded to multiples of small steps and bounded, so that every sum of
their products is exact in floats: what a network says of a row, and the row's gradient, then do not depend on
the rows that share a product of matrices with it, in any digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Shapes = tuple[tuple[int, int], ...]
"""Of the layers: inputs, the last of which is always 1, and outputs."""

Base = tuple[tuple[int, ...], ...]
"""What is publicly known of each column by itself: a weight above 0 for every code, whole numbers."""

LARGEST_INPUT, INPUT_STEP = 16.0, 2.0**-8
"""What an input of any layer is at most, and a multiple of."""

LARGEST_WEIGHT, WEIGHT_STEP = 64.0, 2.0**-16
"""The same of weights, as the layers have them."""

LARGEST_DELTA, DELTA_STEP = 1.0, 2.0**-18
"""The same of what comes back through the layers. Of 2^13 products with weights every sum is below 2^53 in
these steps, and more so of inputs with weights."""

MOST_UNITS = 1 << 13
"""Of a hidden layer. The last one has no such limit where what comes back from it sums to little."""


def base_told(base: Base) -> bytes:
    """A base as bytes, every column after the other."""
    return bytes(np.array([weight for column in base for weight in column], dtype="<i8").tobytes())


def base_in(told: bytes, sizes: Sequence[int]) -> tuple[Base, bytes]:
    """The base that bytes begin with, of columns of these sizes, and the bytes behind it."""
    end = 8 * sum(sizes)
    columns = np.split(np.frombuffer(told[:end], dtype="<i8"), np.cumsum(sizes)[:-1])
    return tuple(tuple(column.tolist()) for column in columns), told[end:]


def is_base(base: Base, sizes: tuple[int, ...]) -> bool:
    """Whether it is one of columns of these sizes."""
    return tuple(map(len, base)) == sizes and all(weight > 0 for column in base for weight in column)


def matrices_of(weights: Floats, shapes: Shapes) -> list[Doubles]:
    """The weights of the layers, in their steps. Shapes: `weights` float32[parameters];
    float64[inputs, outputs] each."""
    ends = np.cumsum([a * b for a, b in shapes])[:-1]
    whole = multiples(weights, WEIGHT_STEP, LARGEST_WEIGHT)
    return [part.reshape(shape) for part, shape in zip(np.split(whole, ends), shapes, strict=True)]


def upwards(matrices: Sequence[Doubles], first: Doubles) -> list[Doubles]:
    """What goes into every layer: `first`, and behind every layer but the last what is above 0, and a 1.

    Shapes: `first` float64[n, inputs of the first layer]; float64[n, inputs] each.
    """
    inputs = [first]
    for matrix in matrices[:-1]:
        seen = multiples(np.maximum(inputs[-1] @ matrix, 0.0), INPUT_STEP, LARGEST_INPUT)
        inputs.append(np.concatenate([seen, np.ones((len(seen), 1))], axis=1))
    return inputs


def downwards(matrices: Sequence[Doubles], inputs: Sequence[Doubles], last: Doubles) -> list[Doubles]:
    """How a loss grows with what each layer puts out, from how it grows with what the last one does (`last`).

    Shapes: float64[n, outputs] for each layer.
    """
    deltas = [multiples(last, DELTA_STEP, LARGEST_DELTA)]
    for matrix, seen in zip(matrices[:0:-1], inputs[:0:-1], strict=True):
        is_open = (seen[:, :-1] > 0) & (seen[:, :-1] < LARGEST_INPUT)
        back = (deltas[-1] @ matrix[:-1].T) * is_open
        deltas.append(multiples(back, DELTA_STEP, LARGEST_DELTA))
    return deltas[::-1]


class OverCodes:
    """Common part of networks over the codes of columns, which are numbered one column after the other."""

    sizes: tuple[int, ...]
    base: Base

    if TYPE_CHECKING:

        @property
        def shapes(self) -> Shapes:
            """Of the layers: inputs and outputs."""

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return sum(a * b for a, b in self.shapes)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Where each column begins."""
        return np.cumsum([0, *self.sizes[:-1]])

    @cached_property
    def shares(self) -> Doubles:
        """The base as shares of each column."""
        return np.concatenate([np.array(column) / sum(column) for column in self.base])

    def spans(self) -> Iterator[slice]:
        """Yield where the codes of each column are."""
        for first, size in zip(self.firsts.tolist(), self.sizes, strict=True):
            yield slice(first, first + size)

    def matrices(self, weights: Floats) -> list[Doubles]:
        """Return the weights of the layers. Shapes: float64[inputs, outputs] each."""
        return matrices_of(weights, self.shapes)


def multiples(values: NDArray[Any], step: float, most: float) -> Doubles:
    """Rounded towards zero to multiples of `step`, at most `most`; what no float should be is `-most`."""
    bounded = np.fmin(np.fmax(values.astype(np.float64), -most), most)
    bounded /= step
    np.trunc(bounded, out=bounded)
    bounded *= step
    return bounded
