"""Half-space measurements of rows of shares in torch equal those of `models.mixture.half_spaces`, and have
gradients.
"""

import numpy as np
import pytest
import torch

from synth.models.mixture.embedding_torch import ExpectedSides
from synth.models.mixture.half_spaces import Planes

SIZES, K = (3, 4, 2), 5
SPANS = (slice(0, 3), slice(3, 7), slice(7, 9))


def planes(*, label: bool) -> Planes:
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((9, K)).astype(np.float32)
    if label:
        weights[SPANS[2]] = 0
    return Planes(
        weights=weights,
        squares=weights**2,
        thresholds=rng.standard_normal(K).astype(np.float32),
        columns=SPANS[:2] if label else SPANS,
        label=SPANS[2] if label else None,
    )


def shares(rows: int = 6) -> torch.Tensor:
    rng = np.random.default_rng(1)
    parts = [rng.dirichlet(np.ones(n), rows) for n in SIZES]
    return torch.as_tensor(np.concatenate(parts, axis=1), dtype=torch.float32)


@pytest.mark.parametrize("label", [False, True])
def test_they_are_the_sums_of_what_numpy_says(label: bool) -> None:
    known, codes = planes(label=label), shares()
    found = ExpectedSides(known, "cpu")(codes)
    np.testing.assert_allclose(found.numpy(), 6 * known.sides(codes.numpy().T).ravel(), atol=2e-3)
    assert found.shape == ((2 if label else 1) * K,)


@pytest.mark.parametrize("label", [False, True])
def test_it_has_a_slope_in_every_share(label: bool) -> None:
    codes = shares().requires_grad_()
    (slope,) = torch.autograd.grad(ExpectedSides(planes(label=label), "cpu")(codes).square().sum(), codes)
    assert torch.isfinite(slope).all() and (slope != 0).all()


def test_a_softer_step_reaches_rows_that_are_decided_and_far_from_the_plane() -> None:
    known, codes = planes(label=False), torch.eye(3)[:, [0, 1, 2]].repeat(1, 3)[:, :9].requires_grad_()
    sides, slopes = ExpectedSides(known, "cpu"), []
    for softness in (0.05, 1.0):
        sides.softness = softness
        slopes.append(torch.autograd.grad(sides(codes).sum(), codes)[0].abs().sum().item())
    assert slopes[1] > 2 * slopes[0]
