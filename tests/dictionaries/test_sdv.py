"""SDV metadata: kinds are taken over, domains never guessed."""

from __future__ import annotations

import json

import pytest

from synth.core.errors import Mistake
from synth.core.schema import DateOrder, Kind, Provenance
from synth.dictionaries import dump_schema, from_sdv, load_schema
from synth.dictionaries.sdv import draft_sdv

GUESTS = {
    "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
    "primary_key": "mail",
    "alternate_keys": ["card", ["street", "door"]],
    "columns": {
        "mail": {"sdtype": "email", "pii": True},
        "card": {"sdtype": "categorical"},
        "street": {"sdtype": "categorical"},
        "door": {"sdtype": "numerical"},
        "rewards": {"sdtype": "boolean"},
        "size": {"sdtype": "categorical", "order": ["S", "M", "L"]},
        "floor": {"sdtype": "categorical", "order_by": "numerical_value"},
        "room": {"sdtype": "categorical"},
        "nights": {"sdtype": "numerical", "computer_representation": "UInt8"},
        "rate": {"sdtype": "numerical", "computer_representation": "Float"},
        "fee": {"sdtype": "numerical"},
        "arrival": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M"},
        "left": {"sdtype": "datetime"},
        "booking": {"sdtype": "id", "regex_format": "B[0-9]{4}"},
        "remark": {"sdtype": "unknown", "pii": False},
        "phone": {"sdtype": "phone_number"},
        "country": {"sdtype": "country_code", "pii": False},
    },
    "column_relationships": [],
}
LACKING = {"floor", "room", "nights", "rate", "fee", "arrival", "left", "country"}


def only(*names, **facts):
    return {**GUESTS, "columns": {n: GUESTS["columns"][n] for n in names}, **facts}


def test_kinds_are_taken_over_and_what_identifies_is_dropped():
    schema = from_sdv(GUESTS, population="p", max_rows=3, buy_missing=True)
    kinds = {c.name: c.kind for c in schema.columns}
    dropped = {"mail", "card", "street", "door", "booking", "remark", "phone"}
    assert {name for name, kind in kinds.items() if kind is Kind.DROP} == dropped
    assert (kinds["size"], kinds["floor"], kinds["room"]) == (Kind.ORDERED, Kind.ORDERED, Kind.CATEGORY)
    assert (kinds["nights"], kinds["rate"], kinds["fee"]) == (Kind.INTEGER, Kind.DECIMAL, Kind.DECIMAL)
    assert kinds["arrival"] is kinds["left"] is Kind.DATE
    assert schema.column("size").values == ("S", "M", "L")
    assert schema.column("rewards").values == (False, True)
    assert schema.unit.max_rows == 3 and not schema.rows_public
    assert load_schema(dump_schema(schema)) == schema


def test_what_is_bought_says_so_and_the_rest_is_a_public_document():
    schema = from_sdv(GUESTS, population="p", max_rows=1, buy_missing=True)
    bought = {c.name for c in schema.columns if c.provenance is Provenance.BOUGHT}
    assert bought == {c.name for c in schema.columns if c.buy} == LACKING
    assert schema.column("size").provenance is Provenance.PUBLIC_DOCUMENT


def test_the_width_of_a_machine_word_is_no_domain():
    with pytest.raises(Mistake, match="'nights' lacks a smallest and a largest value"):
        from_sdv(only("nights"), population="p", max_rows=1)


def test_every_column_without_a_domain_is_listed_once_and_nothing_is_guessed():
    with pytest.raises(Mistake) as caught:
        from_sdv(GUESTS, population="p", max_rows=1)
    *columns, advice = str(caught.value).splitlines()
    assert len(columns) == len(LACKING)
    assert all(any(f"'{name}'" in sentence for sentence in columns) for name in LACKING)
    assert "have them bought" in advice


def test_columns_may_be_dropped_by_name_and_an_id_kept_for_capping():
    schema = from_sdv(GUESTS, population="p", max_rows=2, id_column="mail", drop=LACKING)
    assert schema.unit.id_column == "mail"
    assert [c.name for c in schema.modelled] == ["rewards", "size"]


