"""Replace the uniform density in a bin by a linear one that follows its neighbours and keeps the total.

If values are uniform in each bin, a smooth density f becomes a step function; with bins of width h, its error
is about h |f'| / 4. A linear density in each bin, with the slope of van Leer's monotonised central difference
(Towards the ultimate conservative difference scheme IV, 1977), has an error of second order in h. The slope
is limited so that the density at the edges of a bin stays within the densities of the neighbours. It is zero
if the bin is a local maximum or minimum: spikes are not smoothed, and if the differences are only noise, most
bins stay uniform. This is post-processing: it uses only the released bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, Grouping
from synth.core.discretisation import SAME_PLACE, point_edges

Vector = NDArray[np.float64]

_STEEPEST_LINE = 2.0
"""Largest slope: a linear density that is not negative is at most twice its mean at an edge."""


def tilts(masses: Vector, edges: Vector, alone: NDArray[np.bool_] | None = None) -> Vector:
    """Return the slope of every bin: the relative increase of the density from the middle to the right edge.

    Shapes: `masses: float64[n]`, `edges: float64[n + 1]` to float64[n] in [-1, 1]. Bins marked in `alone`
    (single points that have a bin) are uniform, and their neighbours ignore them.
    """
    slopes = np.zeros(len(masses))
    used = np.flatnonzero(~alone) if alone is not None else np.arange(len(masses))
    if len(used) < 3:
        return slopes
    width = np.diff(edges)[used]
    centre = (edges[:-1] + edges[1:])[used] / 2
    apart = np.maximum(np.diff(centre), (width[1:] + width[:-1]) / 2)
    density = np.maximum(masses[used], 0.0) / width
    step = np.diff(density)
    lean = np.empty(len(used))
    central = (density[2:] - density[:-2]) / (apart[1:] + apart[:-1]) * width[1:-1] / 2
    lean[1:-1] = _least(central, step[:-1], step[1:])
    lean[0] = _least(step[0] / apart[0] * width[0] / 2, step[0], step[1])
    lean[-1] = _least(step[-1] / apart[-1] * width[-1] / 2, step[-1], step[-2])
    slopes[used] = np.clip(np.divide(lean, density, out=np.zeros_like(lean), where=density > 0), -1.0, 1.0)
    return slopes


def places(even: Vector, tilt: Vector) -> Vector:
    """Return positions from 0 to 1 in a bin with linear density, for uniform numbers from 0 to 1. Shapes:
    elementwise.

    The density 1 + t (2 z - 1) has the cumulative distribution (1 - t) z + t z^2. The function solves for z
    with a formula that is also valid for t = 0.
    """
    level = 1.0 - tilt
    below = level + np.sqrt(np.maximum(level * level + 4.0 * tilt * even, 0.0))
    return np.asarray(np.divide(2.0 * even, below, out=np.zeros_like(even), where=below > 0))


def steepness(masses: Vector, edges: Vector, alone: NDArray[np.bool_] | None = None) -> Vector:
    """Return the rates of exponential densities for outermost bins in which a linear density is not steep
    enough.

    The rate is a number of e-folds over the bin: negative if the density decreases to the right, and 0 for
    all other bins. A linear density that keeps the total of its bin is at most twice the mean density at one
    edge. Suppose that an outermost bin has a much lower density than its neighbour, so that the geometric
    mean of the two densities is above this limit (usually because there is a tail in one wide bin). Then the
    density of the outermost bin decreases exponentially from that mean and keeps the total. With a linear
    density, a bin from 5,000 to 250,000 next to a bin from 1,000 to 5,000 would have almost no values below
    10,000. Shapes: as in `tilts`, to float64[n].
    """
    rates = np.zeros(len(masses))
    used = np.flatnonzero(~alone) if alone is not None else np.arange(len(masses))
    if len(used) < 3:
        return rates
    density = np.maximum(masses[used], 0.0) / np.diff(edges)[used]
    for own, beside, sign in ((0, 1, 1.0), (-1, -2, -1.0)):
        if density[own] > 0.0 and (edge := (density[beside] / density[own]) ** 0.5) > _STEEPEST_LINE:
            rates[used[own]] = sign * _rate(edge)
    return rates


def _rate(edge: float) -> float:
    """Return the rate r > 0 of a density on [0, 1] that is proportional to exp(-r z) and equal to `edge` > 2
    at 0.

    The function iterates r = edge (1 - exp(-r)), which is a contraction near the solution.
    """
    rate = edge
    for _ in range(60):
        rate = edge * -math.expm1(-rate)
    return rate


def falling(even: Vector, rate: Vector) -> Vector:
    """Return positions from 0 to 1 in a bin with exponential density, for uniform numbers from 0 to 1.

    The density increases to the right if the rate is positive, and decreases if it is negative. No rate may
    be 0. Shapes: elementwise.
    """
    size, falls = np.abs(rate), rate < 0
    away = -np.log1p(np.where(falls, even, 1.0 - even) * np.expm1(-size)) / size
    return np.asarray(np.clip(np.where(falls, away, 1.0 - away), 0.0, np.nextafter(1.0, 0.0)))


def are_points(axis: Axis) -> NDArray[np.bool_]:
    """Return which cells of a range contain only one point: a declared point, or a decimal that a rule uses.

    Shapes: bool[cells].
    """
    edges = np.array(axis.edges)
    narrow = np.diff(edges) <= SAME_PLACE * (edges[-1] - edges[0])
    return np.asarray(narrow | np.isin(edges[:-1], point_edges(axis.column)[::2]))


def leaning(grouping: Grouping, axis: Axis, masses: Sequence[float]) -> Grouping:
    """Return a grouping that distributes each run of cells along the slopes of its neighbours.

    Only groupings of the cells of a range into runs are changed. Other groupings are returned unchanged.
    Shapes: `masses[i]` is the released mass of coarse code i.
    """
    group_of = np.asarray(grouping.group_of)[: axis.cells]
    if not axis.edges or np.any(np.diff(group_of) < 0) or np.any(group_of[1:] - group_of[:-1] > 1):
        return grouping
    edges = np.array(axis.edges)
    first = np.flatnonzero(np.diff(group_of, prepend=-1))
    runs = np.append(edges[first], edges[-1])
    tilt = tilts(np.asarray(masses, dtype=np.float64)[: len(first)], runs)[group_of]
    width = np.diff(runs)[group_of]
    left, right = ((e - runs[group_of]) / width for e in (edges[:-1], edges[1:]))
    share = (right - left) * (1.0 + tilt * (left + right - 1.0))
    weights = (*(share * width).tolist(), *grouping.weights[axis.cells :])
    return Grouping(column=grouping.column, group_of=grouping.group_of, weights=weights)


def _least(*slopes: Vector) -> Vector:
    """Return the number with the smallest absolute value if all numbers have the same sign, otherwise 0."""
    together = np.stack(np.broadcast_arrays(*slopes))
    same = (together > 0).all(axis=0) | (together < 0).all(axis=0)
    return np.where(same, np.sign(together[0]) * np.abs(together).min(axis=0), 0.0)
