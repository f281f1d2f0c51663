from dataclasses import replace
from itertools import product

import pytest

from synth.core.errors import Mistake
from synth.core.schema import (
    Column,
    DateOrder,
    FileFormat,
    Kind,
    Neighbours,
    Outside,
    Schema,
    Unit,
    check_format,
    parse_date,
)

PLAIN = Schema(
    name="t",
    population="p",
    unit=Unit(max_rows=1, id_column="id"),
    columns=(
        Column(name="id", kind=Kind.INTEGER, min=0, max=9),
        Column(name="a", kind=Kind.CATEGORY, values=("x", "y")),
        Column(name="b", kind=Kind.DECIMAL, min=0, max=1),
        Column(name="note", kind=Kind.DROP),
    ),
)


def test_dropped_columns_and_the_id_are_not_modelled() -> None:
    assert [c.name for c in PLAIN.modelled] == ["a", "b"]


def test_a_public_row_count_means_replace_one() -> None:
    assert PLAIN.neighbours is Neighbours.ADD_REMOVE
    assert replace(PLAIN, rows_public=26000).neighbours is Neighbours.REPLACE


def test_ranges_clamp_and_values_go_to_missing_unless_said_otherwise() -> None:
    assert PLAIN.column("b").outside_rule is Outside.CLAMP
    assert PLAIN.column("a").outside_rule is Outside.MISSING
    assert Column(name="a", kind=Kind.CATEGORY, outside=Outside.OTHER).outside_rule is Outside.OTHER


def test_asking_for_an_undeclared_column_lists_the_declared_ones() -> None:
    with pytest.raises(Mistake, match=r"'zip'.*id, a, b, note"):
        PLAIN.column("zip")


def test_a_date_is_typed_as_iso() -> None:
    assert parse_date("2020-02-29").day == 29
    with pytest.raises(Mistake, match=r"'29\.2\.2020'"):
        parse_date("29.2.2020")


def test_signs_of_numbers_are_points_or_commas_that_differ_and_part_no_cells() -> None:
    check_format(FileFormat(decimal_sign=","))
    with pytest.raises(Mistake, match="point or a comma"):
        check_format(FileFormat(decimal_sign="'"))
    with pytest.raises(Mistake, match="a point, a comma"):
        check_format(FileFormat(thousands="'"))
    with pytest.raises(Mistake, match="must differ"):
        check_format(FileFormat(decimal_sign=",", thousands=","))
    with pytest.raises(Mistake, match="character that occurs in numbers"):
        check_format(FileFormat(decimal_sign=",", quote=""))


@pytest.mark.parametrize(
    ("delimiter", "quote"), [*product(["", ",,", "\n", "→", "\0"], ['"']), (",", "''"), (";", ";")]
)
def test_impossible_formats_are_quoted_back(delimiter: str, quote: str) -> None:
    with pytest.raises(Mistake):
        check_format(FileFormat(delimiter=delimiter, quote=quote))


def test_a_column_overrides_the_format_of_the_file() -> None:
    own = {"decimal_sign": ",", "thousands": "", "date_order": DateOrder.DAY_FIRST}
    column, file = Column(name="a", kind=Kind.INTEGER, **own), FileFormat(thousands=",", missing=("-",))
    form = file.of(column)
    assert (form.decimal_sign, form.thousands, form.date_order) == (",", "", DateOrder.DAY_FIRST)
    assert form.missing == ("-",) and file.of(Column(name="b", kind=Kind.DATE)) == file
