"""Test addresses of tables: their files are listed in one order, and none is omitted silently."""

from pathlib import Path

import pytest

from synth.core.errors import Mistake
from synth.core.system.address import Address, address_of, entries, existing, typed_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/srv/people.csv", Address(path=Path("/srv/people.csv"))),
        ("/srv/all.duckdb::people 2024", Address(path=Path("/srv/all.duckdb"), table="people 2024")),
        ("/srv/odd::name.csv", Address(path=Path("/srv/odd::name.csv"))),
        ("database:census", Address(connection="census")),
    ],
)
def test_an_address_is_one_word_and_back(text: str, address: Address) -> None:
    assert address_of(text) == address and str(address) == text
    assert address.is_full and address_of(Path(text)) == address


@pytest.mark.parametrize("name", ["", "../x", "a b", "postgres://user:secret@host/people", "x" * 65])
def test_a_connection_has_a_name_and_is_no_connection_string(name: str) -> None:
    with pytest.raises(Mistake, match="not a valid connection name"):
        address_of(f"database:{name}")


def test_a_file_with_a_sign_in_its_name_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "what[1].csv"
    path.write_text("x\n")
    (tmp_path / "what1.csv").write_text("x\n")
    assert entries(existing(str(path))) == (path,)


def test_what_is_typed_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n")
    assert existing(" a.csv ").path == tmp_path / "a.csv"
    assert existing("*.csv").is_pattern
    assert typed_address("b.csv", root=Path("/srv")).path == Path("/srv/b.csv")
    for typed in ("gone.csv", "*.parquet"):
        with pytest.raises(Mistake, match="No table found at"):
            existing(typed)


def test_only_a_duckdb_file_holds_tables_by_name() -> None:
    assert typed_address("x.duckdb", table="t", root=Path("/srv")).table == "t"
    with pytest.raises(Mistake, match="Remove the table name"):
        typed_address("x.csv", table="t")
    with pytest.raises(Mistake, match="already names the table of a connection"):
        typed_address("database:census", table="t")
