"""Epsilon is said twice and is one; the promise in odds is that of the budget."""

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.ui.budget import promise


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error])


def test_the_odds_are_those_of_the_budget() -> None:
    def page(epsilon: float, law: str) -> None:
        from synth.app.project.store import Budget
        from synth.app.ui.budget import promise
        from synth.core.accounting import law_named

        promise.odds(Budget(epsilon=epsilon, delta=1e-7), law_named(law))

    for epsilon, law, times in ((0.5, "zcdp", "62.3"), (3.0, "zcdp", "95.3"), (1.0, "gaussian", "54.3")):
        app = AppTest.from_function(page, args=(epsilon, law)).run()
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
