"""The method page's pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Budget, Method, Project
from synth.mechanisms import MECHANISMS
from synth.mechanisms.mst import MST
from synth.mechanisms.shared.base import Purpose
from synth.mechanisms.shared.recipe import followers

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
    test.switch_page("pages/method.py").run()
    assert not test.exception and not test.error
    return test, project


def kept(project: Project) -> Method:
    return projects.load(project.id).method


def test_every_method_of_the_registry_has_a_card_and_one_is_chosen() -> None:
    test, project = opened()
    headings = [h.value for h in test.subheader]
    assert all(kind.title in headings for kind in MECHANISMS.values())
    buttons = {b.key for b in test.button if b.key and b.key.startswith("choose-")}
    assert buttons == {f"choose-{name}" for name in MECHANISMS if name != project.method.name}


def test_the_methods_that_are_neither_recommended_nor_chosen_are_folded_by_purpose() -> None:
    test, _ = opened(method=Method(name="mst"))
    groups = {e.label: {h.value for h in e.subheader} for e in test.expander if e.label.startswith("**")}
    assert len(groups) == len(Purpose)
    assert all(titles and all(t in label for t in titles) for label, titles in groups.items())
    folded = set().union(*groups.values())
    assert folded == {kind.title for kind in MECHANISMS.values()} - {"Blend", "MST"}
    assert any("recommended" in m.value for m in test.markdown)


def test_what_is_recommended_says_why_and_the_cards_say_the_same() -> None:
    test, _ = opened()
    (advice,) = (
        m.value for m in test.markdown if m.value.startswith("For 11 columns and pairs at epsilon 1")
    )
    assert "**Blend**, because on the compared table most like yours" in advice and "not a promise" in advice
    badges = [m.value for m in test.markdown if ":blue-badge" in m.value]
    assert len(badges) == 1 and "weighs a tree" in badges[0]
    off = advice.partition("were off by ")[2].partition(",")[0]
    assert f"were off by {off}, in" in badges[0]
    test.selectbox(key="help-matter").set_value("triples").run()
    (changed,) = (m.value for m in test.markdown if m.value.startswith("For 11 columns and triples"))
    assert "**Blend**" in changed and "Mind what its card says" in changed
    badges = [m.value for m in test.markdown if ":blue-badge" in m.value]
    assert len(badges) == 1 and "its triples were off by" in badges[0]


def test_how_the_methods_compared_is_told_with_the_command() -> None:
    test, _ = opened()
    (told,) = (m.value for m in test.markdown if "| Method |" in m.value)
    assert "| Blend |" in told and "`python -m synth bench" in told and "--out" not in told


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "aim"])
def test_choosing_another_brings_its_own_form_and_forgets_the_settings(name: str) -> None:
    test, project = opened(method=Method(name="aim", options={"alpha": 0.8}, rows=40))
    keys = {b.key for b in test.button}
    test.button(key=f"choose-{name}" if f"choose-{name}" in keys else "help-take").click().run()
    assert not test.exception and not test.error
    assert (kept(project).name, kept(project).options, kept(project).rows) == (name, {}, 40)
    assert not any(n.key == "aim-alpha" for n in test.number_input)


def test_no_time_is_told_while_a_list_is_still_to_be_bought() -> None:
    demo = declared.demo()
    first = next(c for c in demo.schema["columns"] if c["kind"] == "category")
    bought = {"name": first["name"], "kind": "category", "buy": True, "provenance": "bought with budget"}
    columns = [bought if c["name"] == first["name"] else c for c in demo.schema["columns"]]
    test, _ = opened(schema={**demo.schema, "columns": columns}, rules=())
    lines = [line for m in test.markdown for line in m.value.splitlines() if ":material/timer:" in line]
    assert len(lines) == len(MECHANISMS) and all("Time not known yet" in line for line in lines)
    assert not any("MB" in line for line in lines)
    assert not any("A run takes" in c.value or "It takes" in c.value for c in test.caption)
    assert any("known once they are bought" in info.value for info in test.info)


def test_shares_that_leave_nothing_to_measure_with_are_told_before_a_run() -> None:
    test, _ = opened(method=Method(name="mst"))
    for share in ("mst-columns_share", "mst-choosing_share"):
        test.number_input(key=share).set_value(0.49)
        test.run()
    assert not test.exception
    (error,) = test.error
    assert "Columns share" in error.value and "leave too little" in error.value
    test.number_input(key="mst-choosing_share").set_value(0.3).run()
    assert not test.error


def test_the_way_on_leads_back_to_a_budget_that_is_not_confirmed() -> None:
    test, project = opened()
    assert "Budget" in test.button(key="next-method").label
    test.button(key="next-method").click().run()
    assert not test.exception and "method" in projects.load(project.id).settled


def test_settings_are_kept() -> None:
    test, project = opened(method=Method(name="aim"))
    test.number_input(key="aim-alpha").set_value(0.8).run()
    test.number_input(key="rows").set_value(77).run()
    assert kept(project).options == {"alpha": 0.8} and kept(project).rows == 77


def test_help_takes_its_own_advice() -> None:
    test, project = opened(method=Method(name="mst"))
    test.selectbox(key="help-matter").set_value("columns").run()
    (advice,) = (m.value for m in test.markdown if m.value.startswith("For 11 columns and single columns"))
    test.button(key="help-take").click().run()
    assert not test.exception and kept(project).name != "mst"
    assert f"**{MECHANISMS[kept(project).name].title}**" in advice


def test_help_for_three_columns_asks_for_three_and_takes_what_did_best() -> None:
    test, project = opened()
    assert kept(project).workload == 2
    test.selectbox(key="help-matter").set_value("triples").run()
    test.button(key="help-take").click().run()
    assert not test.exception and not test.warning
    assert kept(project).workload == 3 and kept(project).name == "blend"
    test.run()
    assert kept(project).workload == 3


def test_a_free_table_is_a_tick_and_the_methods_own_is_not_offered() -> None:
    test, project = opened()
    assert {c.key for c in test.checkbox} >= {"extra-independent"}
    assert "extra-blend" not in {c.key for c in test.checkbox}
    test.checkbox(key="extra-independent").check().run()
    assert kept(project).extras == ("independent",)


def test_the_generator_is_a_choice_among_those_that_suit_and_the_others_say_why_not() -> None:
    test, project = opened(method=Method(name="mst", extras=("refined",)))
    box = test.selectbox(key="generator-mst")
    assert len(box.options) == len(followers(MST)) and box.options[0].startswith("Graphical model")
    box.set_value("refined").run()
    assert kept(project).generator == "refined" and kept(project).extras == ()
    assert "extra-pgm" in {c.key for c in test.checkbox}
    grove, _ = opened()
    assert any("more relations than one graphical model" in c.value for c in grove.caption)


@pytest.mark.parametrize(
    ("name", "toggle"), [("privpgd", "particles-exact"), ("margnet", "network-as_published")]
)
def test_the_published_form_is_a_tick_with_a_time_of_its_own(name: str, toggle: str) -> None:
    test, project = opened(method=Method(name=name))
    (before,) = (c.value for c in test.caption if "A run takes" in c.value)
    assert "As published it would take" in before
    test.toggle(key=f"generator-{name}-{toggle}").set_value(True).run()
    assert not test.exception and kept(project).generator_options == {toggle.partition("-")[2]: True}
    (after,) = (c.value for c in test.caption if "A run takes" in c.value)
    assert "as published" in after and after.partition("A run takes")[2] != before.partition("A run takes")[2]


def test_rare_values_are_merged_where_the_method_does_not_do_so_itself() -> None:
    test, project = opened(method=Method(name="mst"))
    test.toggle(key="compress-mst").set_value(True).run()
    assert kept(project).compress
    test.button(key="choose-grove").click().run()
    assert not kept(project).compress and "compress-grove" not in {t.key for t in test.toggle}


def test_what_the_budget_page_has_moved_is_said() -> None:
    test, _ = opened(budget=Budget(weights={"columns": "max"}), method=Method(name="aim"))
    assert any("Columns share" in c.value for c in test.caption)
    plain, _ = opened(method=Method(name="aim"))
    assert not any("Columns share" in c.value for c in plain.caption)


def test_columns_too_wide_for_the_method_are_named() -> None:
    test, _ = opened(method=Method(name="aim", options={"capacity_mb": 0.1}))
    assert not test.warning
    narrow, _ = opened(method=Method(name="absyn", options={"clique_cells": 100}))
    assert any("can never be measured" in w.value for w in narrow.warning)


def test_a_generator_has_settings_of_its_own_that_stay_behind_with_it() -> None:
    test, project = opened(method=Method(name="mst"))
    test.number_input(key="generator-mst-pgm-ridge").set_value(2.0).run()
    assert not test.exception and kept(project).generator_options == {"ridge": 2.0}
    test.selectbox(key="generator-mst").set_value("refined").run()
    assert not test.exception and (kept(project).generator, kept(project).generator_options) == (
        "refined",
        {},
    )
    test.number_input(key="generator-mst-refined-clique_cells").set_value(5000).run()
    assert kept(project).generator_options == {"clique_cells": 5000}


def test_what_a_method_asks_itself_is_not_asked_of_its_generator_again() -> None:
    test, _ = opened(method=Method(name="grove"))
    keys = {n.key for n in test.number_input}
    assert "grove-clique_cells" in keys and "generator-grove-refined-clique_cells" not in keys
    assert "generator-grove-refined-ridge" in keys
