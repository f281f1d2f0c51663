"""The embedding of a mixture of products equals the embedding of its records."""

import numpy as np
import pytest
import torch

from synth.models.mixture.embedding import MeanEmbedding
from synth.models.mixture.embedding_torch import ExpectedWaves

SIZES, TURN = (3, 4, 2), 16
FREQUENCIES = np.array([[1, 0, 0], [0, 2, 0], [3, 7, 0]])
SPANS = (slice(0, 3), slice(3, 7), slice(7, 9))


def embedding(*, label: bool) -> MeanEmbedding:
    factors = []
    for span, size, steps in zip(SPANS, SIZES, FREQUENCIES.T, strict=True):
        angles = 2 * np.pi * np.outer(np.arange(size), steps[steps > 0]) / TURN
        factors.append((span, np.stack([np.cos(angles), np.sin(angles)]).astype(np.float32)))
    means = np.zeros((2 if label else 1, 3, 2), dtype=np.float32)
    return MeanEmbedding(
        factors=tuple(factors),
        places=np.array([[0, 4], [2, 4], [1, 3]]).T,
        label=SPANS[2] if label else None,
        means=means,
        weights=np.ones_like(means),
        sigma=1.0,
    )


@pytest.mark.parametrize("label", [False, True])
def test_it_is_the_mean_over_all_records_that_a_component_may_draw(label: bool) -> None:
    rng = np.random.default_rng(0)
    shares = [rng.dirichlet(np.ones(size), 5) for size in SIZES]
    expected = np.zeros((2 if label else 1, 3, 2))
    for row in range(5):
        for codes in np.ndindex(*SIZES):
            weight = np.prod([s[row, code] for s, code in zip(shares, codes, strict=True)])
            angle = 2 * np.pi * (FREQUENCIES @ codes) / TURN
            place = codes[2] if label else 0
            expected[place] += weight * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    codes_of = torch.as_tensor(np.concatenate(shares, axis=1), dtype=torch.float32)
    found = ExpectedWaves(embedding(label=label), "cpu")(codes_of)
    np.testing.assert_allclose(found.numpy(), expected.ravel(), atol=1e-5)


def test_it_has_a_slope_in_every_share() -> None:
    codes = torch.full((2, 9), 0.5, requires_grad=True)
    (slope,) = torch.autograd.grad(ExpectedWaves(embedding(label=True), "cpu")(codes).square().sum(), codes)
    assert (slope != 0).all()
