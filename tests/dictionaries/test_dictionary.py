"""Test dictionaries written by hand, and first schemas, which leave decisions open."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Kind, Provenance
from synth.dictionaries import load_schema, read_draft, starter, starter_notes
from synth.dictionaries.dictionary import draft_dictionary

SOUND = """name,Type,values,min,max,bins,blank,description
age,integer,,17,90,20,no,Age in years
region,string,North| South |East,,,,,
school,ordinal,low|high,,,,yes,"Last school, finished"
joined,date,,2011-01-01,2020-12-31,,,
pay,float,,0,1e5,,,
note,drop,,,,,,
"""


def read(text):
    return read_draft(text.encode(), name="people.csv").completed(population="p", max_rows=1)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_dictionary_becomes_a_schema(separator):
    text = SOUND if separator == "," else SOUND.replace("school, finished", "school").replace("Last", "Last")
    schema = read(text.replace('"', "").replace(",", separator) if separator != "," else text)
    assert schema.name == "people"
    assert [c.kind for c in schema.columns] == [
        Kind.INTEGER,
        Kind.CATEGORY,
        Kind.ORDERED,
        Kind.DATE,
        Kind.DECIMAL,
        Kind.DROP,
    ]
    assert schema.column("region").values == ("North", "South", "East")
    assert (schema.column("age").min, schema.column("age").max, schema.column("age").bins) == (17, 90, 20)
    assert schema.column("pay").max == 1e5
    assert not schema.column("age").blank and schema.column("school").blank
    assert {c.provenance for c in schema.columns} == {Provenance.PUBLIC_DOCUMENT}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,kind\n", "needs a line of headings and one line per column"),
        ("name,knd\na,drop\n", "unknown heading 'knd'; did you mean 'kind'?"),
        ("name,kind,kind\na,drop,drop\n", "the heading 'kind' twice"),
        ("name,kind\na,drop,x\n", "Line 2 of the dictionary has 3 cells but 2 headings"),
        (
            "name,kind,min,max\nage,integer,90,17\n",
            "Column 'age': the largest value must be above the smallest",
        ),
        (
            "name,kind,min,max\nage,integer,young,17\n",
            "the smallest value must be a number (you gave 'young')",
        ),
        ("name,kind,values\nr,category,a|b|a\n", "Column 'r': 'a' appears twice."),
        ("name,kind,values\nr,,a|b|a\n", "Column 'r': 'kind' is still to be filled in"),
        (
            "name,kind,values,blank\nr,category,a,perhaps\n",
            "'blank' must be true or false (you gave 'perhaps')",
        ),
    ],
)
def test_faults_are_named(text, sentence):
    with pytest.raises(Mistake) as caught:
        read(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("line", "decimals"),
    [("temp,decimal,34.0,42.0,,", 1), ("temp,decimal,34,42,0.25,", 2), ("temp,decimal,34.0,42.0,,3", 3)],
)
def test_decimals_are_those_that_are_told_or_written(line, decimals):
    document = draft_dictionary("name,kind,min,max,step,decimals\n" + line, name="t")
    assert document["columns"][0].get("decimals") == decimals


def test_a_bought_column_without_a_domain_is_still_to_be_bought():
    text = "name,kind,values,min,max,known from\njob,category,,,,Bought with budget\n"
    text += "town,category,a|b,,,estimated with budget\npay,integer,,,,estimated with budget\n"
    text += "note,drop,,,,estimated with budget\nward,category,,,,Bought\n"
    assert [column.buy for column in read(text).columns] == [True, False, True, False, True]


def test_a_skeleton_does_not_load_before_a_person_filled_it_in():
    skeleton = starter(
        [{"name": "age", "kind": None}, {"name": "sex", "kind": None}], name="t", population="p"
    )
    assert [c["name"] for c in skeleton["columns"]] == ["age", "sex"]
    notes = starter_notes(skeleton)
    with pytest.raises(Mistake) as caught:
        load_schema(skeleton)
    open_fields = str(caught.value).splitlines()
    assert len(open_fields) == 3 and set(open_fields) <= set(notes)
    skeleton["unit"]["max_rows"] = 1
    skeleton["columns"][0] |= {"kind": "integer", "min": 0, "max": 99}
    skeleton["columns"][1] |= {"kind": "category", "values": ["f", "m"]}
    assert len(load_schema(skeleton).columns) == 2
