"""The release page: what is typed is kept, what is open is said, what comes late waits for the next one."""

from dataclasses import replace

import pytest

from synth.app.jobs import runner
from synth.app.project.results import publication
from synth.app.project.store import Limits
from synth.app.ui import login
from synth.app.ui.login import Person, Role
from synth.release.documents.statement import Imprint
from tests.app.ui.conftest import Draw, Twice

WORDS = Imprint(
    purpose="Teaching.", licence="CC0 1.0 (public domain)", contact="x@y.z", approvers=("A. Steward",)
)


def page() -> None:
    import runpy
    from pathlib import Path

    from synth.app.ui import guards

    with guards.neutral():
        runpy.run_path(str(Path(guards.__file__).parents[3] / "pages" / "release.py"))


def test_whoever_has_read_one_report_is_asked_again_about_another(twice: Twice, draw: Draw) -> None:
    app = draw(page, replace(twice(), imprint=WORDS))
    app.checkbox(key="agreed").check().run()
    assert not app.button(key="publish").disabled
    other = next(o for o in app.selectbox(key="publish-run").options if o.startswith("Run 1"))
    app.selectbox(key="publish-run").select(other).run()
    assert app.button(key="publish").disabled and not app.checkbox(key="agreed").value


def test_two_approvals_where_the_organisation_asks_for_them(twice: Twice, draw: Draw) -> None:
    two = replace(twice(), imprint=WORDS, limits=Limits(approvers=2))
    app = draw(page, two)
    assert app.text_input(key="approver-two").label.endswith("Second approval")
    app.checkbox(key="agreed").check().run()
    assert app.button(key="publish").disabled
    app.text_input(key="approver-two").set_value("a. steward").run()
    assert "same name" in app.warning[0].value and app.button(key="publish").disabled
    app.text_input(key="approver-two").set_value("B. Officer").run()
    assert not app.button(key="publish").disabled


def test_the_report_is_shown_in_a_frame_that_can_reach_nothing(twice: Twice, draw: Draw) -> None:
    app = draw(page, replace(twice(), imprint=WORDS))
    assert not app.get("iframe")
    app.toggle(key="preview").set_value(True).run()
    (frame,) = app.get("iframe")
    assert frame.proto.src.startswith("data:text/html;charset=utf-8;base64,")
    assert not frame.proto.srcdoc


def test_with_a_login_an_approver_only_agrees(
    twice: Twice, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned = replace(twice(), imprint=replace(WORDS, approvers=()), owner="steward@example.org")
    officer = Person(name="officer@example.org", roles=frozenset({Role.APPROVER}))
    monkeypatch.setattr(login, "current", lambda: officer)
    app = draw(page, owned)
    keys = {button.key for button in app.button}
    assert "approve" in keys and not {"publish", "add-choice"} & keys
    assert not app.text_area and not app.text_input
    app.button(key="approve").click().run()
    assert "You have approved" in app.success[0].value
    assert publication.approvals(owned, owned.runs[-1]) == ("officer@example.org",)
    steward = Person(name="steward@example.org", roles=frozenset({Role.STEWARD}))
    monkeypatch.setattr(login, "current", lambda: steward)
    app = draw(page, owned)
    assert not any(box.key == "approver" for box in app.text_input)
    app.checkbox(key="agreed").check().run()
    app.button(key="publish").click().run()
    runner.wait(publication.task_of(owned, owned.runs[-1]), seconds=600)
    done = publication.find(owned, owned.runs[-1])
    assert done is not None and done.imprint.approvers == ("officer@example.org",)
