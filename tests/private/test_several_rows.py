"""One unit with any number of rows in the file moves what is counted by what `Terms` says and no more.

The rows of a unit are drawn by keys; here a unit has the same keys in whatever file it stands, which is how
two neighbouring files are compared (`assets/proofs/several-rows.md`).
"""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Neighbours, Schema, Unit
from synth.private.counting.codes import Codes
from synth.private.entropy import Entropy
from synth.private.table import PrivateTable
from synth.private.terms import Terms

VALUES = ("u", "v", "w")
COLUMNS = tuple(Column(name=name, kind=Kind.CATEGORY, values=VALUES) for name in "ab")
AXES = [Axis(column=column, labels=VALUES) for column in COLUMNS]
Row = tuple[str, str, str]

CELL = st.sampled_from(VALUES)
UNIT = st.lists(st.tuples(CELL, CELL), max_size=6)


class KeysOfUnits(Entropy):
    """The n-th row of a unit draws the same key in every file."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def bytes(self, n: int) -> bytes:
        assert n == 8 * len(self._rows)
        keys = []
        for i, (unit, *_) in enumerate(self._rows):
            earlier = sum(row[0] == unit for row in self._rows[:i])
            keys.append(int(np.random.default_rng([ord(unit), earlier]).integers(2**63)))
        return np.array(keys, dtype="<u8").tobytes()


def opened(rows: Sequence[Row], most: int) -> Codes:
    schema = Schema(name="t", population="t", unit=Unit(max_rows=most, id_column="who"), columns=COLUMNS)
    columns = dict(zip(("who", "a", "b"), zip(*rows, strict=True), strict=True)) if rows else {}
    texts = {name: list(columns.get(name, ())) for name in ("who", "a", "b")}
    return PrivateTable.of(texts, schema, entropy=KeysOfUnits(rows)).codes(AXES)


def change(one: Codes, other: Codes, axes: Sequence[int]) -> np.ndarray:
    return one.counts(axes) - other.counts(axes)


@settings(max_examples=80, deadline=None)
@given(
    others=st.lists(st.tuples(st.sampled_from("xyz"), CELL, CELL), max_size=12),
    mine=UNIT,
    instead=UNIT,
    most=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)
def test_a_unit_moves_every_marginal_by_its_sensitivity_at_most(
    others: list[Row], mine: list[tuple[str, str]], instead: list[tuple[str, str]], most: int, seed: int
) -> None:
    """The unit's rows lie anywhere in the file, so the rows of others stand at other places in the two."""
    rng = np.random.default_rng(seed)

    def with_unit(name: str, rows: list[tuple[str, str]]) -> Codes:
        whole = list(others)
        for at, cells in zip(sorted(rng.integers(0, len(others) + 1, len(rows)))[::-1], rows, strict=True):
            whole.insert(int(at), (name, *cells))
        return opened(whole, most)

    without, unit, other = opened(others, most), with_unit("p", mine), with_unit("q", instead)
    for relation, pair in ((Neighbours.ADD_REMOVE, (unit, without)), (Neighbours.REPLACE, (unit, other))):
        limit = Terms(rows=most, neighbours=relation)
        for axes in ((0,), (1,), (0, 1)):
            moved = change(*pair, axes)
            assert np.abs(moved).sum() <= limit.l1
            assert np.square(moved).sum() <= limit.l2_squared
    added = change(unit, without, (0, 1))
    assert added.sum() == min(most, len(mine)) and added.min(initial=0) >= 0


def test_the_sensitivity_is_reached_by_rows_that_are_alike() -> None:
    others = [("x", "u", "u")]
    for most in (1, 3):
        mine, instead = [("p", "v", "v")] * 5, [("q", "w", "w")] * 5
        unit = opened(others + mine, most)
        for relation, other in (
            (Neighbours.ADD_REMOVE, opened(others, most)),
            (Neighbours.REPLACE, opened(others + instead, most)),
        ):
            limit, moved = Terms(rows=most, neighbours=relation), change(unit, other, (0, 1))
            assert np.abs(moved).sum() == limit.l1 and np.square(moved).sum() == limit.l2_squared
