"""Test layers in multiples of powers of two: exact sums, gradients, and bounds."""

import numpy as np
import pytest

from synth.core.networks import layers
from synth.core.networks.layers import (
    DELTA_STEP,
    LARGEST_DELTA,
    LARGEST_INPUT,
    downwards,
    matrices_of,
    upwards,
)

SHAPES = ((5, 7), (8, 6), (7, 2))


def network(scale: float = 0.4) -> list[np.ndarray]:
    weights = scale * np.random.default_rng(0).standard_normal(sum(a * b for a, b in SHAPES))
    return matrices_of(weights.astype(np.float32), SHAPES)


def rows(many: int) -> np.ndarray:
    first = np.random.default_rng(1).integers(0, 2, (many, 5)).astype(float)
    first[:, -1] = 1.0
    return first


def test_slopes_are_those_of_what_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are equal up to the step size of gradients."""
    monkeypatch.setattr(
        layers, "multiples", lambda values, _, most: np.clip(values.astype(float), -most, most)
    )
    matrices, first, last = network(), rows(3), 0.1 * np.random.default_rng(2).standard_normal((3, 2))
    inputs = upwards(matrices, first)
    deltas = downwards(matrices, inputs, last)

    def loss() -> float:
        return float(((upwards(matrices, first)[-1] @ matrices[-1]) * last).sum())

    for matrix, seen, delta in zip(matrices, inputs, deltas, strict=True):
        slope = seen.T @ delta
        for at in np.ndindex(3, 2):
            before = matrix[at]
            matrix[at] = before + 1e-5
            above = loss()
            matrix[at] = before - 1e-5
            assert slope[at] == pytest.approx((above - loss()) / 2e-5, abs=1e-6)
            matrix[at] = before


def test_everything_is_a_bounded_multiple_whatever_the_weights() -> None:
    for scale in (0.4, 1e4, 1e30):
        matrices = network(scale)
        inputs = upwards(matrices, rows(20))
        deltas = downwards(matrices, inputs, np.full((20, 2), 1e9))
        assert all((seen >= 0).all() and seen.max() <= LARGEST_INPUT for seen in inputs)
        assert all((seen[:, -1] == 1).all() for seen in inputs)
        for delta in deltas:
            assert np.abs(delta).max() <= LARGEST_DELTA and not (delta / DELTA_STEP % 1).any()
