"""Ranks from histograms compared with ranks from sorting."""

import numpy as np
import torch

from synth.models.particles.sliced_wasserstein import Grid, residuals_by_ranks, stratified_directions
from tests.models.particles.examples import by_sorting

CPU = torch.device("cpu")


def test_histogram_ranks_are_as_good_as_sorts_to_a_twentieth_of_a_code() -> None:
    rng = torch.Generator().manual_seed(0)
    n, (cos, sin) = 20_000, stratified_directions(1, 8, rng)
    u = np.random.default_rng(0).dirichlet(np.full(32 * 32, 0.1)).reshape(32, 32)
    grid = Grid.of([(0, 1)], [u], CPU)
    x = torch.rand(2, n, generator=rng)
    z = x[0] * cos[..., None] + x[1] * sin[..., None]
    rising, order = grid.along(cos, sin)
    mass = grid.shares[0][order[0]]
    exact = torch.stack([by_sorting(*one) for one in zip(z[0], rising[0], mass, strict=True)])
    near = residuals_by_ranks(z, rising.double(), mass[None], cos, sin)[0]
    assert float((near - exact).square().mean().sqrt()) < 0.05 / 32
