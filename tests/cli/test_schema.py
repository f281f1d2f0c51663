import json

import openpyxl
import pytest

from synth.cli import main


def test_a_skeleton_holds_the_header_and_nothing_of_the_rows(workdir, capsys, canary):
    assert main(["schema", "start", "t.csv", "--population", "p"]) == 0
    shown = capsys.readouterr()
    skeleton = json.loads(shown.out)
    names = [column["name"] for column in skeleton["columns"]]
    assert names == ["age", "income", "joined", "school", "status", "ward", "id"]
    assert (skeleton["name"], skeleton["population"]) == ("t", "p")
    assert "maximum number of rows per person" in shown.err
    for private in (canary, "secondary", "married"):
        assert private not in shown.out + shown.err


def test_a_skeleton_is_not_written_over_a_file(workdir):
    assert main(["schema", "start", "t.csv", "--out", "new.json"]) == 0
    before = (workdir / "new.json").read_text()
    assert main(["schema", "start", "t.csv", "--out", "new.json"]) == 2
    assert (workdir / "new.json").read_text() == before


def test_a_sound_schema_is_counted_and_a_bad_one_told(workdir, capsys):
    assert main(["schema", "check", "s.json", "--rules", "r.json", "--json"]) == 0
    end = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (end["ok"], end["columns"], end["rules"]) == (True, 6, 1)
    assert main(["schema", "check", "s.json", "--rules", "r.json"]) == 0
    assert "can be used: 6 columns, 1 rule." in capsys.readouterr().out
    document = json.loads((workdir / "s.json").read_text())
    document["columns"][0]["max"] = -5
    (workdir / "bad.json").write_text(json.dumps(document))
    assert main(["schema", "check", "bad.json"]) == 2
    assert "age" in capsys.readouterr().err


def test_a_file_is_compared_only_when_asked_and_under_a_mark(workdir, capsys):
    assert main(["schema", "check", "s.json"]) == 0
    assert "NOT PRIVATE" not in capsys.readouterr().out
    assert main(["schema", "check", "s.json", "--against", "t.csv"]) == 0
    assert "NOT PRIVATE" in capsys.readouterr().out
    narrow = (workdir / "s.json").read_text().replace('["single", "married"]', '["widowed", "divorced"]')
    (workdir / "narrow.json").write_text(narrow)
    assert main(["schema", "check", "narrow.json", "--against", "t.csv"]) == 7
    assert "status: does not fit" in capsys.readouterr().out


FIELD = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
FOREIGN = {
    "frictionless.json": json.dumps({"fields": [FIELD]}),
    "sdv.json": json.dumps({"columns": {"size": {"sdtype": "categorical", "order": ["S", "M"]}}}),
    "dictionary.csv": "name,kind,min,max\nage,integer,0,99\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_formats_become_a_schema_that_checks(workdir, capsys, name):
    (workdir / name).write_text(FOREIGN[name])
    assert (
        main(["schema", "convert", name, "--population", "p", "--max-rows", "2", "--out", "made.json"]) == 0
    )
    made = json.loads((workdir / "made.json").read_text())
    assert (made["population"], made["unit"]["max_rows"]) == ("p", 2)
    assert main(["schema", "check", "made.json"]) == 0


def test_how_a_file_is_written_is_typed_beside_a_dictionary_or_for_a_skeleton(workdir, capsys):
    (workdir / "written.csv").write_text("Office\nage;day\n1,5;3.4.2020\n")
    written = [
        "--delimiter",
        ";",
        "--decimal-sign",
        ",",
        "--date-order",
        "day-month-year",
        "--skip-lines",
        "1",
    ]
    written += ["--notes", "Sum", "Source", "--missing", "-9"]
    stands = {"delimiter": ";", "decimal_sign": ",", "date_order": "day-month-year", "skip_lines": 1}
    stands |= {"notes": ["Sum", "Source"], "missing": ["", "-9"]}
    assert main(["schema", "start", "written.csv", *written]) == 0
    skeleton = json.loads(capsys.readouterr().out)
    assert skeleton["file"] == stands and [c["name"] for c in skeleton["columns"]] == ["age", "day"]
    for name, document in FOREIGN.items():
        (workdir / name).write_text(document)
        assert main(["schema", "convert", name, "--population", "p", "--max-rows", "2", *written]) == 0
        made = json.loads(capsys.readouterr().out)["file"]
        assert {field: made[field] for field in stands} == stands, name
    assert main(["schema", "start", "written.csv", "--delimiter", ";;"]) == 2
    assert "single plain character" in capsys.readouterr().err
    assert main(["schema", "start", "written.csv", "--skip-lines", "-1"]) == 2
    assert "cannot be negative" in capsys.readouterr().err


def test_a_file_is_checked_with_its_header_first(workdir, capsys):
    schema = {"name": "s", "population": "p", "unit": {"max_rows": 1}}
    schema["columns"] = [{"name": "Ward", "kind": "category", "values": ["a"]}]
    (workdir / "s.json").write_text(json.dumps(schema))
    (workdir / "f.csv").write_text("WARD,x\na,1\nb,2\nb,3\n")
    assert main(["check", "--data", "f.csv", "--schema", "s.json"]) == 7
    said = capsys.readouterr().out
    assert "Column 'Ward' is read from 'WARD'." in said and "NOT PRIVATE" in said
    assert "2 cells (66.7%): missing (not in the list: 2)" in said
    (workdir / "f.csv").write_text("WARD;x\na;1\n")
    assert main(["check", "--data", "f.csv", "--schema", "s.json"]) != 0
    assert "probably uses ';'" in capsys.readouterr().out


def test_a_sheet_below_a_title_is_started_from(workdir, capsys):
    made = openpyxl.Workbook()
    made.create_sheet("Two").append(["A title"])
    made["Two"].append(["age", "ward"])
    made.save(workdir / "t.xlsx")
    assert main(["schema", "start", "t.xlsx", "--sheet", "Two", "--skip-lines", "1"]) == 0
    started = json.loads(capsys.readouterr().out)
    assert [column["name"] for column in started["columns"]] == ["age", "ward"]
    assert started["file"] == {"sheet": "Two", "skip_lines": 1}
