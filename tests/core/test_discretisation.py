"""Test that the bins of ranges depend on the declaration and the rules, and never on data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.discretisation import axis_of, decimals_of
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Outside
from synth.release.decode import decode


def edges(kind: Kind, cuts: tuple[float, ...] = (), **fields: object) -> tuple[float, ...]:
    return axis_of(Column(name="c", kind=kind, **fields), cuts).edges  # type: ignore[arg-type]


def test_defaults_of_every_kind() -> None:
    assert edges(Kind.INTEGER, min=0, max=63) == tuple(range(65))
    assert len(edges(Kind.INTEGER, min=0, max=64)) == 33
    assert len(edges(Kind.DECIMAL, min=0, max=1)) == 33
    assert len(edges(Kind.DATE, min="2011-01-01", max="2020-12-31")) == 33
    assert len(edges(Kind.DATE, min="2011-01-01", max="2011-01-03")) == 4


def test_steps_start_at_the_smallest_value_and_the_last_may_be_short() -> None:
    assert edges(Kind.INTEGER, min=17, max=90, step=20) == (17, 37, 57, 77, 91)
    assert edges(Kind.DECIMAL, min=0, max=1, step=0.4) == (0, 0.4, 0.8, 1)
    assert len(edges(Kind.DECIMAL, min=0, max=0.3, step=0.1)) == 4
    assert edges(Kind.DATE, min="1970-01-01", max="1970-01-10", step=7) == (0, 7, 10)


def test_edges_are_in_the_middle_between_multiples_and_no_rule_leaves_a_bin_without_one() -> None:
    assert edges(Kind.INTEGER, min=0, max=30, multiple=10) == (0, 5, 15, 25, 31)
    assert edges(Kind.INTEGER, min=0, max=100, multiple=10, bins=2) == (0, 45, 101)
    assert edges(Kind.INTEGER, min=0, max=100, multiple=10, step=50) == (0, 45, 95, 101)
    assert edges(Kind.DECIMAL, min=0, max=1, multiple=0.5, bins=9) == (0, 0.25, 0.75, 1)
    assert edges(Kind.INTEGER, min=0, max=100, bins=2, heaps=50) == (0, 1, 50, 51, 100, 101)
    column = Column(name="c", kind=Kind.INTEGER, min=0, max=30, multiple=10)
    assert axis_of(column, (20.0,)).edges == (0, 5, 20, 25, 31)
    assert [axis_of(column).label(code) for code in (0, 2)] == ["0", "20"]
    assert axis_of(column).span(1, 3) == "10 to 30"


@given(st.integers(-1000, 1000), st.integers(0, 3000), st.integers(1, 200))
def test_integer_cells_are_never_empty_and_cover_the_range(low: int, span: int, bins: int) -> None:
    cut = np.array(edges(Kind.INTEGER, min=low, max=low + span, bins=bins))
    assert cut[0] == low
    assert cut[-1] == low + span + 1
    widths = np.diff(cut)
    assert widths.min() >= 1
    assert widths.max() - widths.min() <= 1


def test_thresholds_of_rules_become_edges_inside_the_range_only() -> None:
    assert edges(Kind.INTEGER, (15.0, 0.0, 100.0, 400.0), min=0, max=99, bins=2) == (0, 15, 50, 100)
    assert edges(Kind.INTEGER, (14.5,), min=0, max=99, bins=2) == (0, 15, 50, 100)
    assert edges(Kind.DECIMAL, (0.3,), min=0, max=1, bins=2) == (0, 0.3, 0.5, 1)


def test_an_other_label_that_is_a_value_is_refused() -> None:
    column = Column(name="c", kind=Kind.CATEGORY, values=("a", "Other"), outside=Outside.OTHER)
    with pytest.raises(Mistake, match="'Other'"):
        axis_of(column)


@pytest.mark.parametrize("kind", [Kind.CATEGORY, Kind.INTEGER])
def test_what_is_still_to_be_bought_has_no_axis(kind: Kind) -> None:
    with pytest.raises(Mistake, match="estimate them"):
        axis_of(Column(name="c", kind=kind, buy=True))


def test_a_point_gets_a_cell_of_its_own_and_comes_back_as_itself() -> None:
    whole = axis_of(Column(name="gain", kind=Kind.INTEGER, min=0, max=99, bins=2, points=(0, 60)))
    assert whole.edges == (0, 1, 50, 60, 61, 100)
    money = axis_of(Column(name="fee", kind=Kind.DECIMAL, min=0, max=10, bins=2, points=(0, 2.5)))
    for axis, point in ((whole, 60), (money, 2.5), (money, 0)):
        code = int(np.searchsorted(axis.edges, point, side="right")) - 1
        values = decode(np.full((50, 1), code), [axis], np.random.default_rng(0))[axis.name]
        assert set(values) == {point}
    assert decimals_of(money) == 2
