"""Optimal transport between particles and tables along directions of the plane, batched over pairs.

A pair of columns is mapped to the unit square: code j of a column of K codes is at (j + 1/2) / K. Along a
direction theta, a measure is one-dimensional, and the optimal transport between two measures matches their
quantiles (Donhauser et al., Privacy-preserving data release leveraging optimal transport and particle
gradient descent, ICML 2024, equation 8).

Shapes: P pairs, K directions of each pair, n particles, m cells of the largest table of the batch. Smaller
tables are padded with cells without mass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from synth.models.targets import Pair

BINS = 2048
"""Number of bins per direction for transport by histogram. With 32 codes per column, each code has at least
45 bins.
"""


def precise(device: torch.device) -> torch.dtype:
    """Return the data type for cumulative shares, whose differences must be precise. It is double precision
    if the device supports it.
    """
    return torch.float32 if device.type == "mps" else torch.float64


@dataclass(frozen=True, eq=False)
class Grid:
    """Tables of pairs with the positions of their cells. Shapes: `x`, `y`, `shares`: [P, m]. `one` and
    `other`: int64[P], the columns of the pairs. The shares of each table sum to 1.
    """

    one: Tensor
    other: Tensor
    x: Tensor
    y: Tensor
    shares: Tensor

    @staticmethod
    def of(pairs: Sequence[Pair], tables: Sequence[NDArray[np.float64]], device: torch.device) -> Grid:
        """Return the tables of these pairs. Shapes: `tables[i]`: float64[sizes of the pair]."""
        cells = max(table.size for table in tables)
        x, y, shares = (np.zeros((len(pairs), cells)) for _ in range(3))
        for i, table in enumerate(tables):
            places = centres(table.shape)
            x[i, : table.size], y[i, : table.size] = places
            shares[i, : table.size] = table.ravel() / table.sum()
        one, other = (torch.tensor([pair[k] for pair in pairs], device=device) for k in (0, 1))
        return Grid(
            one,
            other,
            torch.as_tensor(x, device=device, dtype=torch.float32),
            torch.as_tensor(y, device=device, dtype=torch.float32),
            torch.as_tensor(shares, device=device, dtype=precise(device)),
        )

    def part(self, some: Tensor) -> Grid:
        """Return the tables of some of the pairs. Shapes: int64[pairs]."""
        return Grid(self.one[some], self.other[some], self.x[some], self.y[some], self.shares[some])

    def along(self, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        """Return the sorted positions of the cells along directions, and the cell at each position. Shapes:
        [P, K] twice to [P, K, m] twice.
        """
        places = self.x[:, None] * cos[..., None] + self.y[:, None] * sin[..., None]
        rising, order = places.sort(-1)
        return rising, order


def centres(shape: Sequence[int]) -> NDArray[np.float64]:
    """Return the positions of the cells of a table, in memory order. Shapes: float64[2, cells]."""
    one, other = ((np.arange(size) + 0.5) / size for size in shape)
    return np.stack([np.repeat(one, other.size), np.tile(other, one.size)])


def stratified_directions(pairs: int, directions: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return one direction in each of K equal parts of the half circle. The angles between them are equal,
    and every pair has a random rotation.
    """
    turned = torch.rand(pairs, 1, generator=rng)
    angle = (torch.arange(directions) + turned) * (math.pi / directions)
    return angle.cos(), angle.sin()


def residuals_by_ranks(
    z: Tensor, rising: Tensor, shares: Tensor, cos: Tensor, sin: Tensor, *, bins: int = BINS
) -> Tensor:
    """Return the difference between each particle's position and its position in the optimal transport.

    Nothing is sorted. Particles in the same bin of a direction share the mean of the positions that the
    optimal transport assigns to their ranks, so the error is at most the difference between the particles of
    a bin.

    Shapes: `z`: [P, K, n], projected particles. `rising`: [P, K, m], projected cells in ascending order, with
    their mass in `shares`. `cos`, `sin`: [P, K]. The result is [P, K, n]. Cost: n and m log m per direction.
    """
    pairs, directions, n = z.shape
    low = (cos.clamp(max=0) + sin.clamp(max=0))[..., None]
    scale = (bins * (1 - 1e-6)) / (cos.abs() + sin.abs())[..., None]
    firsts = torch.arange(pairs * directions, device=z.device, dtype=torch.int32) * bins
    where = ((z - low) * scale).to(torch.int32).clamp_(0, bins - 1) + firsts.view(pairs, directions, 1)
    flat = where.view(-1)
    held = torch.bincount(flat, minlength=pairs * directions * bins).view(pairs, directions, bins)
    below = held.cumsum(-1).to(shares.dtype) / n
    reached = shares.cumsum(-1)
    area = (shares * rising).cumsum(-1)
    cell = torch.searchsorted(reached, below).clamp_(max=shares.shape[-1] - 1)
    integral = area.gather(-1, cell) - (reached.gather(-1, cell) - below) * rising.gather(-1, cell)
    step = torch.diff(integral, dim=-1, prepend=torch.zeros_like(integral[..., :1]))
    wanted = (step * n / held.clamp(min=1)).to(z.dtype)
    return z - wanted.view(-1).index_select(0, flat).view(z.shape)
