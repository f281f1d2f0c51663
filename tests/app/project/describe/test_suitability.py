"""The right tool or not: every stop stops, every gap holds up, and the engine reads what was answered."""

from dataclasses import replace

import pytest

from synth.app.project import opening
from synth.app.project.describe import suitability
from synth.app.project.describe.suitability import UnitAnswers
from synth.app.project.store import Suitability
from synth.dictionaries import load_schema

pytestmark = pytest.mark.usefixtures("project_home")

GOOD = Suitability(people=True, records=True, harm="mild")
FULL = UnitAnswers(rows_about=3_000, suitability=GOOD, unit="patient", max_rows=1, population="clinic-2024")
COLUMN = {"name": "a", "kind": "category", "values": ["x"]}


@pytest.mark.parametrize(
    ("change", "code"),
    [({"records": False}, "aggregates"), ({"harm": "severe"}, "harm")],
)
def test_two_answers_stop_the_journey(change: dict[str, object], code: str) -> None:
    found = suitability.judge(replace(FULL, suitability=replace(GOOD, **change)))
    assert found.stops == (code,)
    assert not found.is_clear


@pytest.mark.parametrize(
    ("rows", "size", "stops", "notes", "missing"),
    [
        (99, "", ("tiny",), (), ()),
        (100, "", (), ("small",), ()),
        (1_000, "tens", (), (), ()),
        (None, "tens", ("tiny",), (), ()),
        (None, "hundreds", (), ("small",), ()),
        (None, "", (), (), ("size",)),
    ],
)
def test_the_number_of_rows_decides_and_an_earlier_answer_only_without_it(
    rows: int | None, size: str, stops: tuple[str, ...], notes: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    given = replace(FULL, rows_about=rows, suitability=replace(GOOD, size=size))
    found = suitability.judge(given)
    assert (found.stops, found.notes, found.missing) == (stops, notes, missing)


def test_the_engine_reads_what_was_answered_and_the_page_reads_it_back() -> None:
    answers = replace(FULL, max_rows=3, id_column="nr", rows_about=26_000, rows_public=26_000)
    project = suitability.written(opening.begin("t", rehearsal=False), answers)
    columns = [COLUMN, {"name": "nr", "kind": "drop"}]
    schema = load_schema(project.schema | {"columns": columns})
    assert (schema.population, schema.unit.name, schema.unit.max_rows) == ("clinic-2024", "patient", 3)
    assert schema.unit.id_column == "nr"
    assert schema.rows_public == 26_000
    assert project.budget.rows_about == 26_000
    assert UnitAnswers.of(project) == answers
