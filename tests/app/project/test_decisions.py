"""Whatever was chosen after a look at exact numbers is on record, and nothing else is."""

import json
import stat
from dataclasses import replace

import pytest

from synth.app.project import decisions
from synth.app.project import store as projects
from synth.app.project.decisions import DecisionKind
from synth.app.project.store import Budget, Origin, Project
from synth.core.errors import Mistake

pytestmark = pytest.mark.usefixtures("project_home")

LOOKED = "Looked at whether the file fits its schema."


def project() -> Project:
    columns = [{"name": "age", "kind": "integer", "min": 0, "max": 99}, {"name": "sex", "kind": "category"}]
    schema = {"name": "survey", "unit": {"max_rows": 2}, "columns": columns}
    rules = ("if age is 0 to 14 then sex is only x",)
    return Project(
        id=projects.fresh_id(), name="survey", origin=Origin.PATH, data="/t", schema=schema, rules=rules
    )


def older(entry: decisions.Decision) -> tuple[DecisionKind, str]:
    return entry.kind, entry.sentence


def with_max(project: Project, value: int) -> Project:
    columns = [{**project.schema["columns"][0], "max": value}, *project.schema["columns"][1:]]
    return replace(project, schema={**project.schema, "columns": columns})


def test_what_changed_between_the_look_and_the_start_is_named() -> None:
    before = project()
    decisions.record_look(before, LOOKED)
    after = replace(with_max(before, 120), budget=Budget(epsilon=2.0), rules=())
    decisions.record_start(after, "r1")
    look, choice = decisions.log(after)
    assert older(look) == (DecisionKind.LOOK, LOOKED)
    assert choice.kind is DecisionKind.CHOICE
    assert "the largest value of column age was changed from 99 to 120" in choice.sentence
    assert "epsilon was changed from 1 to 2" in choice.sentence
    assert "sex is only x' was removed" in choice.sentence
    assert "delta" not in choice.sentence


def test_a_word_of_the_budget_that_nobody_chose_is_no_change() -> None:
    before = project()
    decisions.record_look(before, LOOKED)
    opened = replace(before, budget=Budget(weights={"columns": "normal", "verdict": "high", "later": "off"}))
    assert decisions.changes_since(opened) == (
        "the weight of the accuracy check was changed from normal to high",
    )
    decisions.record_look(opened, LOOKED)
    assert not decisions.has_started(opened)
    decisions.record_start(opened, "r1")
    assert decisions.has_started(opened) and decisions.changes_since(before) == (
        "the weight of the accuracy check was changed from high to normal",
    )


def test_a_second_look_does_not_hide_what_was_changed_before_it() -> None:
    first = project()
    decisions.record_look(first, LOOKED)
    second = with_max(first, 120)
    decisions.record_look(second, LOOKED)
    decisions.record_start(second, "r1")
    assert "changed from 99 to 120" in decisions.log(second)[-1].sentence


def test_a_later_run_is_compared_with_the_run_before_it() -> None:
    first = project()
    decisions.record_look(first, LOOKED)
    decisions.record_start(first, "r1")
    assert "nothing changed" in decisions.log(first)[-1].sentence
    changed = replace(first, budget=Budget(epsilon=3.0))
    decisions.record_start(changed, "r2")
    decisions.record_start(changed, "r3")
    assert "epsilon was changed from 1 to 3" in decisions.log(first)[-2].sentence
    assert "nothing changed" in decisions.log(first)[-1].sentence


def test_the_steward_can_add_a_choice_but_not_an_empty_one() -> None:
    looked = project()
    decisions.record_choice(looked, " Left out  income,\nfor it looked odd. ")
    (entry,) = decisions.log(looked)
    assert entry.printed == f"{entry.at}: Left out income, for it looked odd."
    with pytest.raises(Mistake):
        decisions.record_choice(looked, "  ")


def test_the_log_is_the_owners_alone_and_a_damaged_one_is_not_skipped() -> None:
    looked = project()
    decisions.record_look(looked, LOOKED)
    path = looked.folder / "decisions.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text(path.read_text() + json.dumps({"kind": "look"}) + "\n")
    with pytest.raises(Mistake, match="decision log"):
        decisions.log(looked)


@pytest.mark.parametrize("data", ["/july", "/t"])
def test_views_of_an_earlier_table_are_printed_but_not_said_of_the_next_one(data: str) -> None:
    june = project()
    decisions.record_table(june, june, is_next=True)
    assert not decisions.printed(june), "nothing was viewed yet"
    decisions.record_look(june, LOOKED)
    july = replace(june, data=data, runs=("r1",))
    decisions.record_table(june, july, is_next=True)
    assert not decisions.looks(july) and decisions.has_looked(july)
    assert decisions.runs_of_earlier_tables(july) == 1
    changed = with_max(july, 120)
    decisions.record_start(changed, "r2")
    decisions.record_look(changed, LOOKED)
    assert decisions.looks(changed) == {LOOKED}
    day = decisions.log(july)[0].at
    assert decisions.printed(changed) == [
        f"{day}: {LOOKED}",
        f"{day}: {decisions.NEXT_TABLE}",
        (
            f"{day}: Run 2 (r2) was started after a private view of an earlier table, with these changes: "
            "the largest value of column age was changed from 99 to 120."
        ),
        f"{day}: {LOOKED}",
    ]


def test_views_of_a_file_count_again_once_it_is_chosen_again() -> None:
    one = project()
    other = replace(one, data="/other")
    decisions.record_table(replace(one, data=""), one, is_next=False)
    decisions.record_table(one, one, is_next=False)
    assert not decisions.log(one)
    decisions.record_look(one, LOOKED)
    decisions.record_table(one, other, is_next=False)
    assert not decisions.looks(other)
    decisions.record_look(other, "Saw it.", is_of_present=False)
    assert not decisions.looks(other) and len(decisions.all_looks(other)) == 2
    decisions.record_table(other, one, is_next=False)
    assert decisions.looks(one) == {LOOKED}


def test_a_domain_that_was_typed_from_a_document_is_said_to_be_so() -> None:
    before = project()
    decisions.record_look(before, LOOKED)
    (age, *others) = with_max(before, 120).schema["columns"]
    typed = {**age, "provenance": "public document"}
    after = replace(before, schema={**before.schema, "columns": [typed, *others]})
    assert decisions.changes_since(after) == (
        "the largest value of column age was changed from 99 to 120 (source: public document)",
        "the source of the domain of column age was set to public document",
    )
    assert not any("source" in phrase for phrase in decisions.changes_since(with_max(before, 120)) or ())
