"""Systematic draws of one column."""

from __future__ import annotations

import numpy as np
import pytest

from synth.generate import rounding
from synth.generate.rounding import draw_column


def test_every_group_gets_its_expected_counts_within_one() -> None:
    rng = np.random.default_rng(3)
    table = rng.dirichlet(np.ones(5), 4)
    parent = rng.integers(0, 4, 10_000)
    drawn = draw_column(table, [parent], 10_000, rng=rng)
    got = np.bincount(parent * 5 + drawn, minlength=20).reshape(4, 5)
    expected = np.bincount(parent, minlength=4)[:, None] * table
    assert np.abs(got - expected).max() <= 1 + 1e-9


def test_values_of_no_weight_are_never_drawn() -> None:
    table = np.array([[0.0, 1e-9, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])
    parent = np.arange(20_000) % 2
    for seed in range(20):
        drawn = draw_column(table, [parent], 20_000, rng=np.random.default_rng(seed))
        assert set(drawn[parent == 0]) <= {1, 3} and set(drawn[parent == 1]) == {2}


def test_the_last_quantile_of_a_late_group_stays_in_its_group() -> None:
    weights = np.tile([1.0, 0.0], (70_000, 1))
    group = np.arange(70_000)
    almost_one = np.full(70_000, 1 - 2.0**-53)
    assert not rounding._invert(weights, group, almost_one).any()
    assert not rounding._invert(weights, group, np.ones(70_000)).any()


def test_a_single_draw_follows_the_distribution() -> None:
    rng = np.random.default_rng(5)
    table = np.array([0.1, 0.6, 0.3])
    drawn = np.concatenate([draw_column(table, [], 1, rng=rng) for _ in range(4000)])
    share = np.bincount(drawn, minlength=3) / 4000
    assert np.abs(share - table).max() < 6.5 * np.sqrt(0.25 / 4000)  # false alarm below 1e-9


def test_columns_drawn_from_the_same_parent_do_not_share_ranks() -> None:
    rng = np.random.default_rng(6)
    table = np.array([[0.5, 0.5]])
    parent = np.zeros(40_000, dtype=np.int64)
    first, second = (draw_column(table, [parent], 40_000, rng=rng) for _ in range(2))
    assert abs(np.corrcoef(first, second)[0, 1]) < 6.5 / np.sqrt(40_000)


def test_small_blocks_give_the_same_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(7).random((6, 7, 4))
    parents = [np.random.default_rng(8).integers(0, n, 500) for n in (6, 7)]
    whole = draw_column(table, parents, 500, rng=np.random.default_rng(9))
    monkeypatch.setattr(rounding, "_BLOCK", 10)
    assert np.array_equal(whole, draw_column(table, parents, 500, rng=np.random.default_rng(9)))


def test_impossible_parents_are_refused_and_no_rows_are_fine() -> None:
    table = np.array([[1.0, 1.0], [0.0, 0.0]])
    rng = np.random.default_rng(10)
    with pytest.raises(ArithmeticError, match="impossible"):
        draw_column(table, [np.array([0, 1])], 2, rng=rng)
    assert draw_column(table, [np.empty(0, dtype=np.int64)], 0, rng=rng).shape == (0,)
