"""Ranks from histograms against sorts."""

from __future__ import annotations

import numpy as np
import torch

from synth.models.particles.particle_fit import quantised
from synth.models.particles.sliced_wasserstein import (
    Grid,
    MaskedAdam,
    residuals_by_ranks,
    residuals_by_sorting,
    stratified_directions,
)

CPU = torch.device("cpu")


def test_histogram_ranks_are_as_good_as_sorts_to_a_twentieth_of_a_code() -> None:
    rng = torch.Generator().manual_seed(0)
    n, (cos, sin) = 20_000, stratified_directions(1, 8, rng)
    u = np.random.default_rng(0).dirichlet(np.full(32 * 32, 0.1)).reshape(32, 32)
    grid = Grid.of([(0, 1)], [u], CPU)
    x = torch.rand(2, n, generator=rng)
    z = x[0] * cos[..., None] + x[1] * sin[..., None]
    rising, order = grid.along(cos, sin)
    counts = quantised(grid.shares, n, 0)
    exact = residuals_by_sorting(z, rising, counts[:, None].expand(order.shape).gather(-1, order))
    whole = (counts / n)[:, None].expand(order.shape).gather(-1, order)
    near = residuals_by_ranks(z, rising.double(), whole, cos, sin)
    assert float((near - exact).square().mean().sqrt()) < 0.05 / 32


def test_masked_moments_move_as_in_sparse_adam() -> None:
    rng = torch.Generator().manual_seed(0)
    ours = torch.rand(50, generator=rng)
    theirs = torch.nn.Parameter(ours.clone())
    adam, sparse = MaskedAdam(ours), torch.optim.SparseAdam([theirs], lr=0.1)
    for _ in range(20):
        gradient = torch.randn(50, generator=rng) * (torch.rand(50, generator=rng) < 0.2)
        adam.move(ours, gradient, 0.1)
        theirs.grad = gradient.to_sparse()
        sparse.step()
    torch.testing.assert_close(ours, theirs.data)
