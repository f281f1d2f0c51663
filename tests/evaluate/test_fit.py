"""A file is compared with its declaration: bands and reasons, no value, and blanks only where they matter."""

from __future__ import annotations

import pytest

from synth.dictionaries import load_schema
from synth.evaluate.fit import ADVICE, Band, fit, to_be_estimated
from synth.private.encoding.outcomes import ROWS, Fate


def bands(tmp_path, column, cells, *, unit=None, others=()):
    path = tmp_path / "t.csv"
    names = ["a", *others]
    path.write_text("\n".join([",".join(names), *cells]) + "\n")
    columns = [{"name": "a", **column}, *({"name": n, "kind": "drop"} for n in others)]
    schema = load_schema(
        {"name": "s", "population": "p", "unit": unit or {"max_rows": 1}, "columns": columns}
    )
    return {one.column: one.band for one in fit(schema, path)}


VALUES = {"kind": "category", "values": ["x", "y"]}
AGES = {"kind": "integer", "min": 0, "max": 99, "bins": 10}


@pytest.mark.parametrize(
    ("strange", "band"), [(1, Band.FEW), (2, Band.SOME), (10, Band.SOME), (11, Band.MANY)]
)
def test_a_share_is_told_as_a_band(tmp_path, strange, band):
    cells = ["x"] * (100 - strange) + ["z"] * strange
    assert bands(tmp_path, VALUES, cells) == {"a": band}


@pytest.mark.parametrize(("blank", "band"), [(True, Band.FEW), (False, Band.MANY)])
@pytest.mark.parametrize("column", [VALUES, AGES])
def test_a_blank_is_strange_only_in_a_column_declared_never_blank(tmp_path, column, blank, band):
    filled = "x" if column is VALUES else "7"
    assert bands(tmp_path, {**column, "blank": blank}, [filled] * 8 + ["?"] * 8) == {"a": band}


@pytest.mark.parametrize("outside", ["missing", "clamp"])
@pytest.mark.parametrize("strange", ["-1", "100", "old", "1e9"])
def test_a_cell_beyond_a_range_is_strange_whatever_the_release_does_with_it(tmp_path, outside, strange):
    column = {**AGES, "outside": outside}
    assert bands(tmp_path, column, ["5"] * 8 + [strange] * 2) == {"a": Band.MANY}
    assert bands(tmp_path, column, ["0"] * 8 + ["99"] * 2) == {"a": Band.FEW}


def test_values_that_are_lumped_together_are_strange_all_the_same(tmp_path):
    assert bands(tmp_path, {**VALUES, "outside": "other"}, ["x", "z"]) == {"a": Band.MANY}
    named = {**VALUES, "outside": "other", "other_label": "outside"}
    assert bands(tmp_path, named, ["x", "y"]) == {"a": Band.FEW}


def test_rows_of_one_unit_are_all_looked_at(tmp_path):
    cells = [*["x,7"] * 50, *["z,7"] * 50]
    unit = {"max_rows": 1, "id_column": "id"}
    found = bands(tmp_path, VALUES, cells, unit=unit, others=["id"])
    assert found == {"a": Band.MANY, "id": Band.FEW}


def test_rows_that_will_be_left_out_for_want_of_an_id_are_told(tmp_path):
    unit = {"max_rows": 2, "id_column": "id"}
    cells = [*["x,7"] * 50, *["x,"] * 50]
    assert bands(tmp_path, VALUES, cells, unit=unit, others=["id"]) == {"a": Band.FEW, "id": Band.MANY}


def test_a_file_without_rows_does_not_fit(tmp_path):
    assert bands(tmp_path, VALUES, []) == {"a": Band.EMPTY}


def found_in(path, columns, text, **file):
    path.write_text(text, encoding="utf-8")
    document = {"name": "s", "population": "p", "unit": {"max_rows": 1}, "columns": columns, "file": file}
    return {one.column: one.found for one in fit(load_schema(document), path) if one.found}


