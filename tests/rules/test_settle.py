"""Test that compared values are in order after settling, stay in their cells, and violate no other rule."""

import numpy as np
import pytest

from synth.core.discretisation import resolve_axes
from synth.release.decode import decode
from synth.rules import cells_of as cells_by_name
from synth.rules import parse_rules, settle

from .conftest import possible_codes, schema_of  # isort: skip

CHAIN = schema_of(
    [
        {"name": "born", "kind": "date", "min": "2020-01-01", "max": "2020-03-12", "bins": 3},
        {"name": "joined", "kind": "date", "min": "2020-01-05", "max": "2020-04-20", "bins": 5},
        {"name": "left", "kind": "date", "min": "2020-02-05", "max": "2020-05-20", "bins": 2},
        {"name": "low", "kind": "integer", "min": 0, "max": 9, "bins": 4},
        {"name": "high", "kind": "integer", "min": 2, "max": 12, "bins": 3},
        {"name": "from", "kind": "decimal", "min": 0, "max": 9, "bins": 4},
        {"name": "up", "kind": "decimal", "min": 1, "max": 9, "bins": 3},
        {"name": "paid", "kind": "integer", "min": 0, "max": 100, "multiple": 10, "bins": 3},
        {"name": "due", "kind": "integer", "min": 0, "max": 100, "multiple": 5, "bins": 4},
        {"name": "done", "kind": "category", "values": ["yes", "no"]},
    ]
)


def cells_of(frame, axes):
    """Return the codes of the range columns, computed from the values."""
    found = {}
    for axis in (a for a in axes if a.edges):
        numbers = frame[axis.name]
        if axis.column.kind == "date":
            numbers = numbers.map(
                lambda d: None if d is None else np.datetime64(d, "D").astype(int), na_action="ignore"
            )
        numbers = numbers.to_numpy(dtype=float, na_value=np.nan)
        code = np.clip(np.searchsorted(axis.edges, numbers, side="right") - 1, 0, axis.cells - 1)
        found[axis.name] = np.where(np.isnan(numbers), axis.missing_code, code)
    return found


@pytest.mark.parametrize(
    "sentences",
    [
        ["left is above joined", "joined is at least born"],
        ["from is at most up", "if up is at most 4.25 then done is yes"],
        ["if done is yes then low is at most high"],
        ["paid is below due"],
    ],
)
def test_compared_values_are_put_in_order_within_their_cells(sentences):
    rules = parse_rules(sentences, CHAIN)
    axes = resolve_axes(CHAIN, rules)
    rng = np.random.default_rng(11)
    codes = possible_codes(rules, axes, rng, 20_000)
    frame = decode(codes, axes, rng)
    before, types = cells_of(frame, axes), frame.dtypes.to_dict()
    assert sum(rules.violations(frame).values()) > 0, "bins straddle, so something must be out of order"
    settle(rules.orders(axes), frame, cells_by_name(codes, axes), rng)
    assert set(rules.violations(frame).values()) == {0}
    assert frame.dtypes.to_dict() == types
    after = cells_of(frame, axes)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert all((frame[name].dropna() % size == 0).all() for name, size in (("paid", 10), ("due", 5)))


def test_rows_in_order_are_not_touched():
    rules = parse_rules(["low is at most high"], CHAIN)
    axes = resolve_axes(CHAIN, rules)
    rng = np.random.default_rng(2)
    codes = possible_codes(rules, axes, rng, 3_000)
    frame = decode(codes, axes, rng)
    kept = frame.copy()
    settle(rules.orders(axes), frame, cells_by_name(codes, axes), rng)
    fine = (kept["low"] <= kept["high"]).fillna(True).to_numpy(dtype=bool)
    assert not fine.all()
    assert frame[fine].equals(kept[fine])
    changed = frame[~fine]
    assert (changed["low"] != kept["low"][~fine]).any()
