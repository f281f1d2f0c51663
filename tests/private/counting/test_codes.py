"""Test counts of codes: their shape, their limit, and counts in groups."""

import numpy as np
import pytest

from synth.core.axis import Grouping
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.private.counting.codes import Codes
from tests.refusals import refused

DOMAIN = Domain(("a", "b", "c"), (3, 300, 2))


def make(rows: int = 500) -> tuple[np.ndarray, Codes]:
    rng = np.random.default_rng(1)
    array = np.column_stack([rng.integers(0, s, rows) for s in DOMAIN.sizes])
    return array, Codes.of(array, DOMAIN)


def test_tables_beyond_memory_are_refused_by_shape() -> None:
    domain = Domain(("a", "b", "c", "d"), (60000,) * 4)
    codes = Codes.of(np.zeros((1, 4), dtype=int), domain)
    with refused(Code.QUERY_INVALID):
        codes.counts([0, 1, 2, 3])


@pytest.mark.parametrize("bad", [[[0, 0, 2]], [[-1, 0, 0]], [[0, 0]], [0, 0, 0]])
def test_codes_outside_the_domain_are_refused_without_a_value(bad: list) -> None:
    with pytest.raises(ValueError, match=r"domain$"):
        Codes.of(np.array(bad), DOMAIN)


def test_grouped_counts_are_sums_of_fine_counts() -> None:
    _, codes = make()
    grouping = Grouping(column="a", group_of=(0, 0, 1), weights=(1.0, 1.0, 1.0))
    coarse = codes.grouped([grouping])
    assert coarse.domain.sizes == (2, 300, 2)
    fine = codes.counts([0, 2])
    np.testing.assert_array_equal(coarse.counts([0, 2]), np.stack([fine[0] + fine[1], fine[2]]))
    assert coarse.rows == codes.rows
    for _ in range(2):
        requested = codes.counts([0, 2], {"a": grouping.group_of, "b": (0,) * 300})
        np.testing.assert_array_equal(requested, coarse.counts([0, 2]))
    np.testing.assert_array_equal(codes.counts([0, 2]), fine)


@pytest.mark.parametrize("column", ["a", "z"])
def test_a_grouping_of_other_codes_is_refused(column: str) -> None:
    _, codes = make()
    with refused(Code.QUERY_INVALID):
        codes.grouped([Grouping(column=column, group_of=(0, 1), weights=(1.0, 1.0))])
    with pytest.raises(Refusal):
        codes.counts([0], {"a": (0, 1)})
