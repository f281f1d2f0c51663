"""Test workbooks and files of statistics packages: the same rows as the CSV file, and no harm from any
content.
"""

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

from synth.core.axis import Axis
from synth.core.cells.sheets import Declared
from synth.core.errors import Code
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit
from synth.private.encoding.encode import values_in
from synth.private.reading import foreign
from synth.private.reading.files import header_only, read_columns
from synth.private.table import open_table
from tests.private.reading.texts import texts_of
from tests.refusals import refused
from tests.sas import write_sas

CANARY = "canary-7kq2"
DAY, MOMENT = dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 13, 5, 9)


DECLARED = Schema(
    name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="a", kind=Kind.CATEGORY),)
)


def rows_of(path: Path, *names: str, **form: Any) -> dict[str, list[str]]:
    columns = tuple(Column(name=name, kind=Kind.CATEGORY) for name in names)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=columns, file=FileFormat(**form))
    held: dict[str, list[str]] = {name: [] for name in names}
    for block in read_columns(path, schema):
        for name, column in block.items():
            held[name] += texts_of(column)
    return held


def book(path: Path, *rows: list[Any], sheet: str = "Data") -> Path:
    made = openpyxl.Workbook()
    made.active.title = sheet
    for row in rows:
        made.active.append(row)
    made.save(path)
    return path


def test_a_sheet_is_read_as_it_would_be_exported(tmp_path: Path) -> None:
    path = book(
        tmp_path / "t.xlsx",
        ["Office of the harbour"],
        ["a", " b ", "c", "d", "e", None, "=1+1"],
        [1, 2.5, True, DAY, "=A3+1", "never read"],
        [],
        ["x ", "", False, MOMENT, "#N/A"],
        [1.0, None, 1e20, dt.time(9, 5)],
    )
    assert header_only(path, FileFormat(skip_lines=1)) == ["a", "b", "c", "d", "e"]
    assert rows_of(path, "d", "a", "b", "c", "e", skip_lines=1) == {
        "a": ["1", "x", "1"],
        "b": ["2.5", "", ""],
        "c": ["true", "false", "100000000000000000000"],
        "d": ["2024-02-29", "2024-02-29 13:05:09", "09:05:00"],
        "e": ["", "", ""],
    }


def test_numbers_of_a_sheet_are_written_as_its_texts_are(tmp_path: Path) -> None:
    """A sheet of numbers and of strings with decimal commas has a single format."""
    path = book(tmp_path / "t.xlsx", ["a"], [1234.5], ["1.234,5"], [-3], ["2,5"])
    column = Column(name="a", kind=Kind.DECIMAL, min=-10, max=9999)
    form = FileFormat(decimal_sign=",", thousands=".")
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,), file=form)
    axis = Axis(column=column, edges=(-10.0, 0.0, 10.0, 9999.0))
    assert open_table(path, schema).codes([axis]).columns[0].tolist() == [2, 2, 0, 1]


def test_a_column_of_a_sheet_may_be_written_in_a_form_of_its_own(tmp_path: Path) -> None:
    """The file has decimal points, one column has decimal commas, and both have numbers and texts."""
    path = book(tmp_path / "t.xlsx", ["a", "b"], [1234.5, 2.5], ["1.234,5", "1,234.5"], ["2,5", 1234.5])
    own = {"decimal_sign": ",", "thousands": "."}
    columns = [Column(name=n, kind=Kind.DECIMAL, min=0, max=9999, **(own if n == "a" else {})) for n in "ab"]
    form = FileFormat(thousands=",")
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(*columns,), file=form)
    axes = [Axis(column=column, edges=(0.0, 10.0, 9999.0)) for column in columns]
    codes = open_table(path, schema).codes(axes).columns
    assert [column.tolist() for column in codes] == [[1, 1, 0], [0, 1, 1]]


