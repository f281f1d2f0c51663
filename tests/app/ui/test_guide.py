"""The guide is on by default; each person's choice is saved."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.ui import guide
from synth.app.ui.text import guide as text
from tests.app.opened import opened

pytestmark = pytest.mark.usefixtures("project_home")


def test_a_choice_is_kept_for_one_person_and_for_no_other(project_home: Path) -> None:
    assert guide.is_on("") and guide.is_on("ann@example.org")
    guide.keep("ann@example.org", on=False)
    assert not guide.is_on("ann@example.org")
    assert guide.is_on("") and guide.is_on("bob@example.org")
    guide.keep("ann@example.org", on=True)
    assert guide.is_on("ann@example.org")
    assert not any("ann" in path.name for path in (project_home / "home" / "people").iterdir())


def notes(test: AppTest) -> str:
    """The notes of the guide on a page; empty without them."""
    return "\n".join(m.value for m in test.markdown if m.value.startswith("- "))


def test_the_switch_hides_the_notes_on_every_page_and_for_good() -> None:
    project = declared.demo()
    projects.save(project)
    test = opened("schema", project)
    assert text.STEPS["schema"].todo[0] in notes(test)
    test.sidebar.toggle(key=guide.KEY).set_value(False).run()
    assert text.STEPS["schema"].todo[0] not in notes(test)
    again = opened("rules", project)
    assert text.STEPS["rules"].todo[0] not in notes(again)
    again.sidebar.toggle(key=guide.KEY).set_value(True).run()
    assert text.STEPS["rules"].todo[0] in notes(again)
