"""Counting codes: exact, shaped, bounded, closed to pickles."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(3)), st.integers(0, 3))
def test_counts_equal_a_dense_count_in_any_order(order: list[int], k: int) -> None:
    array, codes = make()
    axes = order[:k]
    expected = np.zeros([DOMAIN.sizes[i] for i in axes], dtype=np.int64)
    for row in array:
        expected[tuple(row[axes])] += 1
    for _ in range(2):
        found = codes.counts(axes)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, expected)


def test_large_code_products_do_not_wrap() -> None:
    domain = Domain(("a", "b"), (200, 200))
    codes = Codes.of(np.array([[199, 199]]), domain)
    assert codes.counts([0, 1])[199, 199] == 1


def test_tables_beyond_memory_are_refused_by_shape() -> None:
    domain = Domain(("a", "b", "c", "d"), (60000,) * 4)
    codes = Codes.of(np.zeros((1, 4), dtype=int), domain)
    with refused(Code.QUERY_INVALID):
        codes.counts([0, 1, 2, 3])


@pytest.mark.parametrize("bad", [[[0, 0, 2]], [[-1, 0, 0]], [[0, 0]], [0, 0, 0]])
def test_codes_outside_the_domain_are_refused_without_a_value(bad: list) -> None:
    with pytest.raises(ValueError, match=r"domain$"):
        Codes.of(np.array(bad), DOMAIN)


def test_neither_shown_nor_pickled() -> None:
    _, codes = make()
    assert repr(codes) == "Codes(columns=3)"
    with pytest.raises(Refusal):
        pickle.dumps(codes)


def test_grouped_counts_are_sums_of_fine_counts() -> None:
    _, codes = make()
    grouping = Grouping(column="a", group_of=(0, 0, 1), weights=(1.0, 1.0, 1.0))
    coarse = codes.grouped([grouping])
    assert coarse.domain.sizes == (2, 300, 2)
    fine = codes.counts([0, 2])
    np.testing.assert_array_equal(coarse.counts([0, 2]), np.stack([fine[0] + fine[1], fine[2]]))
    assert coarse.rows == codes.rows
    for _ in range(2):
        asked = codes.counts([0, 2], {"a": grouping.group_of, "b": (0,) * 300})
        np.testing.assert_array_equal(asked, coarse.counts([0, 2]))
    np.testing.assert_array_equal(codes.counts([0, 2]), fine)


def test_a_code_beyond_the_domain_is_a_row_that_falls_in_no_cell() -> None:
    domain = Domain(("a", "b"), (2, 2))
    codes = Codes([np.array([0, 1, 2, 1], np.uint8), np.array([0, 1, 1, 0], np.uint8)], domain, spans=(3, 2))
    assert codes.rows == 4
    assert codes.counts((0,)).tolist() == [1, 2]
    assert codes.counts((0, 1)).tolist() == [[1, 0], [1, 1]]
    assert codes.counts((1,)).tolist() == [2, 2]
    coarse = codes.grouped([Grouping(column="a", group_of=(0, 0), weights=(1.0, 1.0))])
    assert coarse.counts((0, 1)).tolist() == [[2, 1]] and coarse.rows == 4
    assert codes.counts((0, 1), {"a": (0, 0), "b": (0, 0)}).tolist() == [[3]]


@pytest.mark.parametrize("column", ["a", "z"])
def test_a_grouping_of_other_codes_is_refused(column: str) -> None:
    _, codes = make()
    with refused(Code.QUERY_INVALID):
        codes.grouped([Grouping(column=column, group_of=(0, 1), weights=(1.0, 1.0))])
    with pytest.raises(Refusal):
        codes.counts([0], {"a": (0, 1)})
