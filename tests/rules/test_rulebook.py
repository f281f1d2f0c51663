"""Test all rules together: cuts, zeros per clique, effects, and violations compared with a loop over rows."""

import math
import random
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.release.decode import decode
from synth.rules import parse_rules
from synth.rules.documents import parse_entry
from synth.rules.rulebook import Rules

from .conftest import DOCUMENT, possible_codes, random_allowed, random_rule  # isort: skip

SCHEMA = load_schema(DOCUMENT)
ASSETS = Path(__file__).parents[2] / "assets"


def random_frame(rng: random.Random, rows: int) -> dict[str, list]:
    pool = {
        "age": [*range(31), 31, -1],
        "hours per week": [0.0, 2.5, math.nextafter(2.5, 9), math.nextafter(2.5, 0), 3.1, 5.0, 7.25, 10.0],
        "joined": [date(2011, 1, 1) + timedelta(days=n) for n in range(20)],
        "school": ["none", "low", "middle", "high"],
        "marital": ["never-married", "married", "married but apart", "widowed", "Other"],
        "works": [True, False],
    }
    return {name: [rng.choice([*values, None]) for _ in range(rows)] for name, values in pool.items()}


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([random_rule, random_rule, random_allowed]), st.booleans())
def test_violations_are_what_a_loop_over_rows_counts(seed, make, as_pandas):
    rng = random.Random(seed)
    entry, broken, _ = make(rng)
    frame = random_frame(rng, 60)
    expected = sum(broken({name: cells[i] for name, cells in frame.items()}) for i in range(60))
    rules = Rules(SCHEMA, (parse_entry(entry, SCHEMA),))
    given_frame = (
        pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in frame.items()}) if as_pandas else frame
    )
    assert rules.violations(given_frame) == {rules.sentences[0]: expected}


def test_comparisons_are_counted_by_value():
    rules = parse_rules(["if works is true then age is at most years"], SCHEMA)
    frame = {
        "works": [True, True, True, False, True, None],
        "age": [3, 4, 5, 9, None, 9],
        "years": [3, 3, 5, 1, 1, 1],
    }
    assert rules.violations(frame) == {
        "if works is true then age is at most years": 1,
        "works is not blank": 1,
    }


def test_cuts_are_inside_the_declared_range_and_in_units_of_edges():
    rules = parse_rules(
        [
            "if age is 0 to 14 then works is false",
            "if age is at least 30 then works is true",
            "if hours per week is at most 2.5 then works is false",
            "if joined is below 2011-01-10 then works is false",
        ],
        SCHEMA,
    )
    assert rules.cuts("age") == (15.0, 30.0)
    assert rules.cuts("hours per week") == (math.nextafter(2.5, 3),)
    assert rules.cuts("joined") == ((date(2011, 1, 10) - date(1970, 1, 1)).days,)
    assert rules.cuts("school") == rules.cuts("works") == ()
    assert rules.columns() == ("age", "hours per week", "joined", "works")


def test_zeros_merge_per_clique_and_never_blank_columns_need_none():
    rules = parse_rules(
        [
            "if age is 0 to 14 then marital is only never-married",
            "if marital is widowed then age is at least 20",
            "if works is true then age is at least 10",
        ],
        SCHEMA,
    )
    axes = resolve_axes(SCHEMA, rules)
    zeros = {z.clique: z.forbidden for z in rules.zeros(axes)}
    assert set(zeros) == {("age", "marital"), ("age", "works")}
    assert next(a for a in axes if a.name == "works").size == 2, "never blank: no missing code to forbid"
    effects = [e for e in rules.effects(axes) if e.clique == ("age", "marital")]
    assert len(effects) == 2
    assert zeros[("age", "marital")].sum() <= sum(e.removed for e in effects)
    assert all(e.share == e.removed / e.cells for e in effects)
    assert effects[0].cells == axes[0].size * axes[4].size
    backwards = rules.zeros(axes[::-1])
    flipped = next(z for z in backwards if len(z.clique) == 2 and "marital" in z.clique)
    assert flipped.clique == ("marital", "age")
    assert np.array_equal(flipped.forbidden, zeros[("age", "marital")].T)


def test_records_drawn_from_allowed_cells_never_break_a_rule():
    rules = parse_rules(
        [
            "if age is 0 to 14 then marital is only never-married",
            "if hours per week is at most 2.5 then age is below 20",
            "if hours per week is 0 then age is above 3",
            "if joined is 2011-01-03 or 2011-01-09 to 2011-01-12 then hours per week is above 7.25",
            {"determines": {"from": "school", "to": "works", "map": {"none": False}, "both_ways": False}},
        ],
        SCHEMA,
    )
    axes = resolve_axes(SCHEMA, rules)
    rng = np.random.default_rng(5)
    codes = possible_codes(rules, axes, rng, 40_000)
    assert len(codes) > 1000
    assert set(rules.violations(decode(codes, axes, rng)).values()) == {0}


def test_a_column_without_axis_is_named():
    rules = parse_rules(["if age is 3 then works is true"], SCHEMA)
    axes = resolve_axes(SCHEMA, rules)
    with pytest.raises(Mistake, match="is about 'age', which is not modelled"):
        rules.zeros(axes[1:])


def test_no_rules_at_all():
    rules = parse_rules([], SCHEMA)
    assert len(rules) == 0 and rules.document == {"rules": []}
    assert rules.sentences == ("works is not blank",)
    assert rules.zeros(resolve_axes(SCHEMA, rules)) == ()


@pytest.mark.parametrize("name", ["adult", "bank"])
def test_the_public_declarations_load_and_compile(name):
    schema = load_schema(ASSETS / f"{name}.schema.json")
    rules = parse_rules(ASSETS / f"{name}.rules.json", schema)
    assert parse_rules(rules.document, schema) == rules
    assert rules.warnings == ()
    axes = resolve_axes(schema, rules)
    assert max(effect.cells for effect in rules.effects(axes)) < 1000
    assert all(rule.because for rule in rules.rules if rule.stated)


@pytest.mark.parametrize("operator", ["at most", "below", "at least", "above"])
@pytest.mark.parametrize("given", ["", "if sex is m then "])
def test_partly_broken_cells_are_those_that_trying_all_values_finds(operator: str, given: str) -> None:
    lengths = [
        {"name": n, "kind": "integer", "min": 0, "max": 9, "bins": b} for n, b in (("a", 4), ("b", 10))
    ]
    sexes = {"name": "sex", "kind": "category", "values": ["f", "m"]}
    schema = load_schema({**DOCUMENT, "columns": [*lengths, sexes], "unit": {"max_rows": 1}})
    rules = parse_rules([f"{given}a is {operator} b"], schema)
    axes = resolve_axes(schema, rules)
    ((clique, found),) = rules.partial(axes).items()
    right = {"at most": "__le__", "below": "__lt__", "at least": "__ge__", "above": "__gt__"}[operator]
    codes = [np.searchsorted(axis.edges, range(10), side="right") - 1 for axis in axes[:2]]
    wanted = np.zeros([axis.size for axis in axes if axis.name in clique], dtype=bool)
    for a, b in ((a, b) for a in range(10) for b in range(10) if not getattr(a, right)(b)):
        wanted[(codes[0][a], codes[1][b], *([1] if given else []))] = True
    assert np.array_equal(found, wanted)
    (zero,) = rules.zeros(axes)
    assert not (zero.forbidden & ~found).any() and (found & ~zero.forbidden).any()
