"""Test reading (v1 and v2) and writing a Frictionless Table Schema."""

from __future__ import annotations

import json

import pytest

from synth.core.errors import Mistake
from synth.core.schema import DateOrder, Kind, Provenance
from synth.dictionaries import load_schema, read_draft, to_frictionless
from synth.dictionaries.frictionless import draft_frictionless

V1 = {
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "age", "type": "integer", "constraints": {"minimum": "0", "maximum": 99, "required": True}},
        {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 9.5}},
        {"name": "born", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "2020-12-31"}},
        {"name": "sex", "type": "string", "title": "Sex", "constraints": {"enum": ["f", "m"]}},
        {"name": "smokes", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
        {"name": "seen", "type": "year", "constraints": {"minimum": 1990, "maximum": 2020}},
    ],
    "missingValues": ["", "-"],
    "primaryKey": "id",
}
ORDERED = {"name": "school", "type": "string", "categories": ["low", "high"], "categoriesOrdered": True}
LABELLED = {"name": "ward", "type": "integer", "categories": [{"value": 0, "label": "Old"}, {"value": 1}]}
EXCLUSIVE = {
    "name": "age",
    "type": "integer",
    "constraints": {"exclusiveMinimum": 0, "exclusiveMaximum": 100},
    "missingValues": [{"value": "-9", "label": "refused"}],
}
DIALECT = {"delimiter": ";", "header": False}
V2 = {
    "resources": [
        {"name": "people", "dialect": DIALECT, "schema": {"fields": [ORDERED, LABELLED, EXCLUSIVE]}}
    ]
}


def schema_of(descriptor, **more):
    draft = read_draft(json.dumps(descriptor).encode(), name="table.json")
    return draft.completed(**{"population": "p", "max_rows": 2} | more)


def test_both_versions_are_read():
    schema = schema_of(V1)
    kinds = [Kind.DROP, Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.CATEGORY, Kind.CATEGORY, Kind.INTEGER]
    assert [c.kind for c in schema.columns] == kinds
    assert (schema.column("age").min, schema.column("age").max, schema.column("age").blank) == (0, 99, False)
    assert schema.column("smokes").values == ("no", "yes")
    assert schema.column("sex").title == "Sex"
    assert (schema.file.missing, schema.unit.max_rows) == (("", "-"), 2)
    assert {c.provenance for c in schema.columns} == {Provenance.PUBLIC_DOCUMENT}
    assert schema_of(V1, id_column="id").unit.id_column == "id"
    schema = schema_of(V2)
    assert schema.name == "people"
    assert schema.column("school").kind is Kind.ORDERED
    assert schema.column("ward").values == (0, 1)
    assert (schema.column("age").min, schema.column("age").max) == (1, 99)
    assert (schema.file.delimiter, schema.file.header, schema.file.missing) == (";", False, ("",))
    assert schema.column("age").missing == ("-9",)


def test_what_lacks_a_domain_is_listed_and_never_guessed():
    day = {"name": "day", "type": "date", "format": "%d %B"}
    age = {"name": "age", "type": "integer", "constraints": {"minimum": 0}}
    fields = [{"name": "name", "type": "string"}, age, {"name": "at", "type": "datetime"}, day]
    document, lacking = draft_frictionless({"fields": fields})
    assert lacking == (
        "Column 'name' lacks a list of values.",
        "Column 'age' lacks a smallest and a largest value.",
        "Column 'at' has a kind that is not supported (datetime).",
        "Column 'day' has dates in a form that is not supported.",
    )
    assert [c["kind"] for c in document["columns"]] == ["category", "integer", None, None]
    assert {c["provenance"] for c in document["columns"]} == {"steward knowledge"}
    with pytest.raises(Mistake, match="Column 'at'"):
        schema_of({"fields": fields})


def test_the_form_of_numbers_and_dates_is_that_of_the_file():
    born = {"name": "born", "type": "date", "format": "%d.%m.%Y"}
    limits = {"minimum": "01.02.1900", "maximum": "2020-12-31"}
    cost = {"name": "cost", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 9}}
    table = {"fields": [{**born, "constraints": limits}, cost]}
    schema = schema_of(table)
    assert (schema.file.decimal_sign, schema.file.date_order) == (",", DateOrder.DAY_FIRST)
    assert (schema.column("born").min, schema.column("born").max) == ("1900-02-01", "2020-12-31")
    seen = {"name": "seen", "type": "date", "format": "%m/%d/%y"}
    price = {**cost, "name": "price", "decimalChar": ".", "groupChar": ","}
    table["fields"] += [seen, price, {"name": "read", "type": "date"}]
    lacking = draft_frictionless(table)[1]
    assert not any("writes" in sentence for sentence in lacking)
    schema = schema_of(
        {"fields": [{**seen, "constraints": {**limits, "minimum": "02/01/1900"}}, *table["fields"][:2]]}
    )
    assert schema.column("seen").min == "1900-02-01" and schema.column("born").min == "1900-02-01"
    own = {c.name: c.date_order for c in schema.columns}
    assert own == {"seen": DateOrder.MONTH_FIRST, "born": DateOrder.DAY_FIRST, "cost": None}


@pytest.mark.parametrize(
    ("descriptor", "resource", "sentence"),
    [
        ({"resources": [{"name": "a"}, {"name": "b"}]}, None, r"several resources \(a, b\)"),
        ({"resources": [{"name": "a"}]}, "c", "no resource 'c'"),
        ({"schema": "elsewhere.json"}, None, "does not have a list of 'fields'"),
    ],
)
def test_descriptors_without_a_table(descriptor, resource, sentence):
    with pytest.raises(Mistake, match=sentence):
        draft_frictionless(descriptor, resource=resource)


def test_out_and_in_again_keeps_kinds_and_domains():
    schema = schema_of(V1)
    again = schema_of(to_frictionless(schema))
    keep = [(c.name, c.kind, c.values, c.min, c.max, c.blank, c.title) for c in schema.modelled]
    assert [(c.name, c.kind, c.values, c.min, c.max, c.blank, c.title) for c in again.columns] == keep


def test_the_label_for_other_values_is_among_the_categories():
    ward = {"name": "ward", "kind": "category", "values": [0, 1], "outside": "other"}
    schema = load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": [ward]})
    (field,) = to_frictionless(schema, missing=("NA",))["fields"]
    assert field["type"] == "string" and field["categories"] == ["0", "1", "Other"]
    assert to_frictionless(schema, missing=("NA",))["missingValues"] == ["NA"]
