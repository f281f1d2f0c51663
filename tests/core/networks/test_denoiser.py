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


def test_a_blur_keeps_as_many_codes_as_its_schedule_says() -> None:
    rng = np.random.default_rng(4)
    codes = np.full((30_000, 3), [2, 1, 3])
    assert NET.kept[0] == 1.0 and (np.diff(NET.kept) < 0).all()
    for t in (0, 3, NET.times):
        blurred = NET.blurred(codes, np.full(len(codes), t), rng.random((2, len(codes), 3)))
        expected = NET.kept[t] + (1 - NET.kept[t]) * 0.1  # the share of the last column's last code
        assert (blurred[:, 2] == 3).mean() == pytest.approx(expected, abs=0.01)


def test_trained_weights_make_related_columns() -> None:
    """Descent without noise on two columns that are always the same."""
    net = Denoiser((2, 2), ((1, 1), (1, 1)), hidden=8, layers=1, times=24)
    rng, weights = np.random.default_rng(5), net.start(np.random.default_rng(5))
    for _ in range(600):
        codes = np.repeat(rng.integers(0, 2, (64, 1)), 2, axis=1)
        times = rng.integers(1, 25, 64)
        matrices = net.matrices(weights)
        inputs, odds = net.forward(matrices, net.blurred(codes, times, rng.random((2, 64, 2))), times)
        deltas = net.backward(matrices, inputs, odds, codes)
        slope = np.concatenate([(a.T @ d).ravel() for a, d in zip(inputs, deltas, strict=True)]) / 64
        weights = (weights - 2.0 * slope).astype(np.float32)
    records = np.concatenate([*net.records(weights, 2000, rng)])
    assert (records[:, 0] == records[:, 1]).mean() > 0.9


@pytest.mark.parametrize(
    "wrong",
    [
        Denoiser((3,), ((1, 1),), 2, 1, 2),
        Denoiser((2,), ((1, 0),), 2, 1, 2),
        Denoiser((2,), ((1, 1),), 0, 1, 2),
    ],
)
def test_a_network_of_another_shape_or_without_a_base_is_none(wrong: Denoiser) -> None:
    assert not wrong.is_sound and NET.is_sound


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
