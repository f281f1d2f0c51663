"""Test compiled zeros cell by cell against the meaning of the rule for every value in the cell."""

from __future__ import annotations

import itertools
import math
import random
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis, Grouping, domain_of
from synth.core.discretisation import axis_of, resolve_axes
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind
from synth.core.zeros import Zero
from synth.dictionaries import load_schema
from synth.rules import coarsen_zeros, explain_width, parse_rules
from synth.rules.documents import parse_entry
from synth.rules.rulebook import Rules

from .conftest import DOCUMENT, random_allowed, random_rule, schema_of  # isort: skip

SCHEMA = load_schema(DOCUMENT)


def values_in(axis: Axis, code: int) -> list:
    """Return all values of a cell (for decimals: both ends, and all values that a random rule may
    distinguish).
    """
    if code == axis.missing_code:
        return [None]
    if code == axis.other_code:
        return ["Other"]
    if axis.labels:
        return [axis.labels[code]]
    low, high = axis.edges[code], axis.edges[code + 1]
    if axis.column.kind is Kind.DECIMAL:
        top = high if code == axis.cells - 1 else math.nextafter(high, -math.inf)
        if code == axis.cells - 1:
            top = math.nextafter(top, -math.inf)
        marks = [m for x in (0, 2.5, 3.1, 5, 7.25) for m in (math.nextafter(x, -1), x, math.nextafter(x, 11))]
        return [low, top, (low + top) / 2, *(m for m in marks if low <= m <= top)]
    whole = range(int(low), int(high))
    is_date = axis.column.kind is Kind.DATE
    return [date(1970, 1, 1) + timedelta(days=n) for n in whole] if is_date else list(whole)


def stated(entry) -> Rules:
    """Return a rule without the check for contradictions, because contradictory rules must also compile."""
    return Rules(SCHEMA, (parse_entry(entry, SCHEMA),))


def cells_that_break(axes, names, broken):
    """Compute directly whether all and whether some combinations of values in each cell violate the
    comparison.
    """
    chosen = [a for a in axes if a.name in names]
    shape = tuple(a.size for a in chosen)
    every, some = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for cell in itertools.product(*map(range, shape)):
        values = [values_in(a, c) for a, c in zip(chosen, cell, strict=True)]
        verdicts = {
            broken(dict(zip([a.name for a in chosen], combination, strict=True)))
            for combination in itertools.product(*values)
        }
        every[cell], some[cell] = verdicts == {True}, True in verdicts
    return tuple(a.name for a in chosen), every, some


def compiled(rules, axes, clique, shape):
    """Return the table of the rule over the clique, which is False everywhere if the rule forbids nothing."""
    tables = rules._tables(rules.rules[0], axes)
    return tables.get(clique, np.zeros(shape, dtype=bool))


@settings(max_examples=250, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([random_rule, random_rule, random_allowed]))
def test_zeros_are_the_cells_in_which_every_value_breaks_the_rule(seed, make):
    entry, broken, names = make(random.Random(seed))
    rules = stated(entry)
    axes = resolve_axes(SCHEMA, rules)
    clique, every, some = cells_that_break(axes, names, broken)
    assert np.array_equal(compiled(rules, axes, clique, every.shape), every)
    assert np.array_equal(every, some), "a bin straddles a threshold of the rule"


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([random_rule, random_allowed]))
def test_bins_that_straddle_are_forbidden_only_if_nothing_in_them_is_allowed(seed, make):
    entry, broken, names = make(random.Random(seed))
    rules = stated(entry)
    axes = tuple(axis_of(column) for column in SCHEMA.modelled)
    clique, every, _ = cells_that_break(axes, names, broken)
    assert np.array_equal(compiled(rules, axes, clique, every.shape), every)


