"""What the README shows is what happens."""

import doctest
import re
from pathlib import Path

import pytest

from synth.mechanisms import MECHANISMS

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


@pytest.mark.parametrize("document", ["README.md"])
def test_no_line_of_prose_is_too_long_for_a_window(document: str) -> None:
    """Tables and code cannot be broken."""
    text = (README.parent / document).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    assert [line for line in prose.splitlines() if len(line) > 120 and not line.startswith("|")] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_the_code_it_names_is_there(document: str) -> None:
    """Paths in backticks are told from the top or from `synth/`; `NAME` stands for what is to be added."""
    text, root = (README.parent / document).read_text(encoding="utf-8"), README.parent
    for path in set(re.findall(r"`((?:[\w.]+/)+[\w.]*)`", text)):
        if "NAME" not in path and not path.startswith(".venv"):
            assert (root / path).exists() or (root / "synth" / path).exists(), path


def test_it_counts_the_methods_and_the_page_of_methods_has_them_all() -> None:
    stated = re.search(r"All (\d+) methods", README.read_text(encoding="utf-8"))
    listed = (README.parent / "assets" / "docs" / "methods.md").read_text(encoding="utf-8")
    assert stated is not None and int(stated[1]) == len(MECHANISMS)
    assert [name for name in MECHANISMS if f"`{name}`" not in listed] == []


def test_links_between_documents_lead_somewhere() -> None:
    documents = [
        README,
        README.with_name("CONTRIBUTING.md"),
        *(README.parent / "assets" / "docs").glob("*.md"),
    ]
    dead = [
        f"{document.name}: {target}"
        for document in documents
        for target in re.findall(r"\]\(([^)#]+)", document.read_text(encoding="utf-8"))
        if not target.startswith("http") and not (document.parent / target).exists()
    ]
    assert not dead
