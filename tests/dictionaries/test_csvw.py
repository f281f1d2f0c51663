import json

from synth.dictionaries import read_draft
from synth.dictionaries.drafts import Format, tables_in
from tests.dictionaries.test_excel import columns

CSVW = {
    "@context": "http://www.w3.org/ns/csvw",
    "tableSchema": {
        "columns": [
            {"name": "age", "titles": "Age", "required": True}
            | {"datatype": {"base": "integer", "minimum": "0", "maximum": 99}},
            {"titles": "ward", "datatype": {"base": "string", "format": "north|south"}},
            {"name": "pay", "datatype": "decimal"},
        ]
    },
}


def test_csv_on_the_web_is_told_from_other_json_and_read() -> None:
    draft = read_draft(json.dumps(CSVW).encode(), name="table-metadata.json")
    assert draft.format is Format.CSVW and tables_in(json.dumps(CSVW).encode(), name="t.json") == ()
    found = columns(draft)
    assert (found["age"]["min"], found["age"]["max"], found["age"]["blank"]) == (0, 99, False)
    assert found["ward"]["values"] == ["north", "south"]
    assert draft.notes == ("Column 'pay' lacks a smallest and a largest value.",)
