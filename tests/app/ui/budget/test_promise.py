"""Epsilon is said twice and is one; the promise in odds is that of the budget."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.ui.budget import promise
from synth.core.accounting import attack_ceiling


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error])


def test_the_odds_are_those_of_the_budget() -> None:
    def page(epsilon: float) -> None:
        from synth.app.project.store import Budget
        from synth.app.ui.budget import promise

        promise.odds(Budget(epsilon=epsilon, delta=1e-7))

    for epsilon in (0.5, 3.0):
        app = AppTest.from_function(page, args=(epsilon,)).run()
        times = f"{math.ceil(attack_ceiling(epsilon, 1e-7)[0] * 1000) / 10:g}"
        assert f"**{times} times in 100**" in said(app)


@pytest.mark.parametrize("typed", [promise.SMALLEST, 0.6, 6.0, 12.5, promise.LARGEST])
def test_the_slider_shows_what_was_typed_and_no_other_number(typed: float) -> None:
    def page() -> None:
        from synth.app.project.store import Budget
        from synth.app.ui.budget import promise

        promise.budget_form(Budget(), opened=True)

    app = AppTest.from_function(page).run()
    app.number_input(key="epsilon-box").set_value(typed).run()
    slider = app.select_slider(key="epsilon-slider")
    assert slider.value == typed and f"{typed:g}" in slider.options
    slider.set_value(2.0).run()
    assert app.number_input(key="epsilon-box").value == 2.0
    assert app.select_slider(key="epsilon-slider").value == 2.0
