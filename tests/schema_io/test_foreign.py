"""Dictionaries of other houses: labels and kinds come over, and what was observed in the data does not."""

from __future__ import annotations

import datetime as dt
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from synth.errors import Mistake
from synth.schema_io import apart, read_draft
from synth.schema_io.drafts import Format, tables_in

CODEBOOK = """<?xml version="1.0"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
 <var name="SEX" intrvl="discrete" nature="nominal">
  <labl>Sex of the person</labl>
  <sumStat type="min">1</sumStat><sumStat type="max">77777</sumStat>
  <catgry><catValu>1</catValu><labl>male</labl><catStat type="freq">88888</catStat></catgry>
  <catgry><catValu>2</catValu><labl>female</labl></catgry>
  <catgry missing="Y"><catValu>.</catValu></catgry></var>
 <var name="HEALTH" nature="ordinal">
  <catgry><catValu>1</catValu></catgry>
  <catgry><catValu>2</catValu></catgry></var>
 <var name="AGE" intrvl="contin"><valrng><range min="0" max="99"/></valrng></var>
 <var name="PAY" intrvl="contin" dcml="2"><sumStat type="max">77777</sumStat></var>
 <var name="NAME"><varFormat type="character"/></var>
</dataDscr></codeBook>"""
CSVW = {
    "@context": "http://www.w3.org/ns/csvw",
    "tableSchema": {
        "columns": [
            {"name": "age", "titles": "Age", "required": True}
            | {"datatype": {"base": "integer", "minimum": "0", "maximum": 99}},
            {"titles": "ward", "datatype": {"base": "string", "format": "north|south"}},
            {"name": "pay", "datatype": "decimal"},
        ]
    },
}


def columns(draft: Any) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in draft.document["columns"]}


def test_a_codebook_is_read_without_what_was_found_in_the_data() -> None:
    draft = read_draft(CODEBOOK.encode(), name="study.xml")
    assert draft.format is Format.DDI and draft.document["name"] == "study"
    found = columns(draft)
    assert (found["SEX"]["values"], found["SEX"]["labels"]) == (["1", "2"], ["male", "female"])
    assert found["SEX"]["title"] == "Sex of the person" and found["HEALTH"]["kind"] == "ordered"
    assert (found["AGE"]["kind"], found["AGE"]["min"], found["AGE"]["max"]) == ("integer", 0, 99)
    assert found["PAY"]["kind"] == "decimal" and "max" not in found["PAY"]
    assert len(draft.notes) == 2 and "77777" not in str(draft) and "88888" not in str(draft)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<codeBook>", "not an XML document"),
        (b"<codeBook/>", "names no variable"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><codeBook/>', "entities"),
    ],
)
def test_what_is_no_codebook_is_told(raw: bytes, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        read_draft(raw, name="study.xml")


def test_csv_on_the_web_is_told_from_other_json_and_read() -> None:
    draft = read_draft(json.dumps(CSVW).encode(), name="table-metadata.json")
    assert draft.format is Format.CSVW and tables_in(json.dumps(CSVW).encode(), name="t.json") == ()
    found = columns(draft)
    assert (found["age"]["min"], found["age"]["max"], found["age"]["blank"]) == (0, 99, False)
    assert found["ward"]["values"] == ["north", "south"]
    assert draft.notes == ("Column 'pay' lacks a smallest and a largest value.",)


def test_labels_of_a_statistics_package_come_without_a_row(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1.0, 2.0], "mood": [1.0, 1.0], "age": [31.0, 77777.0], "who": ["x", "Bo"]})
    for suffix, write, more in (
        (".sav", pyreadstat.write_sav, {"variable_measure": {"mood": "ordinal", "age": "scale"}}),
        (".dta", pyreadstat.write_dta, {}),
    ):
        write(
            frame,
            str(tmp_path / f"t{suffix}"),
            column_labels=["Sex", "Mood", "Age", "Name"],
            variable_value_labels={"sex": {1: "male", 2: "female"}, "mood": {1: "low", 2: "high", 3: "top"}},
            **more,
        )
        draft = read_draft((tmp_path / f"t{suffix}").read_bytes(), name=f"t{suffix}")
        found = columns(draft)
        assert draft.format is Format.STATISTICS
        assert (found["sex"]["values"], found["sex"]["labels"]) == (["1", "2"], ["male", "female"])
        assert (found["mood"]["values"], found["sex"]["title"]) == (["1", "2", "3"], "Sex")
        assert found["mood"]["kind"] == ("ordered" if more else "category")
        assert "max" not in found["age"] and "values" not in found["who"]
        assert "77777" not in str(draft) and "Bo" not in str(draft)


def test_what_is_no_file_of_a_statistics_package_is_told() -> None:
    pytest.importorskip("pyreadstat")
    with pytest.raises(Mistake, match=r"'t\.sav' cannot be read as a file of SPSS"):
        read_draft(b"name,kind\na,category\n", name="t.sav")


def test_the_first_sheet_of_a_workbook_is_a_dictionary() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, out = openpyxl.Workbook(), io.BytesIO()
    for line in (
        ["Name", "Type", "Values", "Min", "Max", None],
        ["sex", "category", "1 = m|2 = f", None, None],
    ):
        book.active.append(line)
    book.active.append(["age", "integer", None, 0, 99.0])
    book.save(out)
    found = columns(read_draft(out.getvalue(), name="d.xlsx"))
    assert found["sex"]["labels"] == ["m", "f"] and found["age"]["max"] == 99
    with pytest.raises(Mistake, match="cannot be read as an Excel workbook"):
        read_draft(b"no", name="d.xlsx")


def test_a_reader_that_crashes_or_never_ends_takes_nothing_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "files"))
    (tmp_path / "files").mkdir()
    program = tmp_path / "reader.py"
    monkeypatch.setattr(apart, "__file__", str(program))
    program.write_text("import sys; print(len(open(sys.argv[2]).read()))")
    assert apart.told(b"cells", way="any", suffix=".x") == 5
    assert not list((tmp_path / "files").iterdir())
    for fate in ("import os; os.abort()", "import time; time.sleep(600)", "raise ValueError('cells')"):
        program.write_text(fate)
        monkeypatch.setattr(apart, "SECONDS", 1 if "sleep" in fate else 60)
        for name, needed in (("t.sav", "pyreadstat"), ("d.xlsx", "openpyxl")):
            pytest.importorskip(needed)
            with pytest.raises(Mistake, match="cannot be read as") as caught:
                read_draft(b"cells", name=name)
            assert "cells" not in str(caught.value)
            assert not list((tmp_path / "files").iterdir())


def test_a_sheet_of_too_many_lines_is_no_dictionary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (["name", "min"], ["born", dt.datetime(1990, 1, 31)], ["age", 0]):
        book.active.append(line)
    book.save(tmp_path / "d.xlsx")
    assert apart.sheet(str(tmp_path / "d.xlsx")) == [["name", "min"], ["born", "1990-01-31"], ["age", 0]]
    monkeypatch.setattr(apart, "_MOST_LINES", 2)
    with pytest.raises(ValueError, match=r"^$"):
        apart.sheet(str(tmp_path / "d.xlsx"))
