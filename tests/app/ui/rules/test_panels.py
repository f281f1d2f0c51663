"""Rules are built from menus, seen before they are added, and removed again; no data is near."""

from typing import Any

from synth.app.project import store as projects

COLUMNS = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10},
    {"name": "job", "kind": "category", "values": ["none", "a", "b"]},
    {"name": "joined", "kind": "date", "min": "2000-01-01", "max": "2020-12-31"},
    {"name": "left", "kind": "date", "min": "2000-01-01", "max": "2020-12-31"},
    {"name": "rate", "kind": "decimal", "min": 0, "max": 1},
    {"name": "school", "kind": "ordered", "values": ["none", "low", "high"]},
    {"name": "zip", "kind": "integer", "buy": True},
    {"name": "born", "kind": "date", "buy": True},
]
SCHEMA = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS}


def page() -> None:
    from synth.app.project.describe import rules
    from synth.app.ui import state
    from synth.app.ui.rules import panels as rules_pieces
    from synth.dictionaries import load_schema

    project = state.current()
    assert project is not None
    schema = load_schema(project.schema)
    capacity = rules.capacity_of(project)
    rules_pieces.listing(project, schema, fixed=False)
    rules_pieces.together(rules.together(schema, project.rules, capacity=capacity), capacity)
    rules_pieces.build(project, schema)
    rules_pieces.bring(project, schema)


def said(app: Any) -> str:
    found = [e.value for kind in (app.markdown, app.caption, app.warning, app.error, app.info) for e in kind]
    return "\n".join(found).replace("\\", "")


def rules(project: Any) -> list[Any]:
    return list(projects.load(project.id).rules)


def test_a_rule_is_built_previewed_and_added(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    assert app.button(key="add-build").disabled
    app.selectbox(key="build-0-if-0-column").set_value("age").run()
    app.number_input(key="build-0-if-0-age-between-low").set_value(0).run()
    app.number_input(key="build-0-if-0-age-between-high").set_value(14).run()
    app.selectbox(key="build-0-then-0-column").set_value("job").run()
    app.multiselect(key="build-0-then-0-job-is").set_value(["none"]).run()
    app.text_input(key="build-0-because").set_value("the law").run()
    assert "Reads as: **if age is 0 to 14 then job is only none**" in said(app)
    assert "Removes **4** of 48 combinations" in said(app)
    assert len(app.get("plotly_chart")) == 1 and rules(project) == []
    app.button(key="add-build").click().run()
    assert rules(project) == [{"sentence": "if age is 0 to 14 then job is only none", "because": "the law"}]
    assert "Reason\\: the law" in [m.proto.help for m in app.markdown]
    assert app.selectbox(key="build-1-if-0-column").value is None
    app.button(key="remove-0").click().run()
    assert rules(project) == []


def test_dates_decimals_ordered_values_and_blanks_can_be_chosen(draw: Any, mine: Any) -> None:
    import datetime as dt

    project = mine(schema=SCHEMA)
    app = draw(page, project)
    app.selectbox(key="build-0-if-0-column").set_value("joined").run()
    app.selectbox(key="build-0-if-0-joined-how").set_value("at most").run()
    app.date_input(key="build-0-if-0-joined-at most").set_value(dt.date(2005, 1, 31)).run()
    app.selectbox(key="build-0-then-0-column").set_value("school").run()
    app.selectbox(key="build-0-then-0-school-how").set_value("at least").run()
    app.selectbox(key="build-0-then-0-school-at least").set_value("low").run()
    app.button(key="add-build").click().run()
    assert rules(project) == ["if joined is at most 2005-01-31 then school is only low or high"] or rules(
        project
    ) == ["if joined is at most 2005-01-31 then school is at least low"]
    app.selectbox(key="build-1-if-0-column").set_value("rate").run()
    app.selectbox(key="build-1-if-0-rate-how").set_value("at least").run()
    app.number_input(key="build-1-if-0-rate-at least").set_value(0.5).run()
    app.selectbox(key="build-1-then-0-column").set_value("zip").run()
    app.selectbox(key="build-1-then-0-zip-how").set_value("blank").run()
    assert "effect will be known once the missing domains" in said(app)
    app.button(key="add-build").click().run()
    assert rules(project)[-1] == "if rate is at least 0.5 then zip is blank"


def test_a_contradiction_is_explained_before_it_can_be_added(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA, rules=("age is 0 to 9",))
    app = draw(page, project)
    app.segmented_control(key="rule-shape").set_value("words").run()
    app.text_input(key="build-0-words").set_value("age is 50 to 60").run()
    assert "These rules contradict each other" in said(app) and "can satisfy all of them" in said(app)
    assert app.button(key="add-build").disabled
    app.text_input(key="build-0-words").set_value("if jobb is a then age is 50").run()
    assert "did you mean 'job'" in said(app)


YOUNG = "the share of records where age is 0 to 29 and job is a"


def test_a_share_is_built_with_where_its_number_is_known_from(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    app.segmented_control(key="rule-shape").set_value("share").run()
    app.selectbox(key="build-0-share-0-column").set_value("age").run()
    app.number_input(key="build-0-share-0-age-between-low").set_value(0).run()
    app.number_input(key="build-0-share-0-age-between-high").set_value(29).run()
    app.button(key="build-0-share-add").click().run()
    app.selectbox(key="build-0-share-1-column").set_value("job").run()
    app.multiselect(key="build-0-share-1-job-is").set_value(["a"]).run()
    assert f"Reads as: **{YOUNG} should be as in the table**" in said(app)
    assert "Measured with noise" in said(app)
    app.selectbox(key="build-0-wanted").set_value("declared").run()
    app.number_input(key="build-0-percent").set_value(12.5).run()
    assert "should be 12.5%' declares a number" in said(app) and app.button(key="add-build").disabled
    app.text_input(key="build-0-because").set_value("the census").run()
    assert "are adjusted to your number" in said(app)
    app.button(key="add-build").click().run()
    assert rules(project) == [{"sentence": f"{YOUNG} should be 12.5%", "because": "the census"}]
    assert app.segmented_control(key="rule-shape").value == "share", "the next rule is of the same type"
    app.button(key="remove-0").click().run()
    assert rules(project) == []


def test_enter_takes_one_value_and_never_all_that_match(draw: Any, mine: Any) -> None:
    """Streamlit offers "Select 2 matches" first: "male" and Enter would state the rule for "female" too."""
    app = draw(page, mine(schema=SCHEMA))
    app.selectbox(key="build-0-then-0-column").set_value("job").run()
    assert app.multiselect(key="build-0-then-0-job-is").proto.select_all == 0
