"""A project begins with a name, a rehearsal with a word given, and a list shows one owner's projects only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.project import declared, opening
from synth.app.project import store as projects
from synth.app.project.opening import Beginning
from synth.app.project.store import Limits
from synth.core.errors import Mistake

pytestmark = pytest.mark.usefixtures("project_home")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Beginning(name="  ", public=True), "name"),
        (Beginning(name="x" * 81, public=True), "81"),
        (Beginning(name="t"), "public or invented"),
        (Beginning(name="t", rehearsal=False, limits=Limits(release=5.0, lifetime=2.0)), "(5)"),
        (Beginning(name="t", rehearsal=False, limits=Limits(release=-3.0)), "one release is -3. It must"),
        (Beginning(name="t", rehearsal=False, limits=Limits(lifetime=0.0)), "together is 0."),
        (Beginning(name="t", rehearsal=False, limits=Limits(lifetime=101.0)), "at most 100"),
    ],
)
def test_what_is_missing_is_named(given: Beginning, said: str) -> None:
    with pytest.raises(Mistake, match=said.replace("(", r"\(").replace(")", r"\)")):
        opening.begin(given)


def test_a_list_holds_one_owners_readable_projects_latest_first(project_home: Path) -> None:
    mine = opening.begin(Beginning(name="mine", public=True), owner="a@example.org")
    theirs = opening.begin(Beginning(name="theirs", public=True), owner="b@example.org")
    demo = replace(declared.demo(), owner="a@example.org")
    for project in (mine, theirs, demo):
        projects.save(project)
    broken = project_home / "home" / "projects" / ("B" * 16)
    broken.mkdir()
    (broken / "project.json").write_text("{")
    found = opening.listing(owner="a@example.org")
    assert [entry.project.name for entry in found] == ["Harbour household survey", "mine"]
    assert found[0].done > found[1].done
    assert opening.listing() == ()
