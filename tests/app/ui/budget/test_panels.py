"""The budget page's pieces: what is clicked is what is kept, and nothing unsettled can be confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared, runs
from synth.app.project import store as projects
from synth.app.project.spend.allocation import allocate, is_settled
from synth.app.project.spend.forecast import Forecast
from synth.app.project.store import Budget, Limits, Method, Project
from synth.app.ui.text import budget as text
from synth.core.accounting import limit_for
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger

PAGE = "pages/budget.py"
ROOT = Path(__file__).parents[4]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    yield tmp_path


def opened(**changes: object) -> tuple[AppTest, Project]:
    project = replace(declared.demo(), **changes)  # type: ignore[arg-type]
    projects.save(project)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    test.query_params["p"] = project.id
    test.run()
    test.switch_page(PAGE).run()
    assert not test.exception
    return test, project


def kept(project: Project) -> Budget:
    return projects.load(project.id).budget


def segment(test: AppTest, key: str) -> object:
    return next(w for w in test.button_group if w.key == key)


def words_on(test: AppTest) -> str:
    return "\n".join(m.value for m in test.markdown)


def test_a_visit_changes_no_choice() -> None:
    _, project = opened()
    found = kept(project)
    assert (found.epsilon, found.delta, found.importance, found.reason) == (1.0, 1e-9, {}, "")
    first = allocate(declared.read(project).schema, project.budget, project.method)
    assert allocate(declared.read(project).schema, found, project.method) == first


def test_a_preset_moves_the_words_the_bar_and_the_disk() -> None:
    test, project = opened()
    test.button(key="preset-half").click().run()
    assert kept(project).weights["later"] == "high"
    now = allocate(declared.read(project).schema, kept(project), project.method).epsilon
    assert 0.66 < now < 0.72
    assert f"this run spends epsilon {now:g}" in words_on(test)
    assert f"epsilon {now:g} of 1, delta" in words_on(test)
    assert "**50 %**" in words_on(test)
    test.button(key="preset-columns").click().run()
    assert kept(project).weights["later"] == "off" and kept(project).weights["columns"] == "max"
    ticked = [b.key for b in test.button if b.key.startswith("preset-") and "check" in b.icon]
    assert ticked == ["preset-columns"]


def test_a_word_for_a_part_and_one_for_a_column_are_kept() -> None:
    test, project = opened()
    segment(test, "part-comparison").set_value("off").run()  # type: ignore[attr-defined]
    segment(test, "column-ward").set_value("max").run()  # type: ignore[attr-defined]
    assert not test.exception
    found = kept(project)
    assert found.weights["comparison"] == "off" and found.importance == {"ward": "max"}
    segment(test, "column-ward").set_value("normal").run()  # type: ignore[attr-defined]
    assert kept(project).importance == {}


def test_the_way_back_sets_the_epsilon_that_reaches_the_error() -> None:
    test, project = opened()
    test.number_input(key="back-rows").set_value(20.0).run()
    test.button(key="back-use").click().run()
    found = kept(project)
    assert test.number_input(key="epsilon-box").value == found.epsilon > 1
    schema = declared.read(project).schema
    names = test.multiselect(key="back-columns").value
    error = Forecast(schema, found, allocate(schema, found, project.method)).error(names)
    assert error is not None and 19.5 < error <= 20


def test_delta_is_at_most_one_in_the_number_of_rows() -> None:
    test, project = opened()
    test.number_input(key="rows-about").set_value(5_000_000_000).run()
    assert kept(project).delta == pytest.approx(2e-10)


def test_beyond_the_organisations_limit_only_with_a_reason() -> None:
    test, project = opened(limits=Limits(release=0.5))
    assert test.button(key="next-budget").disabled
    test.text_area(key="budget-reason").set_value("agreed with the board").run()
    assert not test.button(key="next-budget").disabled
    assert kept(project).reason == "agreed with the board"
    test.number_input(key="epsilon-box").set_value(0.4).run()
    assert kept(project).reason == "" and not test.button(key="next-budget").disabled


def test_an_epsilon_beyond_the_lifetime_limit_is_refused() -> None:
    test, _ = opened(limits=Limits(lifetime=4.0), budget=Budget(epsilon=8.0, lifetime=4.0))
    assert test.button(key="next-budget").disabled
    assert any("does not cover" in error.value for error in test.error)
    test.number_input(key="lifetime").set_value(20.0).run()
    assert test.button(key="next-budget").disabled
    assert any("allows a lifetime epsilon of 4" in error.value for error in test.error)


def test_what_the_lifetime_limit_does_not_cover_is_said_beside_it_with_ways_out() -> None:
    test, project = opened(budget=Budget(epsilon=6.0, lifetime=4.0))
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


def test_no_way_out_is_offered_that_the_organisation_forbids() -> None:
    test, _ = opened(limits=Limits(lifetime=4.0), budget=Budget(epsilon=6.0, lifetime=4.0))
    offered = {button.key for button in test.button}
    assert "most-use" in offered and "lifetime-use" not in offered


def test_an_opened_line_is_used_no_further_than_the_organisation_allows() -> None:
    ledger = Ledger(places.rehearsal_ledger())
    schema = declared.read(declared.demo()).schema
    limit = limit_for(20.0, 1e-9)
    ledger.open_population(schema.population, units=limit, protects=schema.protects, reason="test")
    ledger.close()
    test, _ = opened(limits=Limits(lifetime=4.0), budget=Budget(epsilon=8.0))
    assert test.button(key="next-budget").disabled
    assert any("all releases together reach epsilon 8" in error.value for error in test.error)
    test.number_input(key="epsilon-box").set_value(3.0).run()
    assert not test.button(key="next-budget").disabled


def test_with_every_column_off_there_is_no_way_on() -> None:
    project = declared.demo()
    names = [c.name for c in declared.read(project).schema.modelled]
    test, project = opened(budget=Budget(importance=dict.fromkeys(names, "off")))
    assert any("All columns are Off" in e.value for e in test.error)
    assert test.button(key="next-budget").disabled
    assert not is_settled(project.budget, declared.read(project).schema, limit=project.limits.release)


def test_a_method_that_measures_no_pair_offers_no_word_for_pairs() -> None:
    test, _ = opened(method=Method(name="independent"))
    assert {w.key for w in test.button_group if w.key.startswith("part-")} == {
        "part-comparison",
        "part-later",
    }


def test_a_table_whose_cells_drown_is_warned_about() -> None:
    test, _ = opened(budget=Budget(epsilon=0.1, rows_about=300))
    assert any("Half the cells" in w.value for w in test.warning)
    assert any("Too detailed for this budget" in w.value for w in test.warning)
    for budget in (Budget(epsilon=0.1), Budget(epsilon=5.0, rows_about=1_000_000)):
        test, _ = opened(budget=budget)
        assert not any("Too detailed" in w.value for w in test.warning)


def test_a_list_to_be_bought_comes_with_how_frequent_its_values_are() -> None:
    test, project = opened()
    assert not any("An estimated list" in i.value for i in test.info)
    columns = [*project.schema["columns"], {"name": "code", "kind": "category", "buy": True}]
    test, project = opened(schema={**project.schema, "columns": columns}, rules=())
    schema = declared.read(project).schema
    least = Forecast.of(schema, project.budget, project.method).least_listed
    assert least is not None
    assert text.lists_hold(least, schema, rows=project.budget.rows_about) in [i.value for i in test.info]


def test_columns_of_few_values_are_forecast_as_they_are_asked() -> None:
    project = declared.demo()
    columns = [
        {"name": name, "kind": "category", "values": ["no", "yes"], "blank": False}
        for name in ("a", "b", "c")
    ]
    test, project = opened(schema={**project.schema, "columns": columns}, rules=())
    assert text.FORECAST_OF_INTERACTIONS in [header.proto.help for header in test.header]
    schema = declared.read(project).schema
    first = Forecast.of(schema, project.budget, project.method).columns()[0]
    test.session_state["errors-fold"] = True
    shown = test.run().dataframe[0].value.iloc[0].tolist()
    assert shown == ["a", *(text.cell_error(rows, rows_about=None) for rows in (first.alone, first.paired))]


def test_a_line_without_room_says_what_still_fits() -> None:
    def page() -> None:
        import streamlit as st

        from synth.app.project import declared
        from synth.app.ui.budget import panels

        panels.line(declared.demo(), st.container(), st.container())

    app = AppTest.from_function(page).run()
    assert "no lifetime budget yet" in " ".join(c.value for c in app.caption)
    assert not app.error
    ledger = Ledger(places.rehearsal_ledger())
    ledger.open_population(
        declared.demo().schema["population"], units=10**9, reason="test", protects=ProtectedChange(max_rows=1)
    )
    ledger.close()
    app = AppTest.from_function(page).run()
    assert "does not cover" in app.error[0].value


def test_shares_that_are_bought_have_a_part_with_a_word_and_an_error() -> None:
    bought = "the share of records where age is at least 65 should be as in the table"
    test, project = opened(rules=(*declared.demo().rules, bought))
    assert "Target proportions" in words_on(test) and "1 count, each ±" in words_on(test)
    segment(test, "part-shares").set_value("max").run()  # type: ignore[attr-defined]
    assert not test.exception and kept(project).weights["shares"] == "max"
    spec = runs.spec_of(projects.load(project.id))
    assert spec.shares_part > 0.03
    assert "Shares as in the table" not in words_on(opened()[0])


@pytest.mark.parametrize("bought", [[], [{"name": "job", "kind": "category", "buy": True}]])
def test_a_mean_that_noise_would_drown_is_told_before_spending(bought: list[dict[str, object]]) -> None:
    pay = {"name": "pay", "kind": "decimal", "min": 0, "max": 250_000, "cuts": [50, 200, 1000, 5000]}
    schema = declared.demo().schema
    test, _ = opened(
        schema={**schema, "columns": [*schema["columns"], pay, *bought]}, budget=Budget(rows_about=6_000)
    )
    said = [warning.value for warning in test.warning if "Noise alone" in warning.value]
    assert len(said) == 1 and "*pay* may move by" in said[0]
    test.number_input(key="rows-about").set_value(60_000_000).run()
    assert not any("Noise alone" in warning.value for warning in test.warning)
