import pytest

from synth.cli.arguments import existing_file, write_new
from synth.core.errors import Mistake


def test_a_path_is_made_absolute_and_a_missing_one_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").touch()
    assert existing_file("a.csv", what="table") == tmp_path / "a.csv"
    for typed in ("b.csv", "."):
        with pytest.raises(Mistake, match=f"no table at '{typed}'"):
            existing_file(typed, what="table")


def test_a_file_is_written_once_and_never_over_another(tmp_path):
    write_new(tmp_path / "a", "one")
    with pytest.raises(Mistake, match="exists already"):
        write_new(tmp_path / "a", "two")
    with pytest.raises(Mistake, match="cannot be written"):
        write_new(tmp_path / "no" / "a", "two")
    assert (tmp_path / "a").read_text() == "one"
