"""A project travels as one file: what is in it, what is not, and what is refused when it comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from synth.app.project import decisions, declared, opening, portable
from synth.app.project import store as projects
from synth.app.project.store import Limits, Method, Project
from synth.core.errors import Mistake
from synth.release.documents.statement import Imprint

pytestmark = pytest.mark.usefixtures("project_home")

CANARY = "zanzibar"
"""Stands in every field that must not travel, and in none that does."""


@pytest.fixture
def full() -> Project:
    """A project that has something in every field."""
    project = replace(
        declared.demo(),
        name="Commuters",
        purpose="teaching",
        data=f"/{CANARY}/people.csv",
        called=f"{CANARY}.csv",
        owner=f"{CANARY}@example.org",
        header=(CANARY,),
        runs=(f"{CANARY}-run",),
        reasons={CANARY: CANARY},
        imprint=Imprint(contact=CANARY, approvers=(CANARY,)),
        limits=Limits(release=2.0, lifetime=8.0, approvers=2),
        method=Method(name="mwem", options={"rounds": 7}, extras=("mixture",)),
    )
    budget = replace(project.budget, epsilon=0.5, rows_about=3000, weights={"later": "high"}, reason=CANARY)
    budget = replace(budget, means=("income ~ age",))
    project = replace(project, budget=budget, schema={**project.schema, "file_is_public": True})
    projects.save(project)
    (project.folder / "private.csv").write_text(CANARY)
    return project


def changed(raw: bytes, *, drop: str = "", **fields: Any) -> bytes:
    document = {**json.loads(raw), **fields}
    document.pop(drop, None)
    return json.dumps(document).encode()


def test_what_was_declared_and_chosen_comes_back_and_nothing_else(full: Project) -> None:
    raw = portable.exported(full)
    assert CANARY not in raw.decode() and full.id not in raw.decode()
    back = portable.take_in(portable.read(raw), public=False, owner="b@example.org")
    for name in ("name", "purpose", "rehearsal", "rules", "limits", "method"):
        assert getattr(back, name) == getattr(full, name)
    assert back.budget == replace(full.budget, reason="")
    assert back.schema == {k: v for k, v in full.schema.items() if k != "file_is_public"}
    fresh = Project(id=back.id, name=back.name, origin=projects.Origin.PENDING, data="", schema={})
    kept = {"name", "purpose", "rehearsal", "rules", "limits", "method", "budget", "schema", "owner"}
    before, after = projects.document_of(fresh), projects.document_of(back)
    assert {name for name in after if after[name] != before[name]} <= kept
    assert back.id != full.id and projects.load(back.id) == back
    assert set(json.loads(raw)) == {"format", *portable._KEPT, "decisions"}


def test_a_look_at_exact_numbers_is_not_forgotten_on_the_way(full: Project) -> None:
    decisions.record_look(full, "Saw the exact comparison of Run 1 with the private table (steward view).")
    back = portable.take_in(portable.read(portable.exported(full)), public=False)
    (line,) = decisions.log(back)
    assert line.sentence.startswith("In the project from which this one was copied")
    assert line.sentence.endswith(decisions.log(full)[0].printed)
    assert not decisions.has_looked(back)


def test_a_rehearsal_is_taken_in_with_a_word_given_only() -> None:
    rehearsal = opening.begin("t", public=True)
    projects.save(rehearsal)
    found = portable.read(portable.exported(rehearsal))
    with pytest.raises(Mistake, match="public or invented"):
        portable.take_in(found, public=False)
    assert portable.take_in(found, public=True).schema["file_is_public"] is True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "marginalia-project/9"}, "format"),
        ({"drop": "rules"}, "'rules'"),
        ({"runs": ["a"]}, "'runs'"),
        ({"name": 7}, "name is 7"),
        ({"name": " "}, "name first"),
        ({"rehearsal": 1}, "rehearsal is 1"),
        ({"schema": {"columns": {}}}, "columns"),
        ({"schema": {"columns": [{"kind": "integer"}]}}, "columns"),
        ({"schema": {"columns": [{"name": "a", "kind": "sausage"}]}}, "sausage"),
        ({"rules": [5]}, "rule"),
        ({"budget": {"epsilon": "much"}}, "budget epsilon"),
        ({"budget": {"epsilon": -1}}, "budget epsilon is -1"),
        ({"budget": {"epsilon": True}}, "budget epsilon"),
        ({"budget": {"rows_about": 2.5}}, "budget rows_about"),
        ({"budget": {"weights": {"later": "lots"}}}, "lots"),
        ({"budget": {"spent": 1}}, "spent"),
        ({"limits": {"release": 5.0, "lifetime": 2.0}}, "exceeds"),
        ({"method": {"name": "magic"}}, "magic"),
        ({"method": {"options": {"no_such": 1}}}, "no_such"),
        ({"method": {"extras": ["magic"]}}, "magic"),
        ({"decisions": "none"}, "decisions"),
    ],
)
def test_another_kind_of_file_is_refused(full: Project, change: dict[str, Any], said: str) -> None:
    with pytest.raises(Mistake, match=said):
        portable.read(changed(portable.exported(full), **change))