def test_damaged_rows_are_counted(tmp_path):
    columns = [{"name": "a", **AGES}, {"name": "b", **VALUES}]
    text = 'a,b\n1,x\n2\n3,y,9\n4,"y\n5,x\n6,x,\nnote\n7,"y"\n'
    reasons = "more cells than the header: 1, fewer cells than the header: 1, a quote that is not closed: 1"
    found = found_in(tmp_path / "t.csv", columns, text, notes=["note"])
    assert found == {ROWS: f"3 rows (42.9%): damaged ({reasons})"}


@pytest.mark.parametrize(("outside", "fate"), [("missing", Fate.IGNORED), ("other", Fate.OTHER)])
def test_undeclared_options_are_counted(tmp_path, outside, fate):
    columns = [{"name": "a", **VALUES, "separator": ";", "outside": outside}]
    found = found_in(tmp_path / "t.csv", columns, "a\nx;z\nq\ny ; X\n\n?\n")
    assert found == {"a": f"2 cells (50.0%): {fate.value}"}


def test_a_column_whose_domain_is_to_be_bought_is_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\nx,q,7\n")
    columns = [
        {"name": "a", **VALUES},
        {"name": "b", "kind": "category", "buy": True},
        {"name": "c", "kind": "integer", "buy": True},
    ]
    schema = load_schema({"name": "s", "population": "p", "unit": {"max_rows": 1}, "columns": columns})
    assert to_be_estimated(schema) == ("b", "c")
    assert [(one.column, one.band) for one in fit(schema, path)] == [("a", Band.FEW)]


DATES = {"kind": "date", "min": "1990-01-01", "max": "1999-12-31"}


@pytest.mark.parametrize(
    ("column", "cell", "found"),
    [
        (AGES, "1.200,5", "missing (has another decimal sign"),
        (AGES, "1,200", "missing (has a thousands separator"),
        (AGES, "1.200", "missing (its decimal sign may separate thousands"),
        (
            AGES | {"measured_in": "years"},
            "12 kr",
            "missing (has another unit or currency",
        ),
        (AGES, "7,5", "missing (has another decimal sign"),
        (AGES, "3.9", "rounded down (not a whole number"),
        (AGES, "-0.5", "clamped to the range (below the range"),
        (AGES, "100", "clamped to the range (above the range"),
        (AGES | {"outside": "missing"}, "100", "missing (above the range"),
        (AGES, "1999-01-31", "missing (looks like a date"),
        (AGES, "about 30", "missing (text with digits"),
        (AGES, "canary", "missing (text"),
        (DATES, "31.12.1999", "missing (looks like a day-first date"),
        (DATES, "12/31/1999", "missing (looks like a month-first date"),
        (DATES, "02/03/1999", "missing (looks like a date with the year last"),
        (DATES, "2001-01-01", "clamped to the range (above the range"),
        (DATES, "7", "missing (a number"),
        (DATES, "35000", "missing (looks like a day number of Excel"),
        (VALUES, "X; y", "missing (several declared values in one cell"),
        (VALUES, "7", "missing (a number, not in the list"),
        (VALUES, "z", "missing (not in the list"),
        (VALUES | {"outside": "other"}, "z", "other (not in the list"),
    ],
)
def test_each_kind_of_cell_has_its_reason(tmp_path, column, cell, found):
    path, good = tmp_path / "t.csv", {"category": "x", "date": "1995-01-01"}.get(column["kind"], "7")
    path.write_text(f'a\n{good}\n"{cell}"\n{good}\n', encoding="utf-8")
    schema = load_schema(
        {"name": "s", "population": "p", "unit": {"max_rows": 1}, "columns": [{"name": "a", **column}]}
    )
    (one,) = fit(schema, path)
    advice = ADVICE.get(found.partition("(")[2])
    assert one.found == f"1 cell (33.3%): {found}: 1)" + (f". To read them, {advice}." if advice else "")
    assert "canary" not in one.found
