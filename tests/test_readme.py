"""What the README shows is what happens."""

import doctest
import json
import re
from pathlib import Path

import pytest

from synth.dictionaries import load_schema
from synth.mechanisms import MECHANISMS
from synth.rules.grammar import parse_sentence

README = Path(__file__).parents[1] / "README.md"
SHAPE = README.parent / "synth" / "dictionaries" / "schema.schema.json"


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


def test_the_schema_page_lists_every_field_and_every_sentence_can_be_read() -> None:
    page = (README.parent / "assets" / "docs" / "schema.md").read_text(encoding="utf-8")
    shape = json.loads(SHAPE.read_text(encoding="utf-8"))
    objects = (
        shape,
        *(shape["properties"][name] for name in ("unit", "file")),
        *(shape["properties"][name]["items"] for name in ("groups", "columns")),
    )
    fields = {name for item in objects for name in item["properties"]}
    assert sorted(name for name in fields if f"`{name}`" not in page) == []
    schema = load_schema(
        {
            "name": "page",
            "population": "page",
            "unit": {"max_rows": 1},
            "columns": [
                {"name": "age", "kind": "integer", "min": 0, "max": 99},
                *({"name": n, "kind": "integer", "min": 0, "max": 9} for n in ("start", "end")),
                {"name": "sex", "kind": "category", "values": ["male", "female"]},
                *({"name": n, "kind": "category", "values": ["no", "yes"]} for n in ("smokes", "pregnant")),
                {"name": "job", "kind": "category", "values": ["none", "nurse"]},
            ],
        }
    )
    sentences = re.findall(r"^\| `([^`]+)` \|", page.partition("| Sentence |")[2], flags=re.M)
    assert len([parse_sentence(sentence, schema) for sentence in sentences]) == 5


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
