"""Names are read from the first line; a first line that is a row of data goes nowhere."""

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from synth.app.jobs.kinds.header import are_names, columns_of
from synth.cli import main
from synth.core.errors import Mistake

CANARY = "canary-77qx"


def written(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_names_come_in_the_order_of_the_file(tmp_path):
    path = written(tmp_path, f"id;Größe;ward\n1;2;{CANARY}\n")
    found = columns_of(path, {"delimiter": ";"})
    assert found == [{"name": name, "kind": None, "blank": False} for name in ("id", "Größe", "ward")]


def test_a_file_of_a_statistics_package_comes_with_its_labels(tmp_path):
    path = tmp_path / "t.sav"
    frame = pd.DataFrame({"sex": [1.0, 2.0], "who": [CANARY, CANARY]})
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"sex": {1: "male", 2: "female"}})
    sex, who = columns_of(str(path), {})
    assert (sex["values"], sex["labels"], who["name"]) == (["1", "2"], ["male", "female"], "who")
    assert CANARY not in str(who)


@pytest.mark.parametrize(
    "line",
    [
        CANARY,
        f"{CANARY};39",
        f"{CANARY},39",
        f"{CANARY},",
        f"{CANARY},2020-12-31",
        f"{CANARY},{CANARY}",
        f"{CANARY},-1.5e3",
    ],
)
def test_a_row_of_data_is_taken_for_no_names_and_not_told(tmp_path, line, capsys):
    path = written(tmp_path, f"{line}\nx,y\n")
    with pytest.raises(Mistake, match="It may be data") as caught:
        columns_of(path, {})
    assert main(["schema", "start", path]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and str(caught.value) in shown.err and CANARY not in shown.err
    assert main(["schema", "start", path, "--no-header"]) == 0
    assert CANARY not in "".join(capsys.readouterr())


def test_names_of_a_file_with_types_may_look_like_data(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"2020": [1]}).to_parquet(path)
    assert columns_of(str(path), {}) == [{"name": "2020", "kind": None, "blank": False}]


def test_an_empty_file_has_no_names(tmp_path):
    with pytest.raises(Mistake, match="no column names"):
        columns_of(written(tmp_path, ""), {})


@pytest.mark.parametrize("title", [[CANARY], [CANARY, None, None, "House"]])
def test_headings_above_the_names_of_a_sheet_are_not_names(tmp_path, title):
    made = openpyxl.Workbook()
    for row in (title, ["id", "age", "sex", "rooms"], [CANARY, 5, "m", 2]):
        made.active.append(row)
    made.save(tmp_path / "t.xlsx")
    with pytest.raises(Mistake, match="Check the sheet and the number of lines above the names") as caught:
        columns_of(str(tmp_path / "t.xlsx"), {})
    assert CANARY not in str(caught.value)
    found = columns_of(str(tmp_path / "t.xlsx"), {"skip_lines": 1})
    assert [column["name"] for column in found] == ["id", "age", "sex", "rooms"]


@pytest.mark.parametrize(
    ("cells", "sound"),
    [
        (["age", "Income 2020", "q1", "x-1"], True),
        (["a", "A"], False),
        ([], False),
        (["a", "12%"], False),
        (["a", "31/12/2020"], False),
        (["a", "x" * 201], False),
        (["age, in years", "sex"], True),
        (["age"], True),
    ],
)
def test_what_can_be_a_line_of_names(cells, sound):
    assert are_names(cells) is sound
