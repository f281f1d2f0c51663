import numpy as np

from synth.core.axis import Axis, Grouping, ordered_codes
from synth.core.schema import Column, Kind

COLOUR = Axis(column=Column(name="colour", kind=Kind.CATEGORY), labels=("r", "g", "b"), other="Other")
AGE = Axis(column=Column(name="age", kind=Kind.INTEGER), edges=(0, 10, 20))
GROUPING = Grouping(column="colour", group_of=(0, 1, 1, 1, 2), weights=(5.0, 1.0, 3.0, 0.0, 1.0))


def test_bins_of_decimals_end_at_values_that_the_column_can_have() -> None:
    fever = Column(name="fever", kind=Kind.DECIMAL, min=35.0, max=44.0, decimals=1)
    edges = tuple(35.0 + 9.0 * i / 32 for i in range(33))
    axis = Axis(column=fever, edges=edges)
    stated = [axis.span(code, code) for code in range(32)]
    assert stated[0] == "35.0 to 35.2" and stated[7] == "37.0 to 37.2" and stated[31] == "43.8 to 44.0"
    held = [code for code in range(32) for _ in stated[code].split(" to ")]
    ends = [float(end) for bin in stated for end in bin.split(" to ")]
    assert [min(int(np.searchsorted(edges, end + 1e-9)) - 1, 31) for end in ends] == held
    assert axis.span(0, 31) == "35.0 to 44.0"


def test_bins_that_are_too_narrow_for_the_decimals_have_all_their_digits() -> None:
    narrow = Column(name="n", kind=Kind.DECIMAL, min=0.0, max=1.0, decimals=1)
    assert Axis(column=narrow, edges=(0.0, 0.0625, 1.0)).span(0, 0) == "0 to 0.0625"
    assert Axis(column=narrow, edges=(0.0, 0.5, 1.0)).span(0, 0) == "0.0 to 0.4"


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


def test_a_category_of_ranges_is_in_order_up_to_its_last_number() -> None:
    shown = Column(name="age", kind=Kind.CATEGORY, values=(1, 2, 3), labels=("under 18", "18-64", "65+"))
    wage = Axis(column=Column(name="wage", kind=Kind.CATEGORY), labels=("none", "1-999", "1,000+", "unknown"))
    assert ordered_codes((Axis(column=shown, labels=shown.values), wage)) == {"age": 3, "wage": 3}
    for labels in (("a", "b"), (1, 2, 3), ("5-9", "0-4"), ("1-2-3", "4-5-6"), ("01.10", "01.20")):
        assert ordered_codes((Axis(column=Column(name="x", kind=Kind.CATEGORY), labels=labels),)) == {}
