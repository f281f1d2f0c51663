"""The checks speak of fields; the page says what they mean, as long as both use the same words."""

from synth.app.project.describe.columns import problems_of
from synth.app.ui.text.schema.checks import WORDS
from synth.dictionaries import load_schema, warnings
from synth.dictionaries.drafts import read_draft

BASE = {"name": "t", "population": "p", "unit": {"max_rows": 1}}
ODD = {"name": "p", "kind": "integer", "min": 0, "max": 9, "bins": 0, "points": [12]}
READ = {"name": "d", "kind": "category", "values": ["x"], "provenance": "read from file"}
WIDE = {"name": "patient_id", "kind": "integer", "min": 0, "max": 9999}
COLUMNS = [
    [{"name": "a", "kind": "category"}, {"name": "b", "kind": "integer"}],
    [{"name": "c", "kind": None}],
    [READ],
    [{**ODD, "bins": None}],
    [ODD, {**ODD, "name": "q", "bins": None, "step": -1}],
]


def sentences(words: object = None) -> list[str]:
    given = {} if words is None else {"words": words}
    said = [
        sentence for columns in COLUMNS for sentence in problems_of({**BASE, "columns": columns}, **given)
    ]
    said += warnings(load_schema({**BASE, "columns": [WIDE]}), **given)
    said += read_draft(b"name,kind,known from\nage,category,hearsay\n", name="d.csv", **given).notes
    return said


def test_a_form_is_told_in_its_own_words() -> None:
    said = "\n".join(sentences(WORDS))
    for name in ("'bins'", "'step'", "'buy'", "'values'", "'min'", "'max'", "'points'", "'provenance'"):
        assert name not in said
    for name in ("'kind'", "'file_is_public'", " step"):
        assert name not in said
    assert "enter the number of bins in the grid to change this" in said
