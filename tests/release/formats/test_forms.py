"""The table of a release package in the formats of other programs, with the same cells and with labels."""

import csv
import datetime as dt
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from synth.cli import main
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.release import bundle
from synth.release.documents.statement import Imprint
from synth.release.formats import content as contents
from synth.release.formats.agreement import agrees
from synth.release.formats.content import Content
from synth.release.formats.forms import FORMS, export
from synth.release.formats.sketch import WATERMARK, sketch, write_sketch
from synth.release.opened import open_bundle
from synth.release.publish import worded
from synth.release.verify import verify

PACKAGE = Path(__file__).parents[1] / "version_0_9.zip"
SCHEMA = load_schema(
    {
        "name": "visits",
        "population": "p",
        "unit": {"max_rows": 1},
        "file": {"delimiter": ";", "decimal_sign": ",", "date_order": "day-month-year"},
        "columns": [
            {"name": "birth year", "kind": "integer", "min": 1950, "max": 2000, "title": "Year of birth"},
            {"name": "birth-year", "kind": "decimal", "min": 0, "max": 9, "decimals": 2},
            {"name": "seen", "kind": "date", "min": "2020-01-01", "max": "2020-12-31"},
            {"name": "sex", "kind": "category", "values": ["1", "2"], "labels": ["male", "female"]},
            {"name": "does", "kind": "category", "values": ["=1+1", "no"]},
            {"name": "aids", "kind": "category", "values": ["cane", "none"], "separator": ";",
             "exclusive": "none"},
        ],
    }
)  # fmt: skip
RULES = ["if 'aids: none' is yes then sex is 1", "'birth year' is at least 1960"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, dict[str, bytes]]:
    out = write_sketch(SCHEMA, tmp_path_factory.mktemp("made") / "out", RULES, 300, also=[*FORMS])
    return sketch(SCHEMA, RULES, 300), {path.name: path.read_bytes() for path in out.iterdir()}


def test_a_sketch_obeys_the_rules_and_says_what_it_is(
    table: tuple[pd.DataFrame, dict[str, bytes]],
) -> None:
    frame, files = table
    assert len(frame) == 300 and frame.attrs["watermark"] == WATERMARK
    assert (frame["birth year"].dropna() >= 1960).all() and {*frame["sex"].dropna()} == {"1", "2"}
    assert (frame["sex"][(frame["aids"] == "none").fillna(False)] == "1").fillna(True).all()
    assert {*frame["aids"].dropna()} == {"cane", "none"} and 0 < frame["aids"].isna().mean() < 0.2
    assert all(
        name.startswith("structure-only") or name in ("README.md", "datapackage.json") for name in files
    )
    assert WATERMARK in files["README.md"].decode() and WATERMARK in files["datapackage.json"].decode()
    with pytest.raises(Mistake, match="still to be estimated"):
        sketch(load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1},
                            "columns": [{"name": "a", "kind": "integer", "buy": True}]}))  # fmt: skip


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_statistics_programs_get_numbers_with_labels(
    table: tuple[pd.DataFrame, dict[str, bytes]], tmp_path: Path, ending: str
) -> None:
    import pyreadstat

    frame, files = table
    place = tmp_path / f"t.{ending}"
    place.write_bytes(files[f"structure-only.{ending}"])
    read, meta = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav}[ending](place)
    assert list(read) == ["birth_year", "birth_year_2", "seen", "sex", "does", "aids"]
    assert meta.column_names_to_labels["birth_year"] == "Year of birth" and meta.file_label == WATERMARK
    assert {int(code): label for code, label in meta.variable_value_labels["sex"].items()} == {
        1: "male",
        2: "female",
    }
    assert list(meta.variable_value_labels["does"].values()) == ["=1+1", "no"]
    assert read["sex"].astype("Int64").astype("string").equals(frame["sex"].astype("string"))
    known = frame["birth-year"].notna()
    assert (read["birth_year_2"][known] == frame["birth-year"][known]).all()
    days = [cell if isinstance(cell, dt.date) else None for cell in read["seen"]]
    assert [None if day is None else day.isoformat() for day in days] == [
        None if pd.isna(cell) else str(cell)[:10] for cell in frame["seen"]
    ]
    assert (meta.creation_time.hour, meta.creation_time.minute) == (0, 0)


