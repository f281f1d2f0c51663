"""Test formulas of means and regressions, and their lattices."""

from __future__ import annotations

import pytest

from synth.core.axis import Axis
from synth.core.discretisation import axis_of
from synth.core.errors import Mistake
from synth.core.measurements.formula import Formula, blocks_of
from synth.core.measurements.moments import CELLS, lattice
from synth.core.schema import Column, Kind

COLUMNS = (
    Column(name="age", kind=Kind.INTEGER, min=0, max=99, bins=5),
    Column(name="hours", kind=Kind.INTEGER, min=1, max=40),
    Column(name="pay", kind=Kind.DECIMAL, min=0, max=100),
    Column(name="since", kind=Kind.DATE, min="2020-01-01", max="2020-12-31"),
    Column(name="wealth", kind=Kind.INTEGER, min=0, max=10_000_000, cuts=(0, 5, 70)),
    Column(name="school", kind=Kind.ORDERED, values=(2, 4, 6, 8)),
    Column(name="grade", kind=Kind.ORDERED, values=(1, 2, 10)),
    Column(name="sex", kind=Kind.CATEGORY, values=("f", "m"), labels=("Women", "Men")),
    Column(name="town + land", kind=Kind.CATEGORY, values=("a", "b", "c"), outside=None),
)
AXES = {column.name: axis_of(column) for column in COLUMNS}


def block(text: str):
    (found,), _ = blocks_of([Formula.of(text)], AXES)
    return found


def test_a_formula_is_read_as_it_is_written() -> None:
    found = Formula.of("pay ~ age+ sex[m] + `town + land` by sex, school")
    assert found.response == ("pay", None)
    assert found.regressors == (("age", None), ("sex", "m"), ("town + land", None))
    assert found.by == ("sex", "school")
    found = Formula.of("logistic sex[m] ~ age")
    assert found.is_logistic and (found.response, found.regressors) == (("sex", "m"), (("age", None),))
    assert (
        Formula.of("logistic ~ age").response == Formula.of("logistic by sex").response == ("logistic", None)
    )
    assert Formula.of("`logistic x` ~ age").response == ("logistic x", None)
    assert Formula.of("pay by sex").by == ("sex",) and Formula.of("pay").regressors == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pay ~",
        "~ age",
        "pay + age",
        "pay ~ age ~ sex",
        "pay by sex by age",
        "pay[",
        "pay by sex[m]",
        "logistic sex",
        "logistic sex ~ age by school",
    ],
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Mistake, match=r"by|cannot have groups"):
        Formula.of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pay ~ shoe", "'shoe', which is not a column"),
        ("pay ~ sex[x]", "has no value 'x'"),
        ("pay ~ age[3]", "has no value '3'"),
        ("`town + land` ~ age", "several values"),
        ("pay ~ age + age", "uses a column twice"),
        ("pay ~ age by age", "uses a column twice"),
        ("pay ~ hours by hours", "uses a column twice"),
        ("logistic pay ~ age", "'pay' is a number"),
        ("logistic `town + land` ~ age", "several values"),
        ("pay by age, hours, since, wealth, school, grade", "at most 1,048,576 sums"),
    ],
)
def test_a_formula_that_does_not_suit_the_table_is_refused(text: str, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        block(text)


def test_a_column_in_bins_is_not_a_number_in_one_formula_and_a_group_in_another() -> None:
    with pytest.raises(Mistake, match="'age' is both"):
        blocks_of([Formula.of("pay by age"), Formula.of("age by sex")], AXES)
    assert len(blocks_of([Formula.of("pay by hours"), Formula.of("hours by sex")], AXES)[0]) == 2


def test_numbers_have_a_place_and_values_are_indicators() -> None:
    terms = block("pay ~ age + school + grade + sex + `town + land`").terms
    indicators = ["grade is 2", "grade is 10", "sex is Men", "town + land is b", "town + land is c"]
    assert [term.name for term in terms] == ["age", "school", *indicators, "pay"]
    assert [term.bound for term in terms] == [99, 3, 1, 1, 1, 1, 1, CELLS - 1]
    assert block("sex ~ age").terms[-1].name == "sex is Men" and block("sex[f]").terms[0].code == 0
    assert block("sex[Women]") == block("sex[f]")


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_a_lattice_has_evenly_spaced_values_and_the_ends_of_the_column(axis: Axis) -> None:
    fine = lattice(axis)
    assert fine.cells <= CELLS and lattice(fine) == fine
    if axis.name in ("hours", "school", "grade", "sex", "town + land"):
        assert fine == axis, "its values are its codes, so it is not read twice"
    if axis.name in ("age", "hours", "since"):
        assert fine.cells == fine.edges[-1] - fine.edges[0]


def test_a_value_is_the_middle_of_its_cell() -> None:
    for name, tolerance in (("age", 0.0), ("school", 0.0), ("pay", 100 / CELLS / 2), ("wealth", 1e7 / CELLS)):
        (term,) = block(name).terms
        axis = lattice(AXES[name])
        for code in (0, 1, term.cells // 2, term.cells - 1):
            value = term.middle + term.half * term.places()[code] / term.bound
            inside = (axis.labels[code],) * 2 if axis.labels else axis.edges[code : code + 2]
            assert inside[0] - tolerance <= value <= max(inside) + tolerance, name
