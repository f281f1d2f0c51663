"""Test which records comparisons admit, and how compared values are drawn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from synth.core.columns.lattice import Lattice
from synth.core.discretisation import resolve_axes
from synth.rules import parse_rules

from .conftest import schema_of  # isort: skip

COLUMNS = [
    {"name": "a", "kind": "integer", "min": 0, "max": 11, "bins": 4},
    {"name": "b", "kind": "integer", "min": 0, "max": 12, "multiple": 3, "bins": 2},
    {"name": "c", "kind": "integer", "min": 1, "max": 8, "bins": 3, "points": [4]},
    {"name": "d", "kind": "category", "values": ["x", "y"]},
]
RULES = [
    ["a is below b", "b is below c"],
    ["a is at most b", "b is at most a"],
    ["a is below b", "if d is x then b is at most c", "c is at most a"],
    ["if d is x then a is below b", "if d is not x then b is below a"],
    ["a is below b", "b is below c", "c is below a"],
]


def setting(sentences):
    schema = schema_of(COLUMNS)
    rules = parse_rules(sentences[:2], schema) if len(sentences) < 3 else None
    if rules is None:  # together, these three contradict each other, at least for one value
        parsed = [parse_rules([sentence], schema).rules[0] for sentence in sentences]
        base = parse_rules(sentences[:1], schema)
        rules = type(base)(schema, tuple(parsed))
    axes = resolve_axes(schema, rules)
    return rules, axes, rules.orders(axes)


def values_of(axis, code):
    if not axis.edges or code >= axis.cells:
        return [None]
    lattice, own = Lattice.of(axis), np.array([code])
    steps = range(lattice.first[code], lattice.last[code] + 1)
    return [float(lattice.values(own, np.array([step]))[0]) for step in steps]


@pytest.mark.parametrize("sentences", RULES)
def test_a_record_is_admitted_if_and_only_if_some_values_are_in_order(sentences):
    _, axes, orders = setting(sentences)
    cells = np.array(list(product(*(range(axis.size) for axis in axes))))
    by_name = {axis.name: cells[:, i] for i, axis in enumerate(axes)}
    admitted = orders.admits(by_name)
    for row in range(len(cells)):
        names = [axis.name for axis in axes if axis.edges]
        options = product(*(values_of(axis, cells[row][i]) for i, axis in enumerate(axes) if axis.edges))
        wanted = any(fits(orders, axes, cells[row], dict(zip(names, some, strict=True))) for some in options)
        assert admitted[row] == wanted


def fits(orders, axes, codes, values):
    d = {0: "x", 1: "y"}.get(int(codes[3]))
    for part in orders.parts:
        low, high = values[part.left], values[part.right]
        applies = low is not None and high is not None
        applies &= all(d is not None and (d == "x") is not given.negated for given in part.given)
        if applies and not (low < high if part.operator == "below" else low <= high):
            return False
    return True


def test_values_have_the_distribution_of_independent_values_given_their_order():
    """Of the 6 orders of two integers from 0 to 2 with x < y, each has probability 1/3."""
    schema = schema_of(
        [{"name": n, "kind": "integer", "min": 0, "max": 2, "bins": 1, "blank": False} for n in "xy"]
    )
    rules = parse_rules(["x is below y"], schema)
    orders = rules.orders(resolve_axes(schema, rules))
    rows = 30_000
    cells = {name: np.zeros(rows, dtype=np.int64) for name in "xy"}
    wrong = {"x": np.full(rows, 2.0), "y": np.zeros(rows)}
    made = orders.drawn(cells, wrong, np.random.default_rng(1), {})
    pairs = np.bincount((3 * made["x"] + made["y"]).astype(int), minlength=9)
    assert pairs[[1, 2, 5]].sum() == rows
    assert np.abs(pairs[[1, 2, 5]] - rows / 3).max() < 5 * np.sqrt(rows * 2 / 9)


def test_a_chain_with_one_solution_is_found_and_kept_numbers_stay():
    columns = [{"name": f"x{i}", "kind": "integer", "min": 0, "max": 9, "bins": 1} for i in range(10)]
    rules = parse_rules([f"x{i} is below x{i + 1}" for i in range(9)], schema_of(columns))
    axes = resolve_axes(rules.schema, rules)
    orders, rows = rules.orders(axes), 50
    cells = {axis.name: np.zeros(rows, dtype=np.int64) for axis in axes}
    drawn = orders.drawn(cells, {n: np.full(rows, 5.0) for n in cells}, np.random.default_rng(0), {})
    assert all((drawn[f"x{i}"] == i).all() for i in range(10)), "ten different digits in order"
    few = parse_rules(["x0 is below x1", "x1 is below x2"], rules.schema)
    orders = few.orders(axes)
    kept = {"x1": np.full(rows, 1.0)}
    some = {n: np.zeros(rows) for n in orders.lattices}
    drawn = orders.drawn(cells, some, np.random.default_rng(0), kept)
    assert (drawn["x0"] == 0).all() and (drawn["x1"] == 1).all() and set(drawn["x2"]) == set(range(2, 10))