@pytest.mark.parametrize("asked", [{"drop": ("rom",)}, {"id_column": "rom"}])
def test_a_name_that_is_not_there_is_told(asked):
    with pytest.raises(Mistake, match="no column 'rom'"):
        from_sdv(GUESTS, population="p", max_rows=1, buy_missing=True, **asked)


def test_dates_in_another_form_cannot_even_be_bought():
    metadata = only("left")
    metadata["columns"]["left"] = {"sdtype": "datetime", "datetime_format": "%d %b %Y"}
    with pytest.raises(Mistake, match=r"'left' writes dates as '%d %b %Y'"):
        from_sdv(metadata, population="p", max_rows=1, buy_missing=True)


def test_dates_all_in_one_other_order_are_read_in_it_and_one_that_differs_is_told():
    metadata = only("size")
    metadata["columns"]["left"] = {"sdtype": "datetime", "datetime_format": "%d.%m.%Y"}
    schema = from_sdv(metadata, population="p", max_rows=1, buy_missing=True)
    assert schema.file.date_order is DateOrder.DAY_FIRST and schema.column("left").kind is Kind.DATE
    metadata["columns"]["back"] = {"sdtype": "datetime"}
    document, lacking = draft_sdv(metadata)
    assert "file" not in document and {c["name"]: c["kind"] for c in document["columns"]}["left"] is None
    assert "Column 'left' writes dates in another order than others." in lacking


def test_a_sequence_key_names_a_person_and_is_dropped():
    schema = from_sdv(only("room", "size", sequence_key="room"), population="p", max_rows=9)
    assert [c.name for c in schema.modelled] == ["size"]


def test_one_table_of_several_is_named_and_a_single_one_found(tmp_path):
    several = {"METADATA_SPEC_VERSION": "V1", "tables": {"a": only("size"), "b": only("rewards", "size")}}
    path = tmp_path / "metadata.json"
    path.write_text(json.dumps(several), encoding="utf-8")
    with pytest.raises(Mistake, match=r"several tables \(a, b\)"):
        from_sdv(path, population="p", max_rows=1)
    with pytest.raises(Mistake, match="no table 'c'"):
        from_sdv(several, population="p", max_rows=1, table="c")
    assert from_sdv(path, population="p", max_rows=1, table="b").name == "b"
    alone = {**several, "tables": {"a": several["tables"]["a"]}}
    assert from_sdv(alone, population="p", max_rows=1).name == "a"


@pytest.mark.parametrize(
    "metadata", [{}, {"columns": {}}, {"columns": {"a": "numerical"}}, {"tables": {"a": 1}}]
)
def test_metadata_without_columns(metadata):
    with pytest.raises(Mistake, match="holds no 'columns'"):
        from_sdv(metadata, population="p", max_rows=1)


def test_a_draft_leaves_open_what_a_person_must_decide():
    metadata = only("size", "nights", "phone")
    metadata["columns"]["when"] = {"sdtype": "datetime", "datetime_format": "%d %b %Y"}
    metadata["columns"]["odd"] = {}
    document, lacking = draft_sdv(metadata)
    entries = {c["name"]: c for c in document["columns"]}
    assert document["unit"] == {"max_rows": None} and document["population"] is None
    assert {name: entry["kind"] for name, entry in entries.items()} == {
        "size": "ordered",
        "nights": "integer",
        "phone": "drop",
        "when": None,
        "odd": None,
    }
    assert entries["size"]["provenance"] == "public document"
    assert entries["nights"]["provenance"] == "steward knowledge"
    assert len(lacking) == 3
    document |= {"population": "p", "unit": {"max_rows": 1}}
    with pytest.raises(Mistake, match="'nights'"):
        load_schema({**document, "columns": [entries["size"], entries["nights"]]})
    entries["nights"] |= {"min": 1, "max": 30}
    assert load_schema({**document, "columns": [entries["size"], entries["nights"]]}).name == "table"
