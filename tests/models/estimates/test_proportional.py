"""Proportional fitting of a table to its pairs."""

import numpy as np

from synth.models.estimates.proportional import fitted_to

PAIRS = ((0, 1), (0, 2), (1, 2))


def pairs_of(table: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    return {(a, b): table.sum(axis=3 - a - b) for a, b in PAIRS}


def test_it_gets_the_tables_of_two_axes_and_keeps_what_they_do_not_say() -> None:
    rng = np.random.default_rng(0)
    start, wanted = rng.uniform(1, 2, (4, 3, 5)), rng.uniform(1, 2, (4, 3, 5))
    wanted *= start.sum() / wanted.sum()
    found = fitted_to(start, pairs_of(wanted))
    for pair, table in pairs_of(wanted).items():
        np.testing.assert_allclose(pairs_of(found)[pair], table, rtol=1e-4)

    def odds(table: np.ndarray) -> np.ndarray:
        """Return the log odds ratios of all three axes, which do not depend on the pairs."""
        logs = np.log(table)
        for axis in range(3):
            logs = np.diff(logs, axis=axis)
        return logs

    np.testing.assert_allclose(odds(found), odds(start), atol=1e-9)


def test_a_table_that_has_its_pairs_stays_and_an_empty_cell_stays_empty() -> None:
    table = np.random.default_rng(1).uniform(1, 2, (3, 3, 2))
    table[0, 1, 1] = table[:, 2, 0] = 0.0
    found = fitted_to(table, pairs_of(table))
    np.testing.assert_allclose(found, table, rtol=1e-12)
    moved = fitted_to(table, pairs_of(table + 1.0))
    assert np.isfinite(moved).all() and (moved[table == 0] == 0).all()


def test_columns_are_met_around_cells_that_stay_empty() -> None:
    rng = np.random.default_rng(4)
    table = rng.random((4, 5)) + 0.1
    cut = table.copy()
    cut[:2, :2] = 0.0
    found = fitted_to(cut, {(0,): table.sum(axis=1), (1,): table.sum(axis=0)})
    assert (found[:2, :2] == 0).all()
    np.testing.assert_allclose(found.sum(axis=0), table.sum(axis=0))
    np.testing.assert_allclose(found.sum(axis=1), table.sum(axis=1), rtol=0.02)
