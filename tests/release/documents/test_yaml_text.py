"""What is written is read back by a reader of YAML 1.1."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from synth.release.documents.yaml_text import write


def read(text: str) -> Any:
    return yaml.safe_load(text)


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
