"""Test the schema as JSON: valid documents, round trips, and one sentence for every fault."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.errors import Mistake
from synth.core.schema import (
    DECIMAL_SIGNS,
    THOUSANDS,
    Binning,
    Column,
    DateOrder,
    FileFormat,
    Kind,
    LineBreaks,
    Outside,
    Provenance,
    Schema,
    Unit,
)
from synth.dictionaries import dump_schema, load_schema
from synth.dictionaries.document import _json_schema

ROWS_PUBLIC = "false, or the number of rows as everybody may know it, such as 26000"
SMALLEST = """
{"name": "survey", "population": "survey-2024", "unit": {"max_rows": 1}, "rows_public": false,
 "columns": [
  {"name": "age",    "kind": "integer",  "min": 0, "max": 99, "bins": 25},
  {"name": "income", "kind": "decimal",  "min": 0, "max": 250000, "bins": 32},
  {"name": "joined", "kind": "date",     "min": "2011-01-01", "max": "2020-12-31"},
  {"name": "school", "kind": "ordered",  "values": ["none", "primary", "secondary", "tertiary"]},
  {"name": "status", "kind": "category", "values": ["single", "married"]},
  {"name": "ward",   "kind": "category", "values": [0, 1, 2]},
  {"name": "id",     "kind": "drop"}]}
