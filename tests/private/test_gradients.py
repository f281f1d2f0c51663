"""Test private gradients: the effect of a row on their sum, and what the gradient of a row depends on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting.sampled import PARTS
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.layers import DELTA_STEP
from synth.private import gradients
from synth.private.entropy import OS_ENTROPY, Rehearsal
from synth.private.gradients import CLIP, INPUT_SCALE, Rows, clipped
from tests.private.samples import are_poisson_samples

NET = Denoiser((3, 2, 4), ((5, 3, 2), (1, 1), (4, 3, 2, 1)), hidden=6, layers=2, times=6)


def table(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, NET.sizes, (rows, 3))


def total(codes: np.ndarray, scale: float = 0.5, **more: int) -> np.ndarray:
    rows = Rows(codes, NET)
    weights = scale * np.random.default_rng(1).standard_normal(NET.parameters)
    requested = {"clip": 0.1, "copies": 3, "step": 2} | more
    return rows.gradient(NET.matrices(weights.astype(np.float32)), np.arange(len(codes)), **requested)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.01, 0.5, 30.0, 1e8, 1e30]))
def test_a_row_moves_the_sum_by_no_more_than_the_clip(seed: int, scale: float) -> None:
    """Whatever the weights, and by exactly its own gradient: all others stay as they are."""
    codes = table(20, seed)
    with np.errstate(all="ignore"):
        whole, less = total(codes, scale), total(codes[:-1], scale)
        alone = total(codes[-1:], scale)
    moved = [int(n) for n in whole - less]
    assert sum(n * n for n in moved) <= CLIP**2
    np.testing.assert_array_equal(whole - less, alone)


def test_rows_beside_a_row_change_nothing_of_its_gradient_in_a_large_network() -> None:
    """Libraries multiply large matrices in blocks: which rows share one must not be seen in any digit."""
    sizes = (9, 16, 7, 15, 6, 42, 20)
    net = Denoiser(sizes, tuple((1,) * n for n in sizes), hidden=128, layers=2, times=20)
    rng = np.random.default_rng(5)
    matrices = net.matrices((0.1 * rng.standard_normal(net.parameters)).astype(np.float32))
    codes = rng.integers(0, sizes, (700, len(sizes)))

    def gradient(some: np.ndarray) -> np.ndarray:
        return Rows(codes[some], net).gradient(matrices, np.arange(len(some)), clip=1.0, copies=3, step=1)

    every = np.arange(len(codes))
    whole = gradient(every)
    for row in range(0, 700, 50):
        alone = gradient(np.array([row]))
        np.testing.assert_array_equal(whole - gradient(np.delete(every, row)), alone)
        assert np.linalg.norm(alone.astype(float)) <= CLIP


@pytest.mark.parametrize("clip", [1e-320, 1e-300, 1e-145, 1e300])
def test_a_row_whose_length_no_float_tells_is_left_out(clip: float) -> None:
    """And adds up to nothing rather than to what is no number."""
    with np.errstate(all="ignore"):
        moved = [int(n) for n in total(table(1), clip=clip)]
    assert sum(n * n for n in moved) <= CLIP**2


def test_sums_beyond_what_floats_hold_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of so many rows that pull the same way there is no message either: it would tell of the rows."""
    large = [np.full(shape, 2.0**52 + 1) for shape in NET.shapes]
    monkeypatch.setattr(gradients, "clipped", lambda *_, **__: large)
    monkeypatch.setattr(gradients, "COPIES_AT_A_TIME", 3)
    assert (total(table(5)) == 5 * (2**52 + 1)).all()


def test_long_gradients_are_cut_to_just_the_clip_and_short_ones_are_as_they_are() -> None:
    cut = total(table(1), clip=1e-4)
    assert 0.99 < np.linalg.norm(cut.astype(float)) / CLIP <= 1
    kept, twice = total(table(1), clip=50.0), total(table(1), clip=100.0)
    assert np.linalg.norm(kept - 2.0 * twice) < 1e-3 * np.linalg.norm(kept.astype(float)) < 0.5 * CLIP
    assert np.abs(kept).max() > 1000


