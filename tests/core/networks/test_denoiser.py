"""What the network of a diffusion computes: gradients by differences, records by what they must be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from synth.core.networks.denoiser import Denoiser

NET = Denoiser((3, 2, 4), ((5, 3, 2), (1, 1), (4, 3, 2, 1)), hidden=5, layers=2, times=6)


def some(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, NET.sizes, (rows, 3))
    times = rng.integers(1, NET.times + 1, rows)
    return codes, times, NET.blurred(codes, times, rng.random((2, rows, 3)))


def test_its_gradient_is_the_slope_of_its_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the steps in which it is computed."""
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


def test_a_network_that_learned_nothing_makes_independent_columns_of_its_base() -> None:
    weights = NET.start(np.random.default_rng(2))
    records = np.concatenate([*NET.records(weights, 20_000, np.random.default_rng(3))])
    assert records.shape == (20_000, 3)
    for column, base in enumerate(NET.base):
        told = np.bincount(records[:, column], minlength=len(base))
        assert chisquare(told, np.array(base) / sum(base) * len(records)).pvalue > 1e-6
    joint = np.bincount(records[:, 0] * 4 + records[:, 2], minlength=12)
    shares = np.outer(np.array(NET.base[0]) / 10, np.array(NET.base[2]) / 10).ravel()
    assert chisquare(joint, shares * len(records)).pvalue > 1e-6


def test_what_is_said_of_a_record_does_not_depend_on_the_records_beside_it() -> None:
    """In no digit: libraries multiply one row, a few and many in other orders."""
    sizes = (9, 16, 7, 15, 6, 42, 20)
    net = Denoiser(sizes, tuple((1,) * n for n in sizes), hidden=128, layers=2, times=20)
    rng = np.random.default_rng(5)
    matrices = net.matrices((0.1 * rng.standard_normal(net.parameters)).astype(np.float32))
    codes, times = rng.integers(0, sizes, (301, len(sizes))), rng.integers(1, 21, 301)

    def said(some: slice) -> list[np.ndarray]:
        inputs, odds = net.forward(matrices, codes[some], times[some])
        return [*inputs, odds, *net.backward(matrices, inputs, odds, codes[some])]

    whole = said(slice(None))
    for row in (0, 7, 150, 300):
        for among, alone in zip(whole, said(slice(row, row + 1)), strict=True):
            np.testing.assert_array_equal(among[row], alone[0])
