"""Every column gets its expected counts, and as few records as possible are changed."""

import numpy as np
import pytest

from synth.models.estimates.column_counts import with_counts

SIZES = {"a": 4, "b": 2, "c": 9}


def records(rows: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, list(SIZES.values()), (rows, 3))


def expected(rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {name: rng.dirichlet(np.ones(size)) * rows for name, size in SIZES.items()}


@pytest.mark.parametrize("rows, total", [(1_000, 1_000.0), (1_000, 37.5), (7, 1_000.0), (0, 10.0)])
def test_counts_are_within_one_of_what_is_expected_of_so_many_rows(rows: int, total: float) -> None:
    wanted = expected(1)
    made = with_counts(records(rows), {n: p * total for n, p in wanted.items()}, np.random.default_rng(2))
    assert made.shape == (rows, 3)
    for i, (name, shares) in enumerate(wanted.items()):
        assert np.abs(np.bincount(made[:, i], minlength=SIZES[name]) - shares * rows).max() <= 1.0


def test_no_more_records_change_than_are_too_many() -> None:
    before, wanted = records(1_000), expected(1_000)
    after = with_counts(before, wanted, np.random.default_rng(2))
    for i, (name, size) in enumerate(SIZES.items()):
        have, has = (np.bincount(codes[:, i], minlength=size) for codes in (before, after))
        assert (before[:, i] != after[:, i]).sum() == np.abs(have - has).sum() // 2, name
    again = with_counts(after, wanted, np.random.default_rng(3))
    assert (again == after).all()


def test_kept_columns_and_codes_without_a_count_stay_as_they_are() -> None:
    before, wanted = records(1_000), expected(1_000)
    wanted["c"][4] = 0.0
    after = with_counts(before, wanted, np.random.default_rng(2), kept={"a"})
    assert (after[:, 0] == before[:, 0]).all() and (after[:, 1] != before[:, 1]).any()
    assert not (after[:, 2] == 4).any()
