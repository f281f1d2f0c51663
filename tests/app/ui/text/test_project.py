"""Sentences of the project page that are put together."""

from __future__ import annotations

from dataclasses import replace

from synth.app.project import declared
from synth.app.project.removal import Remains
from synth.app.project.store import Limits
from synth.app.ui.text import project as text


def test_limits_are_said_only_where_there_are_any() -> None:
    assert text.limits(Limits()) == ""
    both = text.limits(Limits(release=1.5, lifetime=4.0))
    assert "epsilon 1.5 for one release and epsilon 4 over a lifetime" in both
    assert text.limits(Limits(approvers=2)) == "Two people must approve a release."


def test_a_finished_journey_has_no_next_step() -> None:
    assert text.standing(3, 3, "") == "3 of 3 steps to a release done"
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


def test_what_a_deletion_leaves_is_said_point_by_point() -> None:
    some = Remains(booked=2, share=0.25, unfinished=1, published=1, has_log=True, lifetime=4.0)
    ledger, ended, log, left, limit = text.stays(some)
    assert "2 of its runs stay" in ledger and "25 % of the lifetime limit" in ledger
    assert "measurements" in ledger and "not refunded" in ledger
    assert "no longer be resumed" in ended and "decision log stays" in log
    assert left.startswith("A release was published") and "epsilon 4" in limit
    several = replace(some, booked=1, share=None)
    assert "its run stays, with its cost and" in text.stays(several)[0]
