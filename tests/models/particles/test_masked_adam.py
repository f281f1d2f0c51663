"""Moments stand still where the gradient does."""

from __future__ import annotations

import torch

from synth.models.particles.masked_adam import MaskedAdam


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
