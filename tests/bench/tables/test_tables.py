from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from synth.bench.tables import tables
from synth.bench.tables.tables import HOMES, SETS, check_known, find, read, read_held_out, read_values
from synth.core.errors import Mistake


def folder(at: Path) -> Path:
    """A Titanic of four people; the JSON's order of columns is not the CSV's, as in the real set."""
    (at / "titanic").mkdir(parents=True)
    (at / "titanic" / "titanic.csv").write_text("Sex,Age,Survived\n1,7,0\n0,3,2\n1,0,1\n0,0,0\n")
    sizes = {"Survived": 3, "Sex": 2, "Age": 9}
    (at / "titanic" / "titanic-domain.json").write_text(json.dumps(sizes))
    return at


def test_columns_are_matched_by_name_not_by_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(folder(tmp_path)))
    table = find("titanic")
    found = read(table)
    assert found.domain.names == ("Survived", "Sex", "Age")
    assert found.domain.sizes == (3, 2, 9)
    np.testing.assert_array_equal(found.codes, [[0, 1, 7], [2, 0, 3], [1, 1, 0], [0, 0, 0]])


def test_an_unknown_table_is_a_mistake_that_names_the_known_ones() -> None:
    with pytest.raises(Mistake, match="adult, nltcs, titanic, adult-raw, bank, gauss10"):
        find("census")


def test_only_tables_with_a_target_are_split_and_only_coded_ones_are_declared_otherwise() -> None:
    for name in ("bank-split", "titanic-split-500-rows", "adult-categories", "codes-categories-500-rows"):
        check_known(name)
    for name in ("nltcs-split", "gauss10-categories", "adult-raw-categories", "bank-split-500-rows"):
        with pytest.raises(Mistake, match="no benchmark table"):
            check_known(name)


PERSON = "{}, {}, 200000, HS-grad, 9, Divorced, Sales, Unmarried, White, Male, 0, 0, 40, Canada, {}"


def raw_folder(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people of Adult and one in its test file; ten clients of Bank. The cache is elsewhere."""
    people = [PERSON.format(30, "Private", "<=50K"), PERSON.format(17, "?", ">50K")]
    (at / "adult").mkdir(parents=True)
    (at / "adult" / "adult.data").write_text("\n".join(people) + "\n")
    tested = PERSON.format(41, "State-gov", ">50K.")
    (at / "adult" / "adult.test").write_text(f"|1x3 Cross validator\n{tested}\n")
    (at / "bank").mkdir()
    header = "poutcome,job,marital,education,default,housing,loan,contact,day,month,campaign,duration,pdays"
    client = "unknown,student,single,tertiary,no,no,no,unknown,5,may,1,261,-1,0"
    rows = "".join(f"{client},{20 + i},100,no\n" for i in range(10))
    (at / "bank" / "bank-full.csv").write_text(f"{header},previous,age,balance,y\n{rows}")
    monkeypatch.setenv("MARGINALIA_DATA", str(at))
    monkeypatch.setattr(tables.places, "cache", lambda: at / "cache")


def test_a_raw_table_has_codes_of_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_folder(tmp_path, monkeypatch)
    table = find("adult-raw")
    codes, values = read(table), read_values(table)
    assert codes.domain.size(("sex",)) == 2 and codes.domain.size(("workclass",)) == 9  # blanks may be
    assert codes.counts(("income",)).tolist() == [1, 1]
    assert values["age"].tolist() == [30, 17] and values["native-country"].tolist() == ["Canada"] * 2
    assert values["workclass"].isna().tolist() == [False, True]


def test_the_test_file_has_the_labels_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_folder(tmp_path, monkeypatch)
    table = find("adult-raw")
    held_out = read_held_out(table)
    assert held_out is not None and held_out.domain == read(table).domain
    assert held_out.rows == 1 and held_out.counts(("income",)).tolist() == [0, 1]


def test_a_split_holds_out_the_same_fifth_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_folder(tmp_path, monkeypatch)
    table = find("bank-split")
    apart = read_held_out(table)
    assert apart is not None and (read(table).rows, apart.rows) == (8, 2)
    (tmp_path / "bank" / "bank-full.csv").write_text("changed")
    again = read_held_out(find("bank-split"))
    assert again is not None and np.array_equal(again.codes, apart.codes)
    assert read_held_out(find("gauss10")) is None


def test_rules_are_in_force_where_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_folder(tmp_path, monkeypatch)
    table = find("adult-raw")
    assert not table.zeros and len(table.with_rules(True).zeros) >= 4
    with pytest.raises(Mistake, match="has no rules"):
        find("gauss10").with_rules(True)


def test_a_drawn_table_needs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path)
    table = find("gauss10")
    assert read(table).domain.sizes == (20,) * 10
    assert read_values(table).shape == (16_000, 10) and "gauss30" in SETS


def test_what_is_not_there_is_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path / "cache")
    home = folder(tmp_path / "web") / "titanic"
    names = {"csv": "titanic.csv", "domain": "titanic-domain.json"}
    here = tables.Home(**names, **{f"{kind}_url": (home / name).as_uri() for kind, name in names.items()})
    monkeypatch.setitem(tables.HOMES, "titanic", here)
    assert read(find("titanic")).rows == 4
    (home / "titanic.csv").unlink()
    assert read(find("titanic")).rows == 4


@pytest.mark.skipif(
    "MARGINALIA_DATA" not in os.environ, reason="MARGINALIA_DATA names no folder of real tables"
)
@pytest.mark.parametrize(
    "name, rows",
    [("adult", 48_842), ("nltcs", 21_574), ("titanic", 1_304), ("adult-raw", 32_561), ("bank", 45_211)],
)
def test_the_real_tables_fit_their_schema(name: str, rows: int) -> None:
    table = read(find(name))
    assert table.rows == rows
    if name in HOMES:
        assert set(HOMES[name].ordered) <= set(table.domain.names)
