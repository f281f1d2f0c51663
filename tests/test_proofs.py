"""The proof notes name code and tests that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTES = sorted(p for p in (ROOT / "assets" / "proofs").glob("*.md") if p.name != "README.md")
PARTS = ("## Statement", "## Proof", "## In the code", "## Pinned by")
FILE = r"`((?:synth|tests)/[\w/]+\.py)"


def names_in(path: Path) -> set[str]:
    """What a module defines or assigns, members as `Class.member` and alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            members = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            found |= {f"{node.name}.{name}" for name in members}
        if isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def named(text: str) -> list[tuple[str, str]]:
    """Names of code told after the file they are in: (file, name)."""
    found: list[tuple[str, str]] = []
    for item in re.split(r"^\* ", text, flags=re.MULTILINE):
        file = ""
        for quoted in re.findall(r"`([^`]+)`", " ".join(item.split())):
            if re.fullmatch(FILE, f"`{quoted}"):
                file = quoted
            elif file and re.fullmatch(r"[A-Za-z_][\w.]*", quoted):
                found.append((file, quoted))
    return found


@pytest.mark.parametrize("note", NOTES, ids=lambda p: p.stem)
def test_a_note_has_its_parts_and_is_listed(note: Path) -> None:
    text = note.read_text()
    places = [text.index(part) for part in PARTS]
    assert places == sorted(places) and text.startswith("# ")
    assert len(text.splitlines()) <= 80, "one page"
    assert f"]({note.name})" in (note.parent / "README.md").read_text()


@pytest.mark.parametrize("note", NOTES, ids=lambda p: p.stem)
def test_a_note_names_tests_that_are_there(note: Path) -> None:
    pinned = note.read_text().split(PARTS[-1])[1]
    nodes = re.findall(FILE + r"::(\w+)`", pinned)
    assert nodes and len(nodes) == pinned.count("::")
    for file, test in nodes:
        assert test in names_in(ROOT / file), f"{file} has no {test}"


@pytest.mark.parametrize("note", NOTES, ids=lambda p: p.stem)
def test_a_note_names_code_that_is_there(note: Path) -> None:
    code = note.read_text().split(PARTS[-2])[1].split(PARTS[-1])[0]
    found = named(code)
    assert found
    for file, name in found:
        assert name in names_in(ROOT / file), f"{file} has no {name}"


@pytest.mark.parametrize("note", [*NOTES, ROOT / "assets" / "proofs" / "README.md"], ids=lambda p: p.stem)
def test_links_between_notes_lead_somewhere(note: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", note.read_text()):
        assert (note.parent / target).is_file()
