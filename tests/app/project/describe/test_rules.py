"""Rules one by one and together: counted without data, and a bad one hides no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from synth.app.project.declared import DEMO, demo
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
    assert picture.counts() == {"impossible": 2, "partly": 0, "possible": 6}


def test_a_rule_that_cannot_be_read_is_told_and_hides_no_other() -> None:
    bad, good = rules.views(SCHEMA, ["if agge is 3 then job is only a", CHILD])
    assert "agge" in bad.mistake and not bad.effects
    assert good.effects and not good.mistake
    (odd,) = rules.views(SCHEMA, [{"allowed": {"columns": ["nobody"], "rows": [["x"]]}}])
    assert odd.mistake and odd.sentence


def test_two_dates_of_one_bin_are_partly_impossible_and_blocks_drawn_as_one_are_counted() -> None:
    """Both once read as if they were not so: the diagonal as possible, and 13 lines of 14."""
    whole = {"name": "t", "population": "p", "unit": {"max_rows": 1}}
    span = {"kind": "date", "min": "2021-01-01", "max": "2021-12-31", "bins": 4, "blank": False}
    later = {**span, "max": "2023-12-31", "bins": 12}
    dates = load_schema({**whole, "columns": [{"name": "came", **span}, {"name": "left", **later}]})
    (found,) = rules.views(dates, ["left is at least came"])
    (picture,) = found.pictures
    assert [picture.removed[i][i] for i in range(4)] == [0.5] * 4
    for y, row in enumerate(picture.removed):
        assert row == tuple(1 if y > x else 0.5 if y == x else 0 for x in range(5))
    assert picture.labels_across[-1].endswith("to 2023-12-31")
    assert (picture.blocks, picture.cells) == (20, 48) == (20, found.effects[0].cells)
    single = {**span, "max": "2021-01-04"}
    days = load_schema({**whole, "columns": [{"name": "came", **single}, {"name": "left", **single}]})
    ((picture,),) = (view.pictures for view in rules.views(days, ["left is at least came"]))
    assert picture.counts()["partly"] == 0 and picture.blocks == picture.cells


@pytest.mark.parametrize("count", [3, 24, 25, 300])
def test_a_picture_stays_small_and_keeps_blank_apart(count: int) -> None:
    values = [f"v{i}" for i in range(count)]
    columns = [{"name": "a", "kind": "category", "values": values}, COLUMNS[2]]
    schema = load_schema({**DOCUMENT, "columns": columns})
    pairs = [[v, "f" if i % 2 else "m"] for i, v in enumerate(values)]
    (found,) = rules.views(schema, [{"allowed": {"columns": ["a", "sex"], "rows": pairs}}])
    (picture,) = found.pictures
    assert len(picture.labels_down) <= rules.MOST_BLOCKS
    assert picture.labels_down[-1] == "(blank)" and set(picture.removed[-1]) == {0}
    shares = [part for row in picture.removed[:-1] for part in row]
    assert 0.3 < sum(shares) / len(shares) < 0.7


def test_a_contradiction_is_told_with_both_rules() -> None:
    stated = ["if job is a then age is 0 to 9", "if job is a then age is 50 to 60"]
    found = rules.together(SCHEMA, stated, capacity=ROOM)
    assert all("job is a" in part for part in found.mistake.split(" and 'if ")[:2])
    assert found.cells == 0


def test_rules_are_added_once_and_only_if_they_can_hold() -> None:
    one = rules.with_entries(project(), SCHEMA, (rules.stated(CHILD, "  by \n law "),))
    assert one.rules == ({"sentence": CHILD, "because": "by law"},)
    with pytest.raises(Mistake, match="exists already"):
        rules.with_entries(one, SCHEMA, ("if age is 0 to 14 then job is none",))
    with pytest.raises(Mistake, match="contradict"):
        rules.with_entries(one, SCHEMA, ("if job is none then age is 50 to 60", "if age is 0 then job is a"))
    with pytest.raises(Mistake, match="agge"):
        rules.with_entries(one, SCHEMA, ("if agge is 0 then job is a",))


def test_allowed_pairs_come_from_a_csv_with_their_reason() -> None:
    raw = b"job,sex\nnone,f\nnone,m\na,f\nb,m\n"
    (entry,) = rules.imported(raw, name="pairs.csv", schema=SCHEMA, because="code list 7")
    assert entry["because"] == "code list 7"  # type: ignore[index]
    (found,) = rules.views(SCHEMA, [entry])
    assert found.effects[0].removed == 2
    with pytest.raises(Mistake, match="'jb'"):
        rules.imported(b"jb,sex\nnone,f\n", name="pairs.csv", schema=SCHEMA, because="")
    with pytest.raises(Mistake, match="is not JSON"):
        rules.imported(b"{", name="rules.json", schema=SCHEMA, because="")


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
    shares = (AGED, "the share of records where sex is f should be hidden as 40 %", "nonsense")
    (first, second, bad) = rules.views(SCHEMA, shares)
    assert first.share is not None and first.share.wanted is None and first.effects == ()
    assert second.share is not None and second.share.hides and bad.mistake
    assert rules.bought_shares(SCHEMA, shares) == 1
    assert rules.together(SCHEMA, shares[:2], capacity=ROOM) == rules.RulesTogether()


def test_rules_are_tried_on_the_invented_town_and_by_hand() -> None:
    town = demo()
    frame = pd.read_csv(DEMO / "harbour.csv", na_values=["not recorded"])
    entry = "if age is below 45 then marital is not divorced"
    by_hand = int(((frame["age"] < 45) & (frame["marital"] == "divorced")).sum())
    assert by_hand
    found = rules.tried(town, [entry, *town.rules])
    assert found.rows == len(frame) and found.forbidden[0] == by_hand
    assert set(found.forbidden[1:]) == {0}, "the town keeps its own rules"


@pytest.mark.parametrize(
    ("origin", "data", "rehearsal", "public", "can"),
    [
        (Origin.DEMO, str(DEMO / "harbour.csv"), False, False, True),
        (Origin.DEMO, "/srv/people.csv", False, False, False),
        (Origin.UPLOAD, "/srv/people.csv", False, False, False),
        (Origin.UPLOAD, "/srv/people.csv", False, True, False),
        (Origin.UPLOAD, "/srv/people.csv", True, False, False),
        (Origin.UPLOAD, "/srv/people.csv", True, True, True),
        (Origin.PENDING, "", True, True, False),
        (Origin.PATH, str(DEMO / "harbour.csv"), False, False, False),
    ],
)
def test_no_rule_is_tried_on_a_private_table(
    origin: Origin, data: str, rehearsal: bool, public: bool, can: bool
) -> None:
    schema = {**DOCUMENT, "file_is_public": public}
    one = replace(project(CHILD), origin=origin, data=data, rehearsal=rehearsal, schema=schema)
    assert (rules.invented_rows(one) is not None) == can
    if not can:
        with pytest.raises(Mistake, match="public or invented tables"):
            rules.tried(one, one.rules)
