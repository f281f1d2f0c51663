import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.model import Projectable
from synth.core.table import CodeTable

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))
CODES = np.array([[0, 1, 3], [2, 0, 0], [2, 0, 1], [0, 1, 3]])


def test_counts_put_every_record_in_its_own_cell_whatever_the_order_of_columns() -> None:
    table = CodeTable(DOMAIN, CODES)
    expected = np.zeros((3, 2, 4), dtype=np.int64)
    for record in CODES:
        expected[tuple(record)] += 1
    np.testing.assert_array_equal(table.counts(("a", "b", "c")), expected)
    np.testing.assert_array_equal(table.counts(("a", "c")), expected.sum(axis=1))
    np.testing.assert_array_equal(table.counts(("c", "a")), expected.sum(axis=1).T)
    assert table.counts(()) == 4


def test_tables_counted_ahead_are_the_tables_counted_alone() -> None:
    domain = Domain(("a", "b", "c", "d"), (3, 2, 4, 5))
    codes = np.random.default_rng(1).integers(0, domain.sizes, size=(1000, 4))
    ahead, alone = CodeTable(domain, codes, room=50), CodeTable(domain, codes)
    cliques = [("a", "b"), ("a", "d"), ("b", "c"), ("c",), ("a", "b", "c"), ("c", "d")]
    ahead.count_ahead(cliques)
    assert len(ahead._kept) == 4, "the cache has room for the first four"
    for clique in cliques:
        np.testing.assert_array_equal(ahead.counts(clique), alone.counts(clique))


def test_small_unsigned_codes_do_not_overflow() -> None:
    domain = Domain(("a", "b"), (200, 200))
    table = CodeTable(domain, np.array([[199, 199]], dtype=np.uint8))
    assert table.counts(("a", "b"))[199, 199] == 1


def test_a_table_of_codes_is_projectable_and_an_empty_one_too() -> None:
    table = CodeTable(DOMAIN, np.empty((0, 3), dtype=np.int64))
    assert isinstance(table, Projectable)
    assert table.project(("a", "b")).sum() == 0.0


@pytest.mark.parametrize("codes", [CODES[:, :2], CODES + 1, -CODES])
def test_codes_that_do_not_fit_the_domain_are_refused(codes: np.ndarray) -> None:
    with pytest.raises(ValueError):
        CodeTable(DOMAIN, codes)