def test_a_workbook_has_types_and_no_formulas(table: tuple[pd.DataFrame, dict[str, bytes]]) -> None:
    import openpyxl

    frame, files = table
    book = openpyxl.load_workbook(io.BytesIO(files["structure-only.xlsx"]))
    assert book.sheetnames == ["structure only", "variables", "labels"]
    rows = list(book["structure only"].iter_rows(min_row=2))
    risky = [row[4] for row in rows if row[4].value == "=1+1"]
    assert risky and all(cell.data_type == "s" and cell.quotePrefix for cell in risky)
    assert [row[2].value and row[2].value.date().isoformat() for row in rows] == [
        None if pd.isna(cell) else str(cell)[:10] for cell in frame["seen"]
    ]
    assert ("sex", "2", "female") in book["labels"].iter_rows(values_only=True)
    with zipfile.ZipFile(io.BytesIO(files["structure-only.xlsx"])) as parts:
        core = parts.read("docProps/core.xml").decode()
    assert core.count("1980-01-01T00:00:00Z") == 2 and "<dc:creator>Marginalia<" in core


def test_csv_is_written_for_excel_and_as_in_the_source(
    table: tuple[pd.DataFrame, dict[str, bytes]],
) -> None:
    frame, files = table
    texts = {name: files[f"structure-only-{name}.csv"].decode("utf-8") for name in ("excel", "source")}
    assert all(text.startswith("\ufeff") for text in texts.values())
    excel = list(csv.reader(io.StringIO(texts["excel"][1:])))
    source = list(csv.reader(io.StringIO(texts["source"][1:]), delimiter=";"))
    row = int((frame["birth-year"].notna() & frame["seen"].notna() & (frame["does"] == "=1+1")).argmax())
    number, day = f"{frame['birth-year'][row]:.2f}", dt.date.fromisoformat(str(frame["seen"][row])[:10])
    assert excel[row + 1][1:3] == [number, day.isoformat()] and excel[row + 1][4] == "'=1+1"
    assert source[row + 1][1:3] == [number.replace(".", ","), f"{day:%d.%m.%Y}"]


def test_a_package_with_all_formats_is_verified_and_the_same_each_time(tmp_path: Path) -> None:
    opened = open_bundle(PACKAGE)
    imprint = Imprint.of(opened.statement)
    made = [worded(opened, imprint, also=[*FORMS]) for _ in range(2)]
    assert made[0] == made[1]
    out = bundle.lay_down(made[0], tmp_path / "out")
    assert verify(out).problems == ()
    paths = {resource["path"] for resource in json.loads(made[0]["datapackage.json"])["resources"]}
    assert {form.path(opened.layout) for form in FORMS.values()} <= paths
    assert worded(open_bundle(out), imprint) == made[0]
    forged = {**made[0], "data/synthetic-excel.csv": made[0]["data/synthetic-excel.csv"] + b"1"}
    forged["CHECKSUMS.sha256"] = bundle.checksums(
        {path: own for path, own in forged.items() if path != "CHECKSUMS.sha256"}
    ).encode()
    assert any(
        "synthetic-excel.csv" in one for one in verify(bundle.lay_down(forged, tmp_path / "b")).problems
    )


@pytest.mark.parametrize("name", FORMS)
def test_another_table_in_a_format_is_noticed(name: str) -> None:
    content = Content.of(open_bundle(PACKAGE))
    other = replace(content, frame=content.frame.iloc[::-1])
    form = FORMS[name]
    assert agrees(form, form.write(content), content) and not agrees(form, form.write(other), content)
    assert not agrees(form, b"damaged", content)


def test_a_table_is_exported_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "t.csv"
    wanted = ["export", str(PACKAGE), "--form", "source", "--separator", "\\t", "--out", str(out)]
    assert main(wanted) == 0 and out.read_text(encoding="utf-8-sig").splitlines()[0].count("\t") == 3
    assert out.stat().st_mtime % 86_400 == 0
    assert main([*wanted[:-1], str(tmp_path / "t.xlsx")]) == 2
    assert "must end in .csv" in capsys.readouterr().err
    with pytest.raises(Mistake, match="no sign between cells"):
        export(open_bundle(PACKAGE), "xlsx", separator=";")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "find_spec", lambda name: None)
    with pytest.raises(Mistake, match=r"needs the library openpyxl.*No budget was spent"):
        FORMS["xlsx"].write(Content.of(open_bundle(PACKAGE)))
