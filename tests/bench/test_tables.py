from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from synth.bench import tables
from synth.bench.tables import HOMES, find, read, schema_of
from synth.errors import Mistake
from synth.schema import Kind


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
    assert found.domain.sizes == (4, 3, 10)  # one more for missing
    np.testing.assert_array_equal(found.codes, [[0, 1, 7], [2, 0, 3], [1, 1, 0], [0, 0, 0]])


def test_the_schema_declares_every_code_and_one_row_per_person() -> None:
    schema = schema_of("x", {"a": 2, "b": 3}, ["b"])
    assert [(c.kind, c.values, c.blank) for c in schema.columns] == [
        (Kind.CATEGORY, (0, 1), False),
        (Kind.ORDERED, (0, 1, 2), False),
    ]
    assert schema.unit.max_rows == 1 and not schema.file_is_public


def test_an_unknown_table_is_a_mistake_that_names_the_known_ones() -> None:
    with pytest.raises(Mistake, match="adult, nltcs, titanic"):
        find("census")


def test_what_is_not_there_is_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.platformdirs, "user_cache_dir", lambda name: str(tmp_path / "cache"))
    home = folder(tmp_path / "web") / "titanic"
    here = tables.Home(
        csv="titanic.csv",
        domain="titanic-domain.json",
        csv_url=(home / "titanic.csv").as_uri(),
        domain_url=(home / "titanic-domain.json").as_uri(),
    )
    monkeypatch.setitem(tables.HOMES, "titanic", here)
    assert read(find("titanic")).rows == 4
    (home / "titanic.csv").unlink()
    assert read(find("titanic")).rows == 4


def test_an_address_out_of_reach_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.platformdirs, "user_cache_dir", lambda name: str(tmp_path))
    gone = tables.Home(
        csv="a.csv", domain="a.json", csv_url=(tmp_path / "no").as_uri(), domain_url="file:///no"
    )
    monkeypatch.setitem(tables.HOMES, "titanic", gone)
    with pytest.raises(Mistake, match="cannot be reached"):
        find("titanic")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(
    "MARGINALIA_DATA" not in os.environ, reason="MARGINALIA_DATA names no folder of real tables"
)
@pytest.mark.parametrize("name, rows", [("adult", 48_842), ("nltcs", 21_574), ("titanic", 1_304)])
def test_the_real_tables_fit_their_schema(name: str, rows: int) -> None:
    table = read(find(name))
    assert table.rows == rows
    assert set(HOMES[name].ordered) <= set(table.domain.names)