@pytest.mark.parametrize("operator", ["at most", "below", "at least", "above"])
@pytest.mark.parametrize(
    "names", [("start", "end"), ("end", "start"), ("low", "high"), ("from", "up"), ("first", "second")]
)
def test_comparisons_forbid_exactly_the_hopeless_cells(operator, names):
    values = ["a", "b", "c"]
    schema = schema_of(
        [
            {"name": "start", "kind": "date", "min": "2020-01-01", "max": "2020-01-12", "bins": 4},
            {"name": "end", "kind": "date", "min": "2020-01-05", "max": "2020-01-20", "bins": 5},
            {"name": "low", "kind": "integer", "min": 0, "max": 9, "bins": 4},
            {"name": "high", "kind": "integer", "min": 2, "max": 12, "bins": 3},
            {"name": "from", "kind": "decimal", "min": 0, "max": 9, "bins": 4},
            {"name": "up", "kind": "decimal", "min": 1, "max": 9, "bins": 3},
            {"name": "first", "kind": "ordered", "values": values},
            {"name": "second", "kind": "ordered", "values": values},
            {"name": "done", "kind": "category", "values": ["yes", "no"]},
        ]
    )
    left, right = names
    rules = parse_rules([f"if done is yes then {left} is {operator} {right}"], schema)
    axes = resolve_axes(schema, rules)
    fine = {
        "at most": lambda a, b: a <= b,
        "below": lambda a, b: a < b,
        "at least": lambda a, b: a >= b,
        "above": lambda a, b: a > b,
    }[operator]

    def broken(row):
        a, b = row[left], row[right]
        return row["done"] == "yes" and a is not None and b is not None and not fine(a, b)

    clique, every, _ = cells_that_break(axes, {left, right, "done"}, broken)
    assert np.array_equal(rules._tables(rules.rules[0], axes)[clique], every)
    assert every.any()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_coarse_zeros_are_the_groups_in_which_every_fine_cell_is_forbidden(seed):
    rng = np.random.default_rng(seed)
    columns = [Column(name=n, kind=Kind.CATEGORY, values=tuple("abcd")) for n in "xy"]
    axes = tuple(Axis(column=c, labels=c.values) for c in columns)
    zero = Zero(("x", "y"), rng.random((5, 5)) < 0.8)
    group_of = (*rng.permutation([0, 1, 0, 1]).tolist(), 2)
    grouping = Grouping(column="y", group_of=group_of, weights=(1.0,) * 5)
    coarse = coarsen_zeros([zero], axes, [grouping])
    groups = [[j for j in range(5) if group_of[j] == g] for g in range(3)]
    expected = np.array([[zero.forbidden[i, group].all() for group in groups] for i in range(5)])
    assert len(coarse) == bool(expected.any())
    for made in coarse:
        assert np.array_equal(made.forbidden, expected)
        assert made.forbidden.shape == domain_of(axes, [grouping]).shape(("x", "y"))


def test_coarsening_needs_an_axis():
    with pytest.raises(ValueError, match="has no axis"):
        coarsen_zeros([Zero(("z",), np.array([True]))], (), ())


def test_width_is_explained_by_naming_columns():
    domain = Domain(("zip", "job", "sex"), (500, 40, 2))
    zeros = [Zero(("zip", "job"), np.zeros((500, 40), bool)), Zero(("job", "sex"), np.zeros((40, 2), bool))]
    assert explain_width(zeros, domain, max_cells=30_000) is None
    assert explain_width([Zero(("sex",), np.array([True, False]))], domain, max_cells=1) is None
    assert explain_width(zeros, domain, max_cells=10_000) == (
        "A rule joins 'zip', 'job' in a model of 20,000 cells. The limit is 10,000. Use fewer values or "
        "bins for 'zip' (500 now), or remove a rule that uses it."
    )
    assert explain_width(zeros, domain, max_cells=30_000, model_cells=40_000) == (
        "The rules together join 'zip', 'job', 'sex' in a model of 40,000 cells. The limit is 30,000. "
        "Use fewer values or bins for 'zip' (500 now), or remove a rule that uses it."
    )


def test_a_rule_too_wide_for_any_model_is_refused():
    columns = [{"name": f"c{i}", "kind": "category", "values": list(range(60))} for i in range(5)]
    schema = schema_of(columns)
    text = "if c0 is 1 and c1 is 1 and c2 is 1 and c3 is 1 then c4 is 1"
    with pytest.raises(Mistake, match=r"joins c0, c1, c2, c3, c4 in a table of 916\.1 million cells"):
        parse_rules([text], schema)
