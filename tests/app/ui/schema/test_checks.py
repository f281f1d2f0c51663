"""What columns still lack, and columns that can only be read."""

from typing import Any

from synth.app.project import store as projects
from tests.app.ui.schema.drawn import page


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
