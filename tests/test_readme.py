"""What the README shows is what happens."""

import doctest
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_twelve_lines_of_python_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path))
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 5 and result.failed == 0


def test_the_files_it_points_to_are_there() -> None:
    text = README.read_text()
    for line in text.splitlines():
        if line.startswith("!["):
            assert (README.parent / line.split("](")[1].split(")")[0]).exists(), line
