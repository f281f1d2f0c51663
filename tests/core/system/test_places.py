"""Test the paths of all files and folders, for every variable and its possible values."""

from pathlib import Path, PurePosixPath

import pytest

from synth.core.errors import Mistake
from synth.core.system import places

VARIABLES = ("MARGINALIA_HOME", "MARGINALIA_LEDGER", "MARGINALIA_FOLDER", "XDG_DATA_HOME", "XDG_CACHE_HOME")


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up a user with an empty home folder and without the variables."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setattr(places, "USUAL_HOME", "~/.local/share/marginalia")
    return tmp_path / "user"


def test_without_a_variable_all_lies_in_the_users_data_folder(user: Path) -> None:
    data = user / ".local" / "share" / "marginalia"
    assert places.home() == data and places.ledger() == data / "ledger.sqlite"
    assert places.tables() == data / "tables" and places.rehearsal_ledger() == data / "rehearsal.sqlite"
    assert places.cache() == user / ".cache" / "marginalia"


def test_our_home_moves_the_ledger_too_and_beats_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "ours"))
    ours = tmp_path / "ours"
    assert (places.home(), places.ledger(), places.tables()) == (
        ours,
        ours / "ledger.sqlite",
        ours / "tables",
    )


@pytest.mark.parametrize("variable", ["MARGINALIA_HOME", "MARGINALIA_LEDGER", "MARGINALIA_FOLDER"])
@pytest.mark.parametrize("typed", ["here", "./here", " ", "~nobody-known/here"])
def test_relative_paths_are_refused(monkeypatch: pytest.MonkeyPatch, variable: str, typed: str) -> None:
    monkeypatch.setenv(variable, typed)
    with pytest.raises(Mistake, match=variable):
        places.places()


def test_a_relative_xdg_variable_counts_for_nothing(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert places.home() == user / ".local" / "share" / "marginalia"
    assert places.places()[0].because == "the user's data folder"


def test_a_user_whom_nothing_places_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "nowhere")
    monkeypatch.setattr("pwd.getpwuid", lambda uid: {}[uid])
    with pytest.raises(Mistake, match="MARGINALIA_HOME"):
        places.home()
    monkeypatch.setenv("MARGINALIA_HOME", "/srv/ours")
    assert places.home() == Path("/srv/ours")


def test_a_ledger_elsewhere_is_reported(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = places.ledger()
    old.parent.mkdir(parents=True)
    old.touch()
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "ours"))
    assert places.ledger() == tmp_path / "ours" / "ledger.sqlite"
    monkeypatch.delenv("MARGINALIA_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "new"))
    new = places.home() / "ledger.sqlite"
    with pytest.raises(Mistake, match="two budgets") as stated:
        places.ledger()
    assert f"MARGINALIA_LEDGER={old}" in str(stated.value) and f"MARGINALIA_LEDGER={new}" in str(stated.value)
    for chosen in (old, new):
        monkeypatch.setenv("MARGINALIA_LEDGER", str(chosen))
        assert places.ledger() == chosen
    monkeypatch.delenv("MARGINALIA_LEDGER")
    new.parent.mkdir(parents=True)
    new.touch()
    assert places.ledger() == new


def test_another_process_gets_the_same_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MARGINALIA_LEDGER", "~/l.sqlite")
    before, stated = (places.home(), places.ledger()), places.handed_on()
    for name in (*VARIABLES, "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, path in stated.items():
        assert Path(path).is_absolute()
        monkeypatch.setenv(name, path)
    assert (places.home(), places.ledger()) == before


def test_the_program_is_the_clone_or_installed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = Path(places.__file__).parents[3]
    assert places.program() == clone and (clone / "app.py").is_file()
    monkeypatch.setattr(
        places, "__file__", str(tmp_path / "site-packages" / "synth" / "core" / "system" / "places.py")
    )

    class Listed(PurePosixPath):
        def locate(self) -> Path:
            return tmp_path / "site-packages" / self

    monkeypatch.setattr(places.metadata, "files", lambda name: [Listed("synth/core/system/places.py")])
    with pytest.raises(Mistake, match="missing from this installation"):
        places.program()
    monkeypatch.setattr(places.metadata, "files", lambda name: [Listed("../share/marginalia/app.py")])
    assert places.program() == tmp_path / "share" / "marginalia"
