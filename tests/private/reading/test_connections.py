"""Test connections by name: refusals, and the session that each connection opens."""

from pathlib import Path

import duckdb
import pytest

from synth.core.errors import Mistake
from synth.core.system import places
from synth.private.reading.connections import Connection, connection_of, opened
from synth.private.reading.duckdb_session import DuckdbSession
from synth.private.reading.sessions import Stored

SECRET = "canary-77f0"
LINES = f'engine = "duckdb"\npath = "/srv/{SECRET}.duckdb"\ntable = "{SECRET}"\n'
POSTGRES = 'engine = "postgres"\ndatabase = "d"\ntable = "t"\n'

pytest.importorskip("ibis", reason="the extra 'databases' is not installed")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "connections.toml"
    monkeypatch.setenv(places.CONNECTIONS, str(path))
    return path


def write(path: Path, text: str, mode: int = 0o600) -> None:
    path.write_text(text)
    path.chmod(mode)


def test_a_connection_comes_from_file_or_environment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, f"[census]\n{LINES}")
    monkeypatch.setenv("MARGINALIA_CONNECTION_THE_OTHER", LINES)
    for name in ("census", "the-other"):
        connection = connection_of(name)
        assert connection.engine == "duckdb" and connection.settings["table"] == SECRET


def test_a_password_may_stand_in_a_variable(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, f'[census]\n{POSTGRES}password_variable = "MARGINALIA_P"\n')
    monkeypatch.setenv("MARGINALIA_P", SECRET)
    settings = connection_of("census").settings
    assert settings["password"] == SECRET


@pytest.mark.parametrize(
    ("text", "mode", "sentence"),
    [
        (f"[census]\n{LINES}", 0o640, "chmod 600"),
        (f"[other]\n{LINES}", 0o600, "no connection 'census'"),
        ("", 0o600, "no connection 'census'"),
        (f'census = "{SECRET}"', 0o600, "no connection 'census'"),
        (f"[census]\n{LINES}secret = '{SECRET}'", 0o600, "number of unknown keys: 1"),
        (f'[census]\nengine = "duckdb"\npath = "{SECRET}"', 0o600, "missing: 'table'"),
        (f'[census]\nengine = "{SECRET}"', 0o600, "no supported engine"),
        (f'[census]\nengine = "{SECRET}', 0o600, "not valid TOML"),
    ],
)
def test_an_unusable_connection_is_not_quoted(file: Path, text: str, mode: int, sentence: str) -> None:
    write(file, text, mode)
    with pytest.raises(Mistake) as caught:
        connection_of("census")
    assert sentence in str(caught.value) and SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_advice_to_change_a_file_of_others(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = file.with_name("passwd")
    write(other, f"[census]\n{LINES}", 0o644)
    monkeypatch.setenv(places.CONNECTIONS, str(other))
    with pytest.raises(Mistake) as caught:
        connection_of("census")
    sentence = str(caught.value)
    assert str(other) in sentence and f"{places.CONNECTIONS} names it" in sentence
    assert "chmod" not in sentence


def test_a_missing_package_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, f"[census]\n{LINES}")
    monkeypatch.setattr("synth.private.reading.connections.find_spec", lambda name: None)
    with pytest.raises(Mistake, match=r"marginalia\[databases\]"):
        connection_of("census")


def test_a_connection_opens_its_engine_and_leaves_out_what_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE t AS SELECT 1 AS a, [1] AS b")
    session = opened(Connection("duckdb", {"path": str(path), "table": "t"}))
    assert isinstance(session, DuckdbSession)
    assert session.columns == {"a": Stored.WHOLE, "b": Stored.OTHER}
    assert session.table.columns == ("a",)
    session.close()
