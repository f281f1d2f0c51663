from __future__ import annotations

from synth.app.project.describe.sources import Loaded
from synth.app.ui.text.schema import ways as text
from synth.dictionaries import Format


def loaded(form: Format, *, claimed: int | None = None) -> tuple[str, ...]:
    came = Loaded(format=form, columns=2, notes=("One lacks a list.",), rows_claimed=claimed)
    return text.loaded(came, {"name": "client", "max_rows": 1})


def test_what_came_of_a_dictionary_is_told_with_what_it_lacks_and_what_stays() -> None:
    assert loaded(Format.CSV) == ("CSV dictionary, 2 columns.", "One lacks a list\\.")
    assert "at most 3 rows per client; your 1 applies" in loaded(Format.OWN, claimed=3)[-1]


def test_labels_that_a_program_may_have_made_come_with_a_word_of_caution() -> None:
    cautious = {form for form in Format if "only if it was written without" in loaded(form)[-1]}
    assert cautious == {Format.SDV, Format.STATISTICS, Format.DDI}


def test_of_lines_that_are_taken_it_is_said_whether_a_list_or_a_range_is_bought() -> None:
    columns = [
        {"name": "fee*", "kind": "category", "buy": True},
        {"name": "age", "kind": "integer", "buy": True},
        {"name": "old", "kind": "category", "buy": True},
        {"name": "sex", "kind": "category", "values": ["f", "m"]},
        {"name": "id", "kind": None},
    ]
    taken, lists, ranges = text.pasted({"columns": columns}, ["fee*", "age", "sex", "id"])
    assert taken.startswith("4 columns taken")
    assert lists.startswith("For these, the **value list** is estimated: fee\\*. For numbers")
    assert "`whole numbers bought`" in lists
    assert ranges == "For these, the **ends of the range** are estimated: age."
    assert len(text.pasted({"columns": columns}, ["sex", "id"])) == 1
