"""Epsilon is said twice and is one; the promise in odds is that of the budget."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Budget
from synth.app.ui.budget import promise
from tests.app.opened import opened


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error])


@pytest.mark.usefixtures("project_home")
def test_the_odds_are_those_of_the_run_of_all_releases_and_of_the_limit() -> None:
    project = replace(declared.demo(), budget=Budget(epsilon=1.0, lifetime=4.0))
    projects.save(project)
    app = opened("budget", project)
    assert "**53.7 in 100**" in said(app) and "**7.2 in 100**" in said(app)
    assert "without private training: at most 63.2 right guesses and 16.6 detected members" in said(app)


def test_a_target_risk_sets_epsilon() -> None:
    def page() -> None:
        from synth.app.project.store import Budget
        from synth.app.ui.budget import promise
        from synth.core.accounting import GAUSSIAN

        budget = promise.budget_form(Budget(), opened=True, asks_rows=False)
        promise._by_risk(budget, GAUSSIAN)

    app = AppTest.from_function(page).run()
    app.number_input(key="risk-guess").set_value(55.0).run()
    assert app.button(key="risk-use").label == "Use epsilon 1.4"
    app.number_input(key="risk-caught").set_value(7.0).run()
    app.button(key="risk-use").click().run()
    assert app.number_input(key="epsilon-box").value == 0.92


@pytest.mark.parametrize("typed", [promise.SMALLEST, 0.6, 6.0, 12.5, promise.LARGEST])
def test_the_slider_shows_what_was_typed_and_no_other_number(typed: float) -> None:
    def page() -> None:
        from synth.app.project.store import Budget
        from synth.app.ui.budget import promise

        promise.budget_form(Budget(), opened=True, asks_rows=False)

    app = AppTest.from_function(page).run()
    app.number_input(key="epsilon-box").set_value(typed).run()
    slider = app.select_slider(key="epsilon-slider")
    assert slider.value == typed and f"{typed:g}" in slider.options
    slider.set_value(2.0).run()
    assert app.number_input(key="epsilon-box").value == 2.0
    assert app.select_slider(key="epsilon-slider").value == 2.0
