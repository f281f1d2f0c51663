"""Columns in memory, as the session has them. What files become is tried in `test_table.py`."""

from __future__ import annotations

import pickle

import pytest

from synth.core.discretisation import axis_of
from synth.core.errors import Code, Refusal
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.private_table import PrivateTable

SCHEMA = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1),
    columns=(Column(name="a", kind=Kind.CATEGORY, values=("x", "y")),),
)
AXIS = axis_of(SCHEMA.columns[0])


def test_a_table_answers_the_axis_that_it_was_read_with_and_no_other() -> None:
    table = PrivateTable.of({"a": ["x", "x", None, "z"]}, SCHEMA, axes=[AXIS])
    assert table.codes([AXIS]).counts((0,)).tolist() == [2, 0, 2]
    other = axis_of(Column(name="a", kind=Kind.CATEGORY, values=("z",)))
    with pytest.raises(Refusal) as caught:
        table.codes([other])
    assert caught.value.code is Code.QUERY_INVALID


def test_texts_are_counted_where_no_axis_is_known_yet() -> None:
    table = PrivateTable.of({"a": ["x", " x", None, "NA", "z"]}, SCHEMA)
    assert table.value_counts("a") == {"x": 2, "z": 1}
    assert repr(table) == "PrivateTable(columns=1)"
    with pytest.raises(Refusal):
        pickle.dumps(table)
