"""Test the network of a diffusion model: gradients by differences, and records by their known
distribution.
"""

import numpy as np
import pytest

from synth.core.networks.denoiser import Denoiser

NET = Denoiser((3, 2, 4), ((5, 3, 2), (1, 1), (4, 3, 2, 1)), hidden=5, layers=2, times=6)


def some(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, NET.sizes, (rows, 3))
    times = rng.integers(1, NET.times + 1, rows)
    return codes, times, NET.blurred(codes, times, rng.random((2, rows, 3)))


def test_its_gradient_is_the_slope_of_its_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are equal up to the step size of gradients."""
    monkeypatch.setattr(
        "synth.core.networks.layers.multiples", lambda values, _, most: np.clip(values, -most, most)
    )
    rng = np.random.default_rng(1)
    weights = (0.3 * rng.standard_normal(NET.parameters)).astype(np.float32)
    codes, times, blurred = some(4)

    def loss(at: np.ndarray) -> float:
        _, odds = NET.forward([m.astype(np.float64) for m in NET.matrices(at)], blurred, times)
        chances = NET.likely(odds.astype(np.float64))
        return float(-np.log(np.take_along_axis(chances, codes + NET.firsts, axis=1)).mean(axis=1).sum())

    inputs, odds = NET.forward(NET.matrices(weights), blurred, times)
    deltas = NET.backward(NET.matrices(weights), inputs, odds, codes)
    gradient = np.concatenate([(a.T @ d).ravel() for a, d in zip(inputs, deltas, strict=True)])
    for i in rng.choice(NET.parameters, 40, replace=False):
        step = np.zeros(NET.parameters)
        step[i] = 1e-4
        slope = (loss(weights + step) - loss(weights - step)) / 2e-4
        assert gradient[i] == pytest.approx(slope, abs=2e-3)
