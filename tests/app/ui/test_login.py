"""Nobody gets in by default, each role sees what it is for, and an old identity is no identity."""

import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Project
from synth.app.ui import login
from synth.app.ui.login import Person, Role
from tests.app.opened import app as fresh

pytestmark = pytest.mark.usefixtures("project_home")

ROOT = Path(__file__).parents[3]
ROLES = {
    "steward": ["ann@example.org", "bea@example.org"],
    "approver": ["eve@example.org"],
    "viewer": ["ida@example.org"],
}
SECRETS: dict[str, Any] = {"auth": {"client_id": "x"}, "roles": ROLES}
STEWARD, VIEWER = Person(name="ann", roles=frozenset({Role.STEWARD})), frozenset({Role.VIEWER})


def identity(email: str, **claims: Any) -> dict[str, Any]:
    return {"is_logged_in": True, "email": email, "iat": time.time() - 60, **claims}


def owned(owner: str) -> Project:
    project = replace(declared.demo(), owner=owner)
    projects.save(project)
    return project


def app(user: dict[str, Any], project: Project | None = None) -> AppTest:
    test = fresh(project)
    test.secrets = dict(SECRETS)
    test.user = user
    test.run()
    return test


def test_without_a_login_there_is_one_steward_with_every_role() -> None:
    assert login.current() == Person()
    assert Person().owns(declared.demo())
    assert Person().roles == frozenset(Role)


def test_a_login_that_is_demanded_but_not_set_up_lets_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_LOGIN", "required")
    test = fresh().run()
    assert "not configured" in test.error[0].value
    assert not test.sidebar.get("page_link")


def test_a_stranger_sees_the_door_and_nothing_else() -> None:
    test = app({"is_logged_in": False}, owned("ann@example.org"))
    assert test.button(key="login")
    assert not test.sidebar.get("page_link")
    assert not any("harbour" in m.value.lower() for m in test.markdown)


def test_an_old_identity_is_no_identity() -> None:
    test = app(identity("ann@example.org", iat=time.time() - 11 * 3600))
    assert "has expired" in test.warning[0].value
    assert login.is_stale({}, {})
    assert not login.is_stale({"iat": 0}, {"hours": 2}, now=7000.0)
    assert login.is_stale({"iat": 0}, {"hours": 1}, now=7000.0)


def test_a_steward_finds_only_projects_of_their_own() -> None:
    mine, theirs = owned("ann@example.org"), owned("bea@example.org")
    test = app(identity("ann@example.org"))
    assert test.button(key=f"open-{mine.id}")
    with pytest.raises(KeyError):
        test.button(key=f"open-{theirs.id}")
    test = app(identity("ann@example.org"), theirs)
    assert "does not exist" in test.warning[0].value


def test_a_project_begun_after_a_login_belongs_to_who_began_it() -> None:
    test = app(identity("ann@example.org"))
    test.button(key="open-demo").click().run()
    assert projects.load("".join(test.query_params["p"])).owner == "ann@example.org"


def test_a_viewer_reads_public_pages_of_a_project_and_no_other() -> None:
    test = app(identity("ida@example.org"), owned("ann@example.org"))
    test.switch_page("pages/unit.py").run()
    assert any("cannot open this page" in m.value for m in test.markdown)
    assert not test.radio
    test.switch_page("pages/ledger.py").run()
    assert not any("not open" in m.value for m in test.markdown)


def test_who_only_looks_cannot_change() -> None:
    viewer = Person(name="ida", roles=VIEWER)
    project = replace(declared.demo(), owner="ann")
    assert viewer.may_see(project)
    assert not viewer.owns(project)
    assert not viewer.may_open("steward", project)
    assert viewer.may_open("results", project)
    assert not viewer.may_approve
    assert STEWARD.may_open("steward", project)
    assert not STEWARD.may_open("steward", replace(project, owner="bea"))


@pytest.mark.parametrize(
    ("claims", "roles", "found"),
    [
        ({"email": "a@b.c"}, {"steward": ["a@b.c"]}, {Role.STEWARD}),
        ({"email": "a@b.c", "email_verified": False}, {"steward": ["a@b.c"]}, set()),
        ({"email": "a@b.c", "groups": ["g1", "g2"]}, {"claim": "groups", "viewer": ["g2"]}, {Role.VIEWER}),
        ({"email": "a@b.c"}, {"claim": "groups", "steward": [""]}, set()),
        ({}, {"steward": [""]}, set()),
    ],
)
def test_roles_come_from_a_claim(claims: dict[str, Any], roles: dict[str, Any], found: set[Role]) -> None:
    assert login.person_of(claims, roles).roles == found


def test_the_example_of_the_secrets_file_means_what_the_table_of_roles_says() -> None:
    given = tomllib.loads((ROOT / ".streamlit" / "secrets.example.toml").read_text())
    assert login.is_required(given)
    claims = {"email": "eve@example.org"}
    assert login.person_of(claims, given["roles"]).roles == {Role.APPROVER}
    assert {role.value for role in Role} <= set(given["roles"])
