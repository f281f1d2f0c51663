"""Columns in only one table are removed, and drawn again according to this table."""

import numpy as np

from synth.core.domain import Domain
from synth.models.records.appending import append, peeled

DOMAIN = Domain(tuple("abcd"), (3, 2, 4, 2))


def joint() -> np.ndarray:
    """Return a chain from a over b and c to d."""
    rng = np.random.default_rng(0)
    first, *steps = (rng.dirichlet(np.ones(y), x) for x, y in ((1, 3), (3, 2), (2, 4), (4, 2)))
    return 900 * np.einsum("a,ab,bc,cd->abcd", first[0], *steps)


TABLES = {
    ("a", "b"): joint().sum(axis=(2, 3)),
    ("b", "c"): joint().sum(axis=(0, 3)),
    ("c", "d"): joint().sum(axis=(0, 1)),
}


def test_a_chain_comes_off_up_to_one_table_and_back_in_the_other_order() -> None:
    core, taken = peeled(TABLES, kept=())
    assert len([r for r in core if len(r) > 1]) == 1 and len(taken) == 2
    ((clique, table),) = [(r, t) for r, t in core.items() if len(r) > 1]
    cell = np.repeat(np.arange(table.size), np.rint(table.reshape(-1)).astype(int))
    records = np.zeros((4, cell.size), dtype=np.int32)
    for axis, codes in zip(DOMAIN.axes(clique), np.unravel_index(cell, table.shape), strict=True):
        records[axis] = codes
    append(records, DOMAIN, taken, np.random.default_rng(1))
    for (a, b), wanted in TABLES.items():
        held = np.zeros(wanted.shape)
        np.add.at(held, (records[DOMAIN.axis(a)], records[DOMAIN.axis(b)]), 1)
        assert np.abs(held - wanted).max() < 12  # each parent's cell within one, four cells in a row


def test_columns_that_must_stay_and_circles_stay() -> None:
    assert peeled(TABLES, kept="abcd") == (TABLES, ())
    circle = TABLES | {("a", "d"): joint().sum(axis=(1, 2))}
    assert peeled(circle, kept=())[1] == ()


def test_what_is_left_of_a_wider_table_is_kept_unless_another_holds_it() -> None:
    wide = joint().sum(axis=3)
    core, taken = peeled(
        {("a", "b", "c"): wide, ("b", "d"): np.ones((2, 2)), ("a", "d"): np.ones((3, 2))}, kept=()
    )
    assert [own.column for own in taken] == ["c"]
    np.testing.assert_allclose(core["a", "b"], wide.sum(axis=2))


def test_records_where_the_table_is_empty_get_the_column_by_itself() -> None:
    tables = {("a", "b"): np.array([[5.0, 0], [5, 0], [0, 0]]), ("b", "c"): np.ones((2, 4))}
    _, taken = peeled(tables, kept=("b", "c"))
    records = np.full((4, 50), 1, dtype=np.int32)
    append(records, DOMAIN, taken, np.random.default_rng(0))
    assert [own.column for own in taken] == ["a"]
    assert np.bincount(records[0], minlength=3).tolist() == [25, 25, 0]
