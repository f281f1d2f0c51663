"""The budget page's pieces: what is clicked is what is kept, and nothing unsettled can be confirmed."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.spend.allocation import allocate
from synth.app.project.spend.forecast import Forecast
from synth.app.project.store import Budget, Limits, Project
from tests.app.opened import opened

pytestmark = pytest.mark.usefixtures("project_home")


def drawn(**changes: object) -> tuple[AppTest, Project]:
    project = replace(declared.demo(), **changes)  # type: ignore[arg-type]
    projects.save(project)
    return opened("budget", project), project


def kept(project: Project) -> Budget:
    return projects.load(project.id).budget


def words_on(test: AppTest) -> str:
    return "\n".join(m.value for m in test.markdown)


def test_a_preset_moves_the_words_the_bar_and_the_disk() -> None:
    test, project = drawn()
    test.button(key="preset-half").click().run()
    assert kept(project).weights["later"] == "high"
    now = allocate(declared.read(project).schema, kept(project), project.method).epsilon
    assert 0.66 < now < 0.72
    assert f"this run spends epsilon {now:g}" in words_on(test)
    assert f"epsilon {now:g} of 1, delta" in words_on(test)
    assert "**50%**" in words_on(test)
    test.button(key="preset-columns").click().run()
    assert kept(project).weights["later"] == "off" and kept(project).weights["columns"] == "max"
    ticked = [b.key for b in test.button if b.key.startswith("preset-") and "check" in b.icon]
    assert ticked == ["preset-columns"]


def test_the_way_back_sets_the_epsilon_that_reaches_the_error() -> None:
    test, project = drawn()
    test.number_input(key="back-rows").set_value(20.0).run()
    test.button(key="back-use").click().run()
    found = kept(project)
    assert test.number_input(key="epsilon-box").value == found.epsilon > 1
    schema = declared.read(project).schema
    names = test.multiselect(key="back-columns").value
    error = Forecast(schema, found, allocate(schema, found, project.method)).error(names)
    assert error is not None and 19.5 < error <= 20


def test_beyond_the_organisations_limit_only_with_a_reason() -> None:
    test, project = drawn(limits=Limits(release=0.5))
    assert test.button(key="next-budget").disabled
    test.text_area(key="budget-reason").set_value("agreed with the board").run()
    assert not test.button(key="next-budget").disabled
    assert kept(project).reason == "agreed with the board"
    test.number_input(key="epsilon-box").set_value(0.4).run()
    assert kept(project).reason == "" and not test.button(key="next-budget").disabled


def test_what_the_lifetime_limit_does_not_cover_is_said_beside_it_with_ways_out() -> None:
    test, project = drawn(budget=Budget(epsilon=6.0, lifetime=4.0))
    (error,) = test.error
    order = [getattr(element, "value", "") for element in test.main]
    assert error.value.startswith("The lifetime")
    assert order.index(error.value) < order.index("Expected error")
    test.button(key="lifetime-use").click().run()
    assert not test.error and not test.button(key="next-budget").disabled
    assert kept(project).lifetime == test.number_input(key="lifetime").value >= 6
    assert test.select_slider(key="epsilon-slider").value == 6.0
    test.number_input(key="lifetime").set_value(4.0).run()
    test.button(key="most-use").click().run()
    assert not test.error and not test.button(key="next-budget").disabled
    assert 3 < kept(project).epsilon <= 4 == kept(project).lifetime


def test_a_table_whose_cells_drown_is_warned_about() -> None:
    test, _ = drawn(budget=Budget(epsilon=0.1, rows_about=300))
    assert any("Half the cells" in w.value for w in test.warning)
    assert any("Too detailed for this budget" in w.value for w in test.warning)
    for budget in (Budget(epsilon=0.1), Budget(epsilon=5.0, rows_about=1_000_000)):
        test, _ = drawn(budget=budget)
        assert not any("Too detailed" in w.value for w in test.warning)


def test_a_typed_regression_is_kept_with_its_precision_and_a_wrong_one_stops_the_page() -> None:
    test, project = drawn(budget=Budget(epsilon=2.0, rows_about=3000))
    test.text_area(key="means").set_value("income ~ age + sex\nincome by ward").run()
    assert kept(project).means == ("income ~ age + sex", "income by ward")
    said = words_on(test)
    assert "`income ~ age + sex`: slope of age ± " in said and "mean income ± " in said
    assert "**Means and regressions**" in said
    test.text_area(key="means").set_value("income ~ shoe").run()
    assert any("'shoe', which is not a column" in error.value.replace("\\", "") for error in test.error)
    assert kept(project).means == ("income ~ age + sex", "income by ward")


def test_planned_releases_set_the_epsilon_of_each() -> None:
    test, project = drawn()
    test.number_input(key="planned").set_value(12).run()
    test.button(key="planned-use").click().run()
    assert 0.9 < kept(project).epsilon * 12**0.5 / 4 < 1.1
    assert "budget for 11 more runs like it" in words_on(test)
