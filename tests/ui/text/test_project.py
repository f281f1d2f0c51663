"""Sentences of the project page that are put together."""

from __future__ import annotations

from synth.project import declared
from synth.project.store import Limits
from synth.ui.text import project as text


def test_limits_are_said_only_where_there_are_any() -> None:
    assert text.limits(Limits()) == ""
    both = text.limits(Limits(release=1.5, lifetime=4.0))
    assert "epsilon 1.5 for one release and epsilon 4 over a lifetime" in both
    assert text.limits(Limits(approvers=2)) == "Two people must approve a release."


def test_a_finished_journey_has_no_next_step() -> None:
    assert text.standing(3, 3, "") == "3 of the 3 steps to a release done"
    assert text.standing(2, 3, "Run").endswith("next is Run")


def test_a_step_tells_what_was_decided_there_and_nothing_before() -> None:
    project = declared.demo()
    schema = declared.read(project).schema
    assert "harbour" in text.decided("unit", project, schema)
    assert text.decided("schema", project, schema).startswith("11 columns")
    assert text.decided("rules", project, schema) == "6 rules"
    assert "epsilon 1" in text.decided("budget", project, schema)
    assert text.decided("run", project, schema) == ""
    assert text.decided("schema", project, None) == ""
