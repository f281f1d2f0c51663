"""Test SDV metadata: kinds are read, and domains are never guessed."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.dictionaries.sdv import draft_sdv

FACTS = {
    "mail": ({"sdtype": "email", "pii": True}, "drop"),
    "card": ({"sdtype": "categorical"}, "drop"),
    "street": ({"sdtype": "categorical"}, "drop"),
    "door": ({"sdtype": "numerical"}, "drop"),
    "visit": ({"sdtype": "categorical"}, "drop"),
    "rewards": ({"sdtype": "boolean"}, "category"),
    "size": ({"sdtype": "categorical", "order": ["S", "M", "L"]}, "ordered"),
    "floor": ({"sdtype": "categorical", "order_by": "numerical_value"}, "ordered"),
    "room": ({"sdtype": "categorical"}, "category"),
    "nights": ({"sdtype": "numerical", "computer_representation": "UInt8"}, "integer"),
    "rate": ({"sdtype": "numerical", "computer_representation": "Float"}, "decimal"),
    "fee": ({"sdtype": "numerical"}, "decimal"),
    "arrival": ({"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M"}, "date"),
    "left": ({"sdtype": "datetime"}, "date"),
    "when": ({"sdtype": "datetime", "datetime_format": "%d %b"}, None),
    "odd": ({}, None),
    "booking": ({"sdtype": "id", "regex_format": "B[0-9]{4}"}, "drop"),
    "remark": ({"sdtype": "unknown", "pii": False}, "drop"),
    "phone": ({"sdtype": "phone_number"}, "drop"),
    "country": ({"sdtype": "country_code", "pii": False}, "category"),
}
KEYS = {"primary_key": "mail", "alternate_keys": ["card", ["street", "door"]], "sequence_key": "visit"}
LACKING = {"floor", "room", "nights", "rate", "fee", "arrival", "left", "when", "odd", "country"}
GUESTS = {**KEYS, "columns": {name: facts for name, (facts, _) in FACTS.items()}}


def test_kinds_are_taken_over_what_identifies_is_dropped_and_nothing_is_guessed():
    document, lacking = draft_sdv(GUESTS)
    entries = {c["name"]: c for c in document["columns"]}
    assert {name: entry["kind"] for name, entry in entries.items()} == {
        n: kind for n, (_, kind) in FACTS.items()
    }
    assert (entries["size"]["values"], entries["rewards"]["values"]) == (["S", "M", "L"], [False, True])
    assert document["unit"] == {"max_rows": None} and document["population"] is None
    assert len(lacking) == len(LACKING)
    assert all(any(f"'{name}'" in sentence for sentence in lacking) for name in LACKING)
    assert not any({"min", "max"} & entry.keys() for entry in entries.values())
    assert (entries["size"]["provenance"], entries["fee"]["provenance"]) == (
        "public document",
        "steward knowledge",
    )


def test_dates_all_in_one_other_order_are_read_in_it_and_others_have_an_order_of_their_own():
    columns = {"left": {"sdtype": "datetime", "datetime_format": "%d.%m.%Y"}, "paid": {"sdtype": "datetime"}}
    document, _ = draft_sdv({"columns": columns})
    assert (document["file"], document["columns"][0]["kind"]) == ({"date_order": "day-month-year"}, "date")
    back = {"sdtype": "datetime", "datetime_format": "%m/%d/%y"}
    document, _ = draft_sdv({"columns": {**columns, "back": back}})
    orders = [column.get("date_order") for column in document["columns"]]
    assert "file" not in document and orders == ["day-month-year", None, "month-day-year"]


def test_one_table_of_several_is_named_and_a_single_one_found():
    several = {"tables": {"a": GUESTS, "b": GUESTS}}
    with pytest.raises(Mistake, match=r"several tables \(a, b\)"):
        draft_sdv(several)
    with pytest.raises(Mistake, match="no table 'c'"):
        draft_sdv(several, table="c")
    assert draft_sdv(several, table="b")[0]["name"] == "b"
    assert draft_sdv({"tables": {"a": GUESTS}})[0]["name"] == "a"


@pytest.mark.parametrize("metadata", [{}, {"columns": {"a": "numerical"}}, {"tables": {"a": 1}}])
def test_metadata_without_columns(metadata):
    with pytest.raises(Mistake, match="has no 'columns'"):
        draft_sdv(metadata)
