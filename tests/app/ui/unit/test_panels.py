"""The unit page in use: nothing goes on before all is answered, and every answer is on disk at once."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared, opening
from synth.app.project import store as projects
from synth.app.project.store import Project
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from tests.app.opened import opened

pytestmark = pytest.mark.usefixtures("project_home")


@pytest.fixture
def line(project_home: Path) -> None:
    """A budget line to choose from: AppTest cannot type a new option into a box."""
    ledger = Ledger(places.ledger())
    ledger.open_population("clinic-2024", units=10**12, reason="t", protects=ProtectedChange(max_rows=1))
    ledger.close()


def page(project: Project) -> AppTest:
    projects.save(project)
    return opened("unit", project)


def bare() -> Project:
    return opening.begin("t", rehearsal=False)


def answer(test: AppTest) -> None:
    for key, value in (("people", True), ("records", True)):
        test.segmented_control(key=key).set_value(value).run()
    test.radio(key="harm").set_value("mild").run()
    test.number_input(key="rows-about").set_value(3_000).run()
    test.number_input(key="max-rows").set_value(1).run()
    test.selectbox(key="population").set_value("clinic-2024").run()


@pytest.mark.usefixtures("line")
def test_the_way_opens_only_when_everything_is_answered() -> None:
    project = bare()
    test = page(project)
    assert test.button(key="next-unit").disabled
    assert test.number_input(key="max-rows").value is None
    answer(test)
    assert not test.button(key="next-unit").disabled
    assert projects.load(project.id).schema["population"] == "clinic-2024"
    test.button(key="next-unit").click().run()
    assert "unit" in projects.load(project.id).settled


@pytest.mark.usefixtures("line")
def test_a_line_nobody_has_used_is_declared_anew_with_a_reason() -> None:
    test = page(bare())
    answer(test)
    test.number_input(key="max-rows").set_value(20).run()
    assert test.button(key="next-unit").disabled and test.button(key="declare").disabled
    test.text_input(key="declare-why").set_value("the busiest has twenty").run()
    test.button(key="declare").click().run()
    assert not test.button(key="next-unit").disabled
    ledger = Ledger(places.ledger())
    assert ledger.balance("clinic-2024").protects == ProtectedChange(max_rows=20)


def test_after_a_run_the_answers_can_be_read_and_not_changed() -> None:
    test = page(replace(declared.demo(), runs=("20240101-00000000",)))
    assert test.number_input(key="max-rows").disabled
    assert test.radio(key="harm").disabled