"""


def document(**changes):
    return {**json.loads(SMALLEST), **changes}


def with_column(**column):
    return document(columns=[column])


def test_every_field_of_the_nouns_is_known_to_the_json_schema():
    properties = _json_schema()["properties"]
    for noun, known in (
        (Schema, properties),
        (Unit, properties["unit"]["properties"]),
        (FileFormat, properties["file"]["properties"]),
        (Column, properties["columns"]["items"]["properties"]),
    ):
        assert {f.name for f in fields(noun)} == set(known) - {"$schema"}


SIGNS = {"decimal_sign": ",", "thousands": ""}
text = st.text(min_size=1, max_size=8).filter(lambda t: t.strip() == t and t)


@st.composite
def columns(draw, name):
    kind = draw(st.sampled_from(list(Kind)))
    common = dict(
        name=name,
        kind=kind,
        merge_rare=draw(st.booleans()),
        blank=draw(st.booleans()),
        other_label=draw(st.sampled_from(["Other", "Elsewhere~"])),
        weight=draw(st.floats(0, 10)),
        provenance=draw(
            st.sampled_from([Provenance.STEWARD, Provenance.ESTIMATED, Provenance.PUBLIC_DOCUMENT])
        ),
        title=draw(text),
        description=draw(text),
    )
    if kind.has_values:
        pool = draw(st.sampled_from([["a b", "c,d", "é"], [0, 1, 2.5], [True, False], ["x"]]))
        outside = draw(st.sampled_from([None, Outside.MISSING, Outside.OTHER]))
        return Column(**common, values=tuple(pool), outside=outside)
    if kind is Kind.DROP:
        return Column(**common)
    low, high = {
        Kind.INTEGER: (draw(st.integers(-50, 0)), draw(st.integers(1, 5000))),
        Kind.DECIMAL: (draw(st.floats(-5, 0)), draw(st.floats(0.5, 1e6))),
        Kind.DATE: ("1999-12-31", "2020-02-29"),
    }[kind]
    cut = draw(st.sampled_from([{}, {"bins": 7}, {"step": 3.0}]))
    return Column(
        **common,
        min=low,
        max=high,
        **cut,
        **draw(st.sampled_from([{}, {"date_order": DateOrder.DAY_FIRST} if kind is Kind.DATE else SIGNS])),
        binning=draw(st.sampled_from(list(Binning))) if "step" not in cut else Binning.UNIFORM,
        outside=draw(st.sampled_from([None, Outside.MISSING, Outside.CLAMP])),
    )


@st.composite
def schemas(draw):
    names = draw(st.lists(text, min_size=1, max_size=4, unique=True))
    made = tuple(draw(columns(name)) for name in names)
    kept = Column(name="kept ~", kind=Kind.CATEGORY, values=("a",))
    return Schema(
        name=draw(text),
        population=draw(text),
        unit=Unit(
            max_rows=draw(st.integers(1, 9)),
            name=draw(text),
            id_column=draw(st.sampled_from([None, names[0]])),
        ),
        columns=(*made, kept),
        rows_public=draw(st.sampled_from([None, 1, 26_000])),
        file=FileFormat(
            header=draw(st.booleans()),
            delimiter=";",
            quote="",
            skip_lines=draw(st.integers(0, 3)),
            line_breaks=draw(st.sampled_from(LineBreaks)),
            decimal_sign=(sign := draw(st.sampled_from(DECIMAL_SIGNS))),
            thousands=draw(st.sampled_from([mark for mark in THOUSANDS if mark != sign])),
            date_order=draw(st.sampled_from(DateOrder)),
            two_digit_years=draw(st.integers(1, 9900)),
            missing=("-",),
        ),
        file_is_public=draw(st.booleans()),
        title=draw(text),
        description=draw(text),
    )


@settings(max_examples=150, deadline=None)
@given(schemas())
def test_round_trip_is_exact_through_real_json(schema):
    dumped = dump_schema(schema)
    again = load_schema(json.loads(json.dumps(dumped)))
    assert again == schema
    assert [type(v) for c in again.columns for v in c.values] == [
        type(v) for c in schema.columns for v in c.values
    ]
    assert dump_schema(again) == dumped


def test_a_dump_always_states_what_the_guarantee_rests_on():
    dumped = dump_schema(load_schema(document()))
    assert dumped["rows_public"] is False
    assert dump_schema(load_schema({**document(), "rows_public": 26000.0}))["rows_public"] == 26000
    assert all(c["provenance"] == "not stated" for c in dumped["columns"])
    assert dumped["unit"] == {"max_rows": 1}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"unit": {}},
            "The schema's unit: the field 'max_rows' is missing; it must be a whole number of at least 1.",
        ),
        (
            {"unit": {"max_rows": None}},
            (
                "The schema's unit: 'max_rows' is still to be filled in; it must be a whole number of at "
                "least 1."
            ),
        ),
        (
            {"unit": {"max_rows": 0}},
            "The schema's unit: 'max_rows' must be a whole number of at least 1 (you gave 0).",
        ),
        (
            {"unit": {"max_rows": 1, "id": "x"}},
            "The schema's unit: the field 'id' is unknown; did you mean 'id_column'?",
        ),
        (
            {"rows_publik": True},
            "The schema: the field 'rows_publik' is unknown; did you mean 'rows_public'?",
        ),
        *(
            ({"rows_public": given}, f"The schema: 'rows_public' must be {ROWS_PUBLIC} (you gave {stated}).")
            for given, stated in [(True, "true"), ("no", "'no'"), (0, "0"), (2.5, "2.5")]
        ),
        (
            {"file": {"decimal_sign": ";"}},
            "The schema's file: 'decimal_sign' must be a point or a comma (you gave ';').",
        ),
        (
            {"file": {"delimiter": "||"}},
            "The schema's file: 'delimiter' must be one character (you gave '||').",
        ),
        (
            {"file": {"missing": ["", 7]}},
            "The schema's file: entry 2 of 'missing' must be a text (you gave 7).",
        ),
        ({"columns": []}, "The schema: 'columns' must be a list of at least one column (you gave [])."),
        ({"name": ""}, "The schema: 'name' must be a text of at least one character (you gave '')."),
    ],
)
def test_faults_of_the_table_are_named(changes, sentence):
    with pytest.raises(Mistake) as caught:
        load_schema(document(**changes))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "is not JSON: line 1, column 2."),
        (b"[]", "must contain one JSON object."),
        (b"\xff\xfe", "is not UTF-8 text; save it as UTF-8."),
        (b'{"name": "a", "name": "b"}', "contains the field 'name' twice."),
    ],
)
def test_a_file_that_is_not_a_schema(tmp_path, content, sentence):
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(Mistake) as caught:
        load_schema(path)
    assert str(caught.value) == f"The schema file '{path}' {sentence}"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(Mistake, match="cannot be opened; check the path"):
        load_schema(tmp_path / "none.json")


def test_numbers_json_should_not_have_are_refused():
    broken = json.loads('{"name": "x", "kind": "decimal", "min": NaN, "max": 3}')
    with pytest.raises(Mistake, match=r"Column 'x': the smallest value must be a number \(you gave nan\)"):
        load_schema(with_column(**broken))
