"""Frictionless Table Schema in (v1 and v2) and out."""

from __future__ import annotations

import json

import pytest

from synth.core.errors import Mistake
from synth.core.schema import DateOrder, Kind, Provenance
from synth.dictionaries import dump_schema, from_frictionless, load_schema, to_frictionless

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
V2 = {
    "resources": [
        {
            "name": "people",
            "dialect": {"delimiter": ";", "header": False},
            "schema": {
                "fields": [
                    {
                        "name": "school",
                        "type": "string",
                        "categories": ["low", "high"],
                        "categoriesOrdered": True,
                    },
                    {
                        "name": "ward",
                        "type": "integer",
                        "categories": [{"value": 0, "label": "Old"}, {"value": 1}],
                    },
                    {
                        "name": "age",
                        "type": "integer",
                        "constraints": {"exclusiveMinimum": 0, "exclusiveMaximum": 100},
                        "missingValues": [{"value": "-9", "label": "refused"}],
                    },
                ]
            },
        }
    ]
}


def test_version_one():
    schema = from_frictionless(V1, population="p", max_rows=2)
    kinds = {c.name: c.kind for c in schema.columns}
    assert kinds == {
        "id": Kind.DROP,
        "age": Kind.INTEGER,
        "pay": Kind.DECIMAL,
        "born": Kind.DATE,
        "sex": Kind.CATEGORY,
        "smokes": Kind.CATEGORY,
        "seen": Kind.INTEGER,
    }
    assert (schema.column("age").min, schema.column("age").max, schema.column("age").blank) == (0, 99, False)
    assert schema.column("smokes").values == ("no", "yes")
    assert schema.column("sex").title == "Sex"
    assert schema.file.missing == ("", "-")
    assert schema.unit.max_rows == 2
    assert {c.provenance for c in schema.columns} == {Provenance.PUBLIC_DOCUMENT}


def test_version_two_from_a_package(tmp_path):
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(V2), encoding="utf-8")
    schema = from_frictionless(path, population="p", max_rows=1)
    assert schema.name == "people"
    assert schema.column("school").kind is Kind.ORDERED
    assert schema.column("ward").values == (0, 1)
    assert (schema.column("age").min, schema.column("age").max) == (1, 99)
    assert (schema.file.delimiter, schema.file.header, schema.file.missing) == (";", False, ("", "-9"))


def test_the_id_is_kept_for_capping():
    schema = from_frictionless(V1, population="p", max_rows=2, id_column="id")
    assert schema.unit.id_column == "id" and "id" not in [c.name for c in schema.modelled]


OPEN = {
    "fields": [
        {"name": "name", "type": "string"},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0}},
        {"name": "at", "type": "datetime"},
        {
            "name": "day",
            "type": "date",
            "format": "%d %B %Y",
            "constraints": {"minimum": "a", "maximum": "b"},
        },
    ]
}


def test_what_lacks_a_domain_is_listed_and_never_guessed():
    with pytest.raises(Mistake) as caught:
        from_frictionless(OPEN, population="p", max_rows=1)
    assert str(caught.value).splitlines() == [
        "Field 'name' lacks a list of values.",
        "Field 'age' lacks maximum.",
        "Field 'at' lacks a kind we read (it is datetime).",
        "Field 'day' writes dates in a form we do not read.",
        "Complete the descriptor, drop these fields, or have them bought with budget.",
    ]


def test_the_form_of_numbers_and_dates_is_that_of_the_file():
    born = {"name": "born", "type": "date", "format": "%d.%m.%Y"}
    limits = {"minimum": "01.02.1900", "maximum": "2020-12-31"}
    cost = {"name": "cost", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 9}}
    table = {"fields": [{**born, "constraints": limits}, cost]}
    schema = from_frictionless(table, population="p", max_rows=1)
    assert (schema.file.decimal_sign, schema.file.date_order) == (",", DateOrder.DAY_FIRST)
    assert (schema.column("born").min, schema.column("born").max) == ("1900-02-01", "2020-12-31")
    table["fields"] += [{"name": "seen", "type": "date"}, {**cost, "name": "price", "decimalChar": "."}]
    with pytest.raises(Mistake) as caught:
        from_frictionless(table, population="p", max_rows=1)
    assert str(caught.value).splitlines()[:2] == [
        "Field 'born' writes dates in another order than other fields.",
        "Field 'cost' writes numbers with another decimal sign than other fields.",
    ]


def test_buying_is_chosen_and_dropping_named():
    schema = from_frictionless(OPEN, population="p", max_rows=1, drop=("at", "day"), buy_missing=True)
    assert [c.buy for c in schema.columns] == [True, True, False, False]
    assert schema.column("age").provenance is Provenance.BOUGHT
    with pytest.raises(Mistake, match="no field 'att' to drop"):
        from_frictionless(OPEN, population="p", max_rows=1, drop=("att",))


@pytest.mark.parametrize(
    ("descriptor", "resource", "sentence"),
    [
        ({"resources": [{"name": "a"}, {"name": "b"}]}, None, r"several resources \(a, b\)"),
        ({"resources": [{"name": "a"}]}, "c", "no resource 'c'"),
        ({"fields": []}, None, "holds no list of 'fields'"),
        ({"schema": "elsewhere.json"}, None, "holds no list of 'fields'"),
    ],
)
def test_descriptors_without_a_table(descriptor, resource, sentence):
    with pytest.raises(Mistake, match=sentence):
        from_frictionless(descriptor, population="p", max_rows=1, resource=resource)


def test_out_and_in_again_keeps_kinds_and_domains():
    schema = from_frictionless(V1, population="p", max_rows=2)
    again = from_frictionless(json.loads(json.dumps(to_frictionless(schema))), population="p", max_rows=2)
    keep = [(c.name, c.kind, c.values, c.min, c.max, c.blank, c.title) for c in schema.modelled]
    assert [(c.name, c.kind, c.values, c.min, c.max, c.blank, c.title) for c in again.columns] == keep
    assert load_schema(dump_schema(schema)) == schema


def test_the_label_for_other_values_is_among_the_categories():
    schema = load_schema(
        {
            "name": "t",
            "population": "p",
            "unit": {"max_rows": 1},
            "columns": [
                {"name": "ward", "kind": "category", "values": [0, 1], "outside": "other"},
                {"name": "id", "kind": "drop"},
            ],
        }
    )
    (field,) = to_frictionless(schema, missing=("NA",))["fields"]
    assert field["type"] == "string" and field["categories"] == ["0", "1", "Other"]
    assert to_frictionless(schema, missing=("NA",))["missingValues"] == ["NA"]
