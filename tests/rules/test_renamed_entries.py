import pytest

from synth.core.errors import Mistake
from synth.rules.documents import Entry, parse_entry, renamed_entry

from .conftest import schema_of  # isort: skip

COLUMNS = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99},
    {"name": "marital", "kind": "category", "values": ["never", "married", "age"]},
    {"name": "left at", "kind": "integer", "min": 0, "max": 99},
    {"name": "gone", "kind": "drop"},
]
NAMES = {"age": "years or so", "marital": "age"}
"""One new name contains words of the grammar, and the other is an old name."""


OLD = schema_of(COLUMNS)
NEW = schema_of([{**column, "name": NAMES.get(column["name"], column["name"])} for column in COLUMNS])

ENTRIES: list[Entry] = [
    "if age is 0 to 14 then marital is only never",
    "if Age  is at least 15 and 'marital' is not age then left at is at most 50.",
    "never age is below 3 and marital is married or age",
    "if marital is married then age is at least 'left at'",
    "left at is not blank",
    {"sentence": "never marital is age and age is 1", "because": "age is a value of marital"},
    {"forbidden": {"age": "0 to 14", "Marital": ["married", "age"]}},
    {
        "allowed": {"columns": ["marital", "age"], "rows": [["age", "15 to 99"], ["never", None]]},
        "because": "b",
    },
    {"determines": {"from": "marital", "to": "left at", "map": {"never": 1, "married": 2}}},
]


def _new_names(value: object) -> object:
    """Return the parts of a rule with the new name of every column."""
    text = repr(value)
    for name in NAMES:
        for field in ("column", "left", "right"):
            text = text.replace(f"{field}='{name}'", f"{field}=<{name}>")
        text = text.replace(f"columns=('{name}'", f"columns=(<{name}>").replace(
            f", '{name}'), rows", f", <{name}>), rows"
        )
    for name, other in NAMES.items():
        text = text.replace(f"<{name}>", repr(other))
    return text


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_the_rule_says_the_same_of_the_column_under_its_new_name(entry: Entry) -> None:
    before, after = parse_entry(entry, OLD), parse_entry(renamed_entry(entry, OLD, NAMES), NEW)
    assert repr(after.parts) == _new_names(before.parts)
    assert after.because == before.because
    assert after.columns == tuple(NAMES.get(name, name) for name in before.columns)


def test_a_rule_that_cannot_be_read_is_not_guessed_at() -> None:
    with pytest.raises(Mistake, match="gone"):
        renamed_entry("gone is not blank", OLD, {"gone": "here"})
