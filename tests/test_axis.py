import numpy as np

from synth.axis import Axis, Grouping, domain_of, ordered_codes
from synth.schema import Column, Kind

COLOUR = Axis(column=Column(name="colour", kind=Kind.CATEGORY), labels=("r", "g", "b"), other="Other")
AGE = Axis(column=Column(name="age", kind=Kind.INTEGER), edges=(0, 10, 20))
GROUPING = Grouping(column="colour", group_of=(0, 1, 1, 1, 2), weights=(5.0, 1.0, 3.0, 0.0, 1.0))


def test_codes_are_declared_cells_then_other_then_missing() -> None:
    assert (COLOUR.cells, COLOUR.other_code, COLOUR.missing_code, COLOUR.size) == (3, 3, 4, 5)
    assert (AGE.cells, AGE.other_code, AGE.missing_code, AGE.size) == (2, None, 2, 3)


def test_a_grouping_shrinks_the_domain() -> None:
    assert domain_of((COLOUR, AGE)).sizes == (5, 3)
    assert domain_of((COLOUR, AGE), (GROUPING,)).sizes == (3, 3)


def test_refine_inverts_coarsen_in_the_given_proportions() -> None:
    rng = np.random.default_rng(0)
    coarse = np.repeat([0, 1, 2], [3, 400, 2])
    fine = GROUPING.refine(coarse, rng)
    assert (GROUPING.coarsen(fine) == coarse).all()
    counts = np.bincount(fine, minlength=5)
    assert abs(counts[1] - 100) <= 1 and abs(counts[2] - 300) <= 1 and counts[3] == 0


def test_a_group_without_weight_is_drawn_evenly() -> None:
    flat = Grouping(column="x", group_of=(0, 0, 1), weights=(0.0, 0.0, 0.0))
    counts = np.bincount(flat.refine(np.zeros(100, dtype=np.int64), np.random.default_rng(0)), minlength=3)
    assert abs(counts[0] - 50) <= 1 and counts[2] == 0


def test_the_order_ends_where_other_and_missing_begin() -> None:
    level = Axis(column=Column(name="level", kind=Kind.ORDERED), labels=("low", "mid", "high"), other="Other")
    merged = Grouping(column="level", group_of=(0, 1, 1, 2, 3), weights=(1.0,) * 5)
    assert ordered_codes((COLOUR, AGE, level)) == {"age": 2, "level": 3}
    assert ordered_codes((level,), (merged,)) == {"level": 2}
    apart = Grouping(column="level", group_of=(1, 0, 1, 2, 3), weights=(1.0,) * 5)
    assert ordered_codes((level,), (apart,)) == {}


def test_a_column_that_is_never_blank_has_no_missing_code_in_the_model() -> None:
    never = Axis(column=Column(name="sex", kind=Kind.CATEGORY, blank=False), labels=("f", "m"))
    assert (never.cells, never.missing_code, never.size) == (2, 2, 2)
