"""Systematic sampling of columns."""

import numpy as np
import pytest

from synth.models.estimates import rounding
from synth.models.estimates.rounding import draw_columns


def test_every_group_gets_its_expected_counts_within_one() -> None:
    rng = np.random.default_rng(3)
    table = rng.dirichlet(np.ones(5), 4)
    parent = rng.integers(0, 4, 10_000)
    (drawn,) = draw_columns(table, [parent], 10_000, rng=rng)
    got = np.bincount(parent * 5 + drawn, minlength=20).reshape(4, 5)
    expected = np.bincount(parent, minlength=4)[:, None] * table
    assert np.abs(got - expected).max() <= 1 + 1e-9


def test_values_of_no_weight_are_never_drawn() -> None:
    table = np.array([[0.0, 1e-9, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])
    parent = np.arange(20_000) % 2
    for seed in range(20):
        (drawn,) = draw_columns(table, [parent], 20_000, rng=np.random.default_rng(seed))
        assert set(drawn[parent == 0]) <= {1, 3} and set(drawn[parent == 1]) == {2}


@pytest.mark.parametrize("share", [0.0, 2.0**-53, 0.5, 1 - 2.0**-53])
def test_every_row_gets_a_possible_value_at_every_quantile(share: float) -> None:
    weights = np.tile([0.0, 1 / 3, 0.0, 0.1, 0.0], (70_000, 1))
    count = np.arange(70_000) % 5 + 1
    cell, split = rounding._split(weights, np.arange(70_000), count, np.full(70_000, share))
    assert set((cell % 5).tolist()) <= {1, 3} and (split > 0).all()
    assert np.array_equal(np.bincount(cell // 5, weights=split), count)


def test_each_column_is_within_one_given_those_before_it() -> None:
    rng = np.random.default_rng(4)
    table = rng.dirichlet(np.full(60, 0.3)).reshape(3, 4, 5)
    parent = rng.integers(0, 3, 5_000)
    first, second = draw_columns(table, [parent], 5_000, rng=rng)
    pairs = np.bincount(parent * 4 + first, minlength=12).reshape(3, 4)
    triples = np.bincount((parent * 4 + first) * 5 + second, minlength=60).reshape(3, 4, 5)
    share = table.sum(axis=2) / table.sum(axis=(1, 2))[:, None]
    assert np.abs(pairs - np.bincount(parent)[:, None] * share).max() <= 1 + 1e-9
    share = table / table.sum(axis=2, keepdims=True)
    assert np.abs(triples - pairs[..., None] * share).max() <= 1 + 1e-9


def test_fewer_rows_than_cells_leave_no_pattern() -> None:
    columns = draw_columns(np.ones((2,) * 12), [], 2_048, rng=np.random.default_rng(11))
    bits = np.array(columns) - 0.5
    assert np.abs(bits.sum(axis=1)).max() < 6.5 * np.sqrt(2_048 / 4)
    alike = bits @ bits.T - np.diag((bits**2).sum(axis=1))
    assert np.abs(alike).max() < 6.5 * np.sqrt(2_048 / 16)


def test_a_single_draw_follows_the_distribution() -> None:
    rng = np.random.default_rng(5)
    table = np.array([0.1, 0.6, 0.3])
    drawn = np.concatenate([draw_columns(table, [], 1, rng=rng)[0] for _ in range(4000)])
    share = np.bincount(drawn, minlength=3) / 4000
    assert np.abs(share - table).max() < 6.5 * np.sqrt(0.25 / 4000)  # false alarm below 1e-9


def test_columns_drawn_from_the_same_parent_do_not_share_ranks() -> None:
    rng = np.random.default_rng(6)
    table = np.array([[0.5, 0.5]])
    parent = np.zeros(40_000, dtype=np.int64)
    first, second = (draw_columns(table, [parent], 40_000, rng=rng)[0] for _ in range(2))
    assert abs(np.corrcoef(first, second)[0, 1]) < 6.5 / np.sqrt(40_000)


def test_small_blocks_give_the_same_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(7).random((6, 7, 4, 3))
    parents = [np.random.default_rng(8).integers(0, n, 500) for n in (6, 7)]
    whole = draw_columns(table, parents, 500, rng=np.random.default_rng(9))
    monkeypatch.setattr(rounding, "_BLOCK", 10)
    assert len(whole) == 2 and np.array_equal(
        whole, draw_columns(table, parents, 500, rng=np.random.default_rng(9))
    )


def test_impossible_parents_are_refused_and_no_rows_are_fine() -> None:
    table = np.array([[1.0, 1.0], [0.0, 0.0]])
    rng = np.random.default_rng(10)
    with pytest.raises(ArithmeticError, match="excludes"):
        draw_columns(table, [np.array([0, 1])], 2, rng=rng)
    (drawn,) = draw_columns(table, [np.empty(0, dtype=np.int64)], 0, rng=rng)
    assert drawn.shape == (0,)
