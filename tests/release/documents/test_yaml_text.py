"""What is written, read back by a reader of YAML 1.1 and by one of a small part of it, for JSON."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from synth.release.documents.yaml_text import write

FLOAT = re.compile(r"-?\d+\.\d+([eE][-+]\d+)?")
"""What YAML 1.1 takes for a float; a text without the dot is one only in YAML 1.2."""


def read(text: str) -> Any:
    """The document again, by indentation alone; PyYAML, a reader of YAML 1.1, reads the same."""
    lines = [(len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in text.split("\n")[:-1]]
    found, rest = _block(lines, 0)
    assert rest == [] and yaml.safe_load(text) == found
    return found


def _block(lines: list[tuple[int, str]], indent: int) -> tuple[Any, list[tuple[int, str]]]:
    listed = lines[0][1].startswith("-")
    found: Any = [] if listed else {}
    while lines and lines[0][0] == indent:
        head, lines = lines[0][1], lines[1:]
        if listed:
            key, value = "", head.removeprefix("-").strip()
        else:
            quoted = re.match(r'("(?:[^"\\]|\\.)*"|[\w-]+):(.*)', head)
            assert quoted, head
            key, value = quoted[1].strip(), quoted[2].strip()
            key = json.loads(key) if key.startswith('"') else key
        if value == "":
            item, lines = _block(lines, lines[0][0])
        elif value == "|-":
            taken = []
            while lines and lines[0][0] > indent:
                taken.append(" " * (lines[0][0] - indent - 2) + lines[0][1])
                lines = lines[1:]
            item = "\n".join(taken)
        else:
            item = json.loads(value)
            assert not isinstance(item, float) or FLOAT.fullmatch(value)
        if listed:
            found.append(item)
        else:
            found[key] = item
    return found, lines


TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.recursive(
    TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(TEXTS, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_what_is_written_is_read_back(document: dict[str, Any]) -> None:
    assert read(write(document)) == document


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "null",
        "1e-09",
        "- a",
        "# a",
        "a: b\nc: d",
        " leading\nspace",
        "tab\there\nx",
        "\x85",
        "end\n",
        "|-",
        "",
        "\ufffe",
        "NaN",
        "0o17",
        "12:30:45",
        "2026-11-22",
        "=",
    ],
)
def test_a_text_stays_a_text(text: str) -> None:
    assert read(write({"a": text, "b": [text]})) == {"a": text, "b": [text]}


def test_what_is_listed_begins_below_its_dash() -> None:
    """The form of version 0.2, which is compared byte by byte."""
    listed = {"authors": [{"name": "x", "of": ["y"]}]}
    assert write(listed) == 'authors:\n  -\n    name: "x"\n    of:\n      - "y"\n'