def test_the_declared_sheet_is_read_and_its_first_row_may_be_a_record(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", ["a"], [1])
    made = openpyxl.load_workbook(path)
    made.create_sheet("Zwei").append([7])
    made.create_sheet("Hidden", 0).sheet_state = "hidden"
    made.save(path)
    assert rows_of(path, "a", sheet="Zwei", header=False) == {"a": ["7"]}
    assert rows_of(path, "a", sheet="Data") == {"a": ["1"]}
    assert rows_of(path, "a") == {"a": ["1"]}
    for header in (True, False):
        with refused(Code.SHEET):
            rows_of(path, "a", sheet=CANARY, header=header)


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "sas7bdat"])
def test_a_statistics_file_gives_the_texts_of_its_export(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame(
        {
            "n": [1.0, 2.5, None, 1e20],
            "s": [" é", "", "x", "Łódź"],
            "d": [DAY, None, dt.date(1582, 10, 20), dt.date(1969, 12, 31)],
            "m": pd.to_datetime([MOMENT, None, "1999-12-31 00:00:00", "1969-12-31 23:59:59"], format="mixed"),
        }
    )
    if ending == "sas7bdat":
        write_sas(frame, path)
        assert pd.read_sas(path)["d"].dt.date[2] == frame["d"][2]
    else:
        write = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
        write(frame, str(path), **({"compress": True} if ending == "zsav" else {}))
    assert header_only(path, FileFormat()) == ["n", "s", "d", "m"]
    found = rows_of(path, "s", "m", "n", "d")
    assert found["n"][:3] == ["1", "2.5", ""] and float(found["n"][3]) == 1e20
    assert found["s"] == ["\xc3\xa9", "", "x", "Łódź".encode().decode("latin-1")]
    assert found["d"] == ["2024-02-29", "", "1582-10-20", "1969-12-31"]
    assert found["m"] == ["2024-02-29 13:05:09", "", "1999-12-31 00:00:00", "1969-12-31 23:59:59"]


@pytest.mark.parametrize("form", ["", "DATE11", "%td"])
def test_no_number_decides_how_another_is_written(form: str) -> None:
    """A fraction, a blank or a number out of range in the same column changes no other cell."""
    declared = Declared(Kind.CATEGORY, ())
    cells = [0.0, -0.0, 1.0, 2e15, 3e16, 0.5, None, 1e300, -7.0, 86_400.0]

    def written(some: list[float | None]) -> list[str | None]:
        return list(
            foreign._numbers(some, form, ".dta" if form == "%td" else ".sav", ".", declared).to_pylist()
        )

    alone = [written([cell])[0] for cell in cells]
    assert written(cells) == alone
    assert [written([cell, other]) for cell in cells for other in cells] == [
        [one, two] for one in alone for two in alone
    ]


@pytest.mark.parametrize("declared", ["", "utf-8", "cp1252", "shift_jis", "gb18030", "utf-16"])
def test_no_text_stops_a_file_or_decides_how_another_is_written(declared: str) -> None:
    """Bytes that are no text in the declared encoding are one bad cell."""
    cells = [None, "", "a", "\x81", "\xe9", "\xff\xfe", "\x00", "".join(map(chr, range(256)))]
    alone = [foreign._texts([cell], "latin-1", declared).to_pylist()[0] for cell in cells]
    assert foreign._texts(cells, "latin-1", declared).to_pylist() == alone
    assert alone[0] is None and None not in alone[1:]


def test_a_moment_out_of_range_is_a_blank_and_a_code_for_missing_too(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    frame = pd.DataFrame({"d": [1e30, -1e30, 86_400.0 * 150_000], "n": [-9.0, 7.0, 8.0]})
    ranges = {"n": [{"lo": -9, "hi": -9}]}
    pyreadstat.write_sav(frame, str(path), variable_format={"d": "DATE11"}, missing_ranges=ranges)
    assert rows_of(path, "d", "n") == {"d": ["", "", "1993-06-21"], "n": ["", "7", "8"]}


def test_a_declared_code_for_missing_keeps_its_reason(tmp_path: Path) -> None:
    """SPSS declares 900 to 999 and -9 as missing. One column lists some of these values, another column
    none.
    """
    path, cells = tmp_path / "t.sav", [1.0, 900.0, 951.0, 998.0, 999.0, -9.0, None]
    missing = [{"lo": 900, "hi": 999}, {"lo": -9, "hi": -9}]
    frame = pd.DataFrame({"a": cells, "b": cells, "s": ["x", "DK", "RF", "y", "DK", "", "z"]})
    pyreadstat.write_sav(frame, str(path), missing_ranges={"a": missing, "b": missing, "s": ["DK", "RF"]})
    listed = Column(name="a", kind=Kind.CATEGORY, values=(1, 900, -9), reads=((), ("95*", "998"), ()))
    ranged = Column(name="b", kind=Kind.INTEGER, min=0, max=1000)
    said = Column(name="s", kind=Kind.CATEGORY, values=("x", "y", "DK"))
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(listed, ranged, said))
    axes = (
        Axis(column=listed, labels=listed.values),
        Axis(column=ranged, edges=(0.0, 500.0, 1000.0)),
        Axis(column=said, labels=said.values),
    )
    codes = open_table(path, schema).codes(axes).columns
    assert [column.tolist() for column in codes] == [
        [0, 1, 1, 1, 3, 2, 3],
        [0, 2, 2, 2, 2, 2, 2],
        [0, 2, 3, 1, 2, 3, 3],
    ]


def test_rows_are_read_in_parts(tmp_path: Path) -> None:
    """The table has more cells than are read at a time."""
    many = 700_000
    frame = pd.DataFrame({"n": np.arange(many, dtype=float), "m": np.ones(many)})
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"))
    assert rows_of(tmp_path / "t.sav", "m", "n")["n"] == [str(n) for n in range(many)]


def entity_attack(path: Path) -> None:
    """A workbook whose sheet defines entities that expand a thousand million times."""
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    with zipfile.ZipFile(path) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    top = f'<?xml version="1.0"?><!DOCTYPE worksheet [<!ENTITY e0 "{CANARY}">{lines}]>'
    cell = '<c r="A2" t="inlineStr"><is><t>&e9;</t></is></c>'
    sheet = top + sheet.replace("</sheetData>", f'<row r="9">{cell}</row></sheetData>')
    parts["xl/worksheets/sheet1.xml"] = sheet.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in parts.items():
            out.writestr(name, content)


def zip_bomb(path: Path) -> None:
    """A workbook with a text of five gigabytes, which is more than the process may use."""
    with zipfile.ZipFile(path) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name, content in parts.items():
            if name != "xl/worksheets/sheet1.xml":
                out.writestr(name, content)
        with out.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            start = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            sheet.write(f'{start}<row r="1"><c r="A1" t="inlineStr"><is><t>'.encode())
            for _ in range(5 << 10):
                sheet.write(b"x" * (1 << 20))


def far_cells(path: Path) -> None:
    """A workbook that declares the maximum size, with a cell in its last corner."""
    made = openpyxl.load_workbook(path)
    made.active.cell(row=1_048_576, column=16_384, value=CANARY)
    made.active.merge_cells("A3:C9")
    made.save(path)


def links(path: Path) -> None:
    """A workbook whose cells refer to other files and addresses."""
    made = openpyxl.load_workbook(path)
    for row, cell in enumerate((f"='[/etc/{CANARY}.xlsx]A'!A1", '=WEBSERVICE("http://localhost:1")'), 3):
        made.active.cell(row=row, column=1, value=cell)
    made.active["A3"].hyperlink = "http://localhost:1"
    made.save(path)


@pytest.mark.parametrize("hostile", [far_cells, links])
def test_a_strange_workbook_has_its_rows_alone(tmp_path: Path, hostile: Any) -> None:
    path = book(tmp_path / "t.xlsx", ["a", "b"], [1, 2], ["x"])
    hostile(path)
    found = rows_of(path, "a", "b")
    assert found["a"][0] == "1" and found["b"][0] == "2"
    assert CANARY not in str(found)


def far_row(path: Path) -> None:
    """A workbook whose second row has a row number beyond the limit."""
    with zipfile.ZipFile(path) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    with zipfile.ZipFile(path, "w") as out:
        for name, content in parts.items():
            out.writestr(name, content.replace(b'<row r="2"', b'<row r="99999999999"'))


@pytest.mark.long
@pytest.mark.parametrize("hostile", [entity_attack, zip_bomb])
def test_a_workbook_that_grows_is_refused(tmp_path: Path, hostile: Any) -> None:
    path = book(tmp_path / "t.xlsx", ["a", "b"], [1, 2])
    hostile(path)
    with refused(Code.FILE_UNREADABLE):
        header_only(path, FileFormat(skip_lines=9))


@pytest.mark.long
def test_rows_that_no_workbook_has_are_not_made_up(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", ["a"], [1])
    far_row(path)
    with refused(Code.FILE_UNREADABLE):
        open_table(path, DECLARED)


@pytest.mark.parametrize("where", ["header", "rows"])
def test_a_workbook_that_takes_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """A million rows in a few kilobytes, which take every machine at least a second."""
    path = book(tmp_path / "t.xlsx", ["a"], [1])
    with zipfile.ZipFile(path) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    row = b'<row><c t="inlineStr"><is><t>x</t></is></c></row>' if where == "rows" else b"<row/>"
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</sheetData>", row * 1_000_000 + b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in parts.items():
            out.writestr(name, content)
    monkeypatch.setattr(foreign, "SECONDS", 1)
    with refused(Code.FILE_SLOW):
        if where == "rows":
            open_table(path, DECLARED)
        else:
            header_only(path, FileFormat(skip_lines=999_999))


@pytest.mark.parametrize("ending", ["xlsx", "sav", "zsav", "dta", "sas7bdat"])
@pytest.mark.parametrize("damage", ["empty", "text", "half", "other kind"])
def test_a_damaged_file_is_refused_without_a_word_from_it(
    tmp_path: Path, ending: str, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path, frame = tmp_path / f"t.{ending}", pd.DataFrame({"a": [CANARY] * 999, "b": np.arange(999) / 7})
    if ending == "xlsx":
        book(path, ["a", "b"], *frame.values.tolist())
    else:
        write = {"dta": pyreadstat.write_dta, "sas7bdat": write_sas}.get(ending, pyreadstat.write_sav)
        write(frame, path)
    whole = path.read_bytes()
    other = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode() * 99  # as a workbook with a password begins
    cut = {"empty": b"", "text": f"a,b\n{CANARY},1\n".encode(), "half": whole[: len(whole) // 2]}
    path.write_bytes(cut.get(damage, other))
    with refused(Code.FILE_UNREADABLE) as caught:
        header_only(path, FileFormat())
        open_table(path, DECLARED)
    assert CANARY not in f"{caught.value!r} {caught.value.__context__!r}"
    assert capfd.readouterr() == ("", ""), "a message of the reader may quote a cell"


def test_number_formats_and_declarations_decide_how_a_sheet_is_read(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.active.append(["share", "code", "day", "whole"])
    for row, formats in (
        ([0.125, 12, 45371, 1.234], ["0.0%", "0000", "General", "0.000"]),
        (
            ["7%", "0007", DAY, 5.5],
            ["General", "General", "yyyy", "General"],
        ),
    ):
        made.active.append(row)
        for cell, form in zip(made.active[made.active.max_row], formats, strict=True):
            cell.number_format = form
    made.save(path := tmp_path / "t.xlsx")
    kinds = {"share": Kind.DECIMAL, "code": Kind.CATEGORY, "day": Kind.DATE, "whole": Kind.INTEGER}
    ends = {"day": {"min": "2024-01-01", "max": "2024-12-31"}, "code": {"values": ("0007", "0012")}}
    columns = tuple(
        Column(name=name, kind=kind, **ends.get(name, {"min": 0, "max": 100})) for name, kind in kinds.items()
    )
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=columns)
    (block,) = read_columns(path, schema)
    found = {name: texts_of(column) for name, column in block.items()}
    assert found["share"] == ["12.5%", "7%"] and found["code"] == ["0012", "0007"]
    assert found["day"] == ["2024-03-20", "2024-02-29"]
    whole = values_in(block["whole"].texts, columns[3], FileFormat())
    assert sorted(whole.tolist()) == [1.234, 5.5], "a number of a workbook is never ambiguous"


def test_a_month_of_stata_is_its_first_day_in_a_column_of_dates(tmp_path: Path) -> None:
    frame = pd.DataFrame({"m": [735, 736], "x": [1.5, 2.0]})
    pyreadstat.write_dta(frame, str(path := tmp_path / "t.dta"), variable_format={"m": "%tm"})
    column = Column(name="m", kind=Kind.DATE, min="2021-01-01", max="2021-12-31")
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    (block,) = read_columns(path, schema)
    assert texts_of(block["m"]) == ["2021-04-01", "2021-05-01"]
    assert rows_of(path, "m") == {"m": ["2021m4", "2021m5"]}
