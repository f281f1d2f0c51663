"""What columns still lack, and columns that can only be read."""

from __future__ import annotations

from typing import Any

from synth.app.project import store as projects
from tests.app.ui.schema.drawn import columns, page


def test_an_empty_list_is_asked_for_by_the_checks(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.text_area(key="panel-0-1-values").set_value("").run()
    assert "values" not in columns(project)["ward"]
    assert "ward" in app.info[0].value and not app.error


def test_looking_around_changes_nothing(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    for name in ("age", "ward", "note"):
        app.selectbox(key="panel-column").set_value(name).run()
    assert projects.load(project.id) == project
    assert "can be used" in app.success[0].value


def test_rules_that_name_a_column_that_is_gone_are_told_here_too(draw: Any, mine: Any) -> None:
    app = draw(page, mine(rules=("if town is a then age is 5",)))
    assert "do not fit these columns" in app.warning[0].value
    assert "can be used" in app.success[0].value
    assert not draw(page, mine(rules=("if ward is a then age is 5",))).warning


def test_columns_of_a_run_can_only_be_read(draw: Any, mine: Any) -> None:
    def read_only() -> None:
        from synth.app.ui import state
        from synth.app.ui.schema import checks

        project = state.current()
        assert project is not None
        checks.frozen(project)

    app = draw(read_only, mine(runs=("20240101-00000000",), drafting=False))
    assert "they are fixed" in app.info[0].value
    assert len(app.table) == 1 and not app.button
