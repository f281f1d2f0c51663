"""The method page's pieces."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Method, Project
from synth.mechanisms import MECHANISMS
from tests.app.opened import opened

pytestmark = pytest.mark.usefixtures("project_home")


def drawn(**changes: object) -> tuple[AppTest, Project]:
    project = replace(declared.demo(), **changes)  # type: ignore[arg-type]
    projects.save(project)
    return opened("method", project), project


def kept(project: Project) -> Method:
    return projects.load(project.id).method


def choose(test: AppTest, name: str) -> None:
    if f"choose-{name}" not in {b.key for b in test.button}:
        test.selectbox(key="other-method").set_value(name).run()
    test.button(key=f"choose-{name}").click().run()
    assert not test.error


def test_the_recommended_and_the_chosen_method_have_a_card_and_the_others_are_in_the_list() -> None:
    test, _ = drawn(method=Method(name="mst"))
    headings = [h.value for h in test.subheader]
    assert headings[:2] == ["Blend", "MST"]
    assert len(test.selectbox(key="other-method").options) == len(MECHANISMS) - 2
    (advice,) = (m.value for m in test.markdown if m.value.startswith("**Blend** for 11 columns, epsilon 1."))
    assert "its error for pairs was" in advice and "your table can differ" in advice
    assert len([m for m in test.markdown if ":blue-badge" in m.value]) == 1
    (plot,) = (c.proto.alt for c in test.get("plotly_chart"))
    assert "has the lowest error" in plot
    note = next(h for h in test.subheader if "Hollow marks" in h.proto.help)
    assert "`python -m synth bench" in note.proto.help and "--out" not in note.proto.help
    test.selectbox(key="help-matter").set_value("triples").run()
    assert any("its error for triples was" in m.value for m in test.markdown)


def test_choosing_another_brings_its_own_form_and_forgets_the_settings() -> None:
    for name in ("mst", "blend", "privpgd"):
        test, project = drawn(method=Method(name="aim", options={"alpha": 0.8}, rows=40))
        if name == "blend":
            test.button(key="help-take").click().run()
        else:
            choose(test, name)
        assert (kept(project).name, kept(project).options, kept(project).rows) == (name, {}, 40)
        assert not any(n.key == "aim-alpha" for n in test.number_input)


def test_a_further_generator_is_free_and_that_of_the_method_is_not_offered() -> None:
    test, project = drawn()
    (box,) = (b for b in test.multiselect if b.key.startswith("extras-"))
    assert "Independent columns" in " ".join(box.options) and "Blend" not in box.options
    box.set_value(["independent"]).run()
    assert kept(project).extras == ("independent",)