def test_sums_of_products_are_exact_in_whole_numbers() -> None:
    rng = np.random.default_rng(3)
    inputs = [rng.uniform(0, 16, (60, 7)).astype(np.float32), rng.uniform(0, 1, (60, 4)).astype(np.float32)]
    deltas = [
        rng.standard_normal((60, 5)).astype(np.float32),
        rng.standard_normal((60, 3)).astype(np.float32),
    ]
    parts = clipped(inputs, deltas, clip=1000.0, copies=2)
    for a, d, part in zip(inputs, deltas, parts, strict=True):
        whole = np.trunc(a.astype(float) * INPUT_SCALE).astype(np.int64)
        fine = np.trunc(d.astype(float) * CLIP / (1000.0 * 2 * INPUT_SCALE)).astype(np.int64)
        np.testing.assert_array_equal(part.astype(np.int64), whole.T @ fine)


def test_a_row_that_rounding_left_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.private.gradients.ROUNDED", -1.0)  # cut to twice the clip
    assert not total(table(3), clip=1e-4).any()


def test_a_sample_has_every_row_by_itself_with_the_chance() -> None:
    rows = Rows(table(60), NET)
    drawn = np.zeros((400, 60), dtype=bool)
    for sample in drawn:
        sample[rows.sample(PARTS // 4, OS_ENTROPY)] = True
    assert are_poisson_samples(drawn, 0.25)
    every, many = np.arange(60), np.tile(np.arange(60) < 15, (400, 1))
    rng = np.random.default_rng(0)
    assert not are_poisson_samples(rng.permuted(many, axis=1), 0.25), "samples of a fixed size are not"
    assert not are_poisson_samples(np.repeat(drawn[:10], 40, axis=0), 0.25), "repeated samples are not"
    assert not are_poisson_samples(drawn[:, every // 2], 0.25), "rows that come together are not"
    large = Rows(table(40_000), NET).sample(PARTS // 8, OS_ENTROPY)
    assert abs(len(large) - 5000) < 6 * (40_000 * 0.125 * 0.875) ** 0.5
    assert len(rows.sample(PARTS, OS_ENTROPY)) == 60
    assert np.array_equal(rows.sample(9, Rehearsal(1)), rows.sample(9, Rehearsal(1)))


def test_an_empty_sample_adds_nothing_and_a_row_beyond_the_domain_is_none() -> None:
    assert not total(np.empty((0, 3), dtype=np.int64)).any()
    outside = np.vstack([table(5), [[3, 0, 0]]])
    rows = Rows(outside, NET)
    assert len(rows.sample(PARTS, OS_ENTROPY)) == 5 and repr(rows) == "Rows()"


def test_a_rows_length_in_a_wide_layer_is_the_same_at_any_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """`einsum` adds up more than 8192 products in parts that depend on the rows before."""
    found: list[np.ndarray] = []
    measured = gradients._lengths

    def kept(*requested: object) -> np.ndarray:
        found.append(measured(*requested))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(gradients, "_lengths", kept)
    rng = np.random.default_rng(2)
    inputs, deltas = np.trunc(rng.random((60, 3)) * 256) / 256, rng.standard_normal((60, 10_007)) / 64
    inputs[:, -1], deltas = 1.0, np.trunc(deltas / DELTA_STEP) * DELTA_STEP
    clipped([inputs], [deltas], clip=0.3, copies=2)
    whole = found[:2]
    for row in range(30):
        own = slice(2 * row, 2 * row + 2)
        clipped([inputs[own]], [deltas[own]], clip=0.3, copies=2)
        assert (found[-2][0], found[-1][0]) == (whole[0][row], whole[1][row])
