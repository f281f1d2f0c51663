"""Test any dictionary: its format is recognised, its valid parts are kept, and it never causes a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.errors import Mistake
from synth.dictionaries import Format, read_draft, tables_in
from synth.dictionaries.document import shape_problems

AGE = {"name": "age", "kind": "integer", "min": 0, "max": 9}
OWN = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": [AGE]}


def read(document, name="d.json", **more):
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read_draft(raw, name=name, **more)


@pytest.mark.parametrize(
    ("document", "form"),
    [
        (OWN, Format.OWN),
        ({"columns": {"a": {"sdtype": "boolean"}}}, Format.SDV),
        ({"tables": {"x": {"columns": {"a": {"sdtype": "boolean"}}}}}, Format.SDV),
        ({"fields": [{"name": "a", "type": "boolean"}]}, Format.FRICTIONLESS),
        ({"resources": [{"name": "x", "schema": {"fields": [{"name": "a"}]}}]}, Format.FRICTIONLESS),
        (b"\xef\xbb\xbfname,kind,min,max\na,integer,0,9\n", Format.CSV),
    ],
)
def test_the_format_is_found_from_the_content(document, form):
    draft = read(document, name="whatever.txt")
    assert draft.format is form
    assert draft.document["columns"][0]["name"] in ("a", "age")


def test_a_skeleton_comes_back_as_a_draft_with_the_same_open_ends():
    skeleton = {**OWN, "unit": {"max_rows": None}, "columns": [{"name": "a", "kind": None}, {"name": "b"}]}
    draft = read(skeleton)
    assert draft.notes == ()
    assert [c["kind"] for c in draft.document["columns"]] == [None, None]
    assert len(shape_problems(draft.document)) == 3


def test_what_has_the_wrong_shape_is_taken_out_and_told():
    odd = {
        **OWN,
        "colour": "red",
        "file": {"delimiter": ";;", "header": True},
        "columns": [
            {"name": "a", "kind": "categry", "values": ["x", {"y": 1}], "valuess": []},
            {"name": "b", "kind": "integer", "min": 0, "max": 9, "bins": "ten"},
            "c",
            {"kind": "drop"},
        ],
    }
    draft = read(odd)
    assert draft.document["file"] == {"header": True}
    left = [{"name": "a", "kind": None}, {"name": "b", "kind": "integer", "min": 0, "max": 9}]
    assert draft.document["columns"] == left
    stated = " ".join(draft.notes)
    for word in ("'colour'", "'delimiter'", "'categry'", "'valuess'", "'ten'"):
        assert word in stated
    assert all(note.endswith("The given value is not used.") for note in draft.notes)
    assert all("still to be filled in" in s or "'kind'" in s for s in shape_problems(draft.document))


def test_cells_of_a_csv_that_make_no_sense_are_told_too():
    draft = read(b"name,kind,bins,blank\na,integer,many,perhaps\n", name="d.csv")
    assert draft.document["columns"] == [{"name": "a", "kind": "integer", "provenance": "public document"}]
    assert len(draft.notes) == 2


def test_frictionless_without_domains_is_a_draft_and_not_a_mistake():
    draft = read({"fields": [{"name": "a", "type": "integer"}, {"name": "b", "type": "datetime"}]})
    assert [c["kind"] for c in draft.document["columns"]] == ["integer", None]
    assert len(draft.notes) == 2


def test_several_tables_are_listed_and_one_is_picked():
    tables = {"a": {"columns": {"x": {"sdtype": "boolean"}}}, "b": {"columns": {"y": {"sdtype": "boolean"}}}}
    raw = json.dumps({"tables": tables}).encode()
    assert tables_in(raw, name="m.json") == ("a", "b")
    with pytest.raises(Mistake, match="several"):
        read(raw)
    assert [c["name"] for c in read(raw, table="b").document["columns"]] == ["y"]
    assert tables_in(b"name,kind\na,drop\n", name="d.csv") == ()
    package = {"resources": [{"name": "r", "schema": {"fields": [{"name": "z"}]}}, {"name": "s"}]}
    assert tables_in(json.dumps(package).encode(), name="p.json") == ("r", "s")
    assert read(package, table="r").document["name"] == "r"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\xff\xfe{", "not UTF-8"),
        (b"{", "line 1"),
        (b"[1, 2]", "one JSON object"),
        (b"{}", "not a known data dictionary"),
        (b'{"columns": []}', "names no column"),
        (b"", "line of headings"),
        (b"a,b\n1,2\n", "an unknown heading 'a'"),
        (b'{"fields": [{"name": "a", "constraints": 3}]}', "is not a valid"),
        (b'{"columns": {"a": {"sdtype": "boolean"}}, "primary_key": 4}', "is not a valid"),
    ],
)
def test_what_is_no_dictionary_is_told_in_a_sentence(raw, said):
    with pytest.raises(Mistake, match=said):
        read(raw)


FIELDS = st.sampled_from(["name", "kind", "values", "min", "type", "sdtype", "constraints", "order", "a"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["columns", "fields", "resources", "tables"]), JSON, JSON)
def test_any_json_gives_a_draft_or_a_mistake(field, content, unit):
    raw = json.dumps({field: content, "unit": unit}).encode()
    try:
        draft = read_draft(raw, name="d.json")
    except Mistake:
        return
    assert all(isinstance(c["name"], str) and "kind" in c for c in draft.document["columns"])
    for sentence in shape_problems(draft.document):
        assert "missing" in sentence or "still to be filled in" in sentence or "max_rows" in sentence


def test_the_spec_of_a_release_is_a_dictionary_too():
    spec = {"format": "marginalia-spec/1", "schema": OWN, "rules": ["age is not blank"], "epsilon": 1.0}
    draft = read(spec, name="spec.json")
    assert draft.format is Format.SPEC and draft.document["columns"] == read(OWN).document["columns"]
    assert "rules page" in draft.notes[0]
    assert read({**spec, "rules": []}).notes == ()
    assert tables_in(json.dumps(spec).encode(), name="spec.json") == ()
