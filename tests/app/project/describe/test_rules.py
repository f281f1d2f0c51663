"""Rules one by one and together: counted without data, and a bad one hides no other."""

from dataclasses import replace
from typing import Any

import pytest

from synth.app.project.describe import rules
from synth.app.project.store import Budget, Origin, Project, fresh_id
from synth.core.errors import Mistake
from synth.dictionaries import load_schema

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "blank": False},
    {"name": "job", "kind": "category", "values": ["none", "a", "b"]},
    {"name": "sex", "kind": "category", "values": ["f", "m"], "blank": False},
    {"name": "zip", "kind": "category", "buy": True},
]
DOCUMENT = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS}
SCHEMA = load_schema(DOCUMENT)
CHILD = "if age is 0 to 14 then job is only none"
ROOM = 10**7


def project(*rules: Any) -> Project:
    return Project(id=fresh_id(), name="t", origin=Origin.PATH, data="", schema=DOCUMENT, rules=rules)


def test_a_rule_is_counted_and_drawn() -> None:
    (found,) = rules.views(SCHEMA, [{"sentence": CHILD, "because": "the law"}])
    (effect,) = found.effects
    assert (found.because, effect.clique, effect.removed, effect.cells) == ("the law", ("age", "job"), 4, 44)
    (picture,) = found.pictures
    assert (picture.down, picture.across) == ("age", "job")
    assert picture.labels_across == ("none", "a", "b", "(blank)")
    assert picture.labels_down == ("0 to 14", "15 to 99")
    assert picture.removed == ((0, 1, 1, 0), (0, 0, 0, 0))


def test_rules_are_added_once_and_only_if_they_can_hold() -> None:
    one = rules.with_entries(project(), SCHEMA, (rules.stated(CHILD, "  by \n law "),))
    assert one.rules == ({"sentence": CHILD, "because": "by law"},)
    with pytest.raises(Mistake, match="already exists"):
        rules.with_entries(one, SCHEMA, ("if age is 0 to 14 then job is none",))
    with pytest.raises(Mistake, match="contradict"):
        rules.with_entries(one, SCHEMA, ("age is 50 to 60", "age is 0"))
    with pytest.raises(Mistake, match="agge"):
        rules.with_entries(one, SCHEMA, ("if agge is 0 then job is a",))


def test_a_new_name_goes_into_the_rules_and_into_what_matters() -> None:
    budget = Budget(importance={"age": "max", "sex": "low"})
    start = replace(project(CHILD, "if agge is 0 then job is a"), budget=budget)
    start = replace(
        start, schema={**start.schema, "columns": [*start.schema["columns"], {"name": "new", "kind": None}]}
    )
    found = rules.renamed(start, {"age": "years", "new": "newer"})
    assert found.rules == (CHILD.replace("age", "years"), "if agge is 0 then job is a")
    assert found.budget.importance == {"years": "max", "sex": "low"}


AGED = "the share of records where age is at least 65 should be as in the table"


def test_a_share_is_seen_as_one_and_counted_as_bought() -> None:
    shares = (AGED, "the share of records where sex is f should be hidden as 40%", "nonsense")
    (first, second, bad) = rules.views(SCHEMA, shares)
    assert first.share is not None and first.share.wanted is None and first.effects == ()
    assert second.share is not None and second.share.hides and bad.mistake
    assert rules.measured_shares(SCHEMA, shares) == 1
    assert rules.together(SCHEMA, shares[:2], capacity=ROOM) == rules.RulesTogether()
