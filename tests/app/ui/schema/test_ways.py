"""Columns come from a dictionary or from the names in a file."""

import json
from pathlib import Path
from typing import Any

from synth.app.project import store as projects
from tests.app.ui.schema.drawn import columns, page


def upload(app: Any, name: str, document: Any) -> Any:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    app.file_uploader(key="dictionary-0-dictionary").upload(name, raw, "application/json").run()
    return app


def test_a_dictionary_is_loaded_with_notes_on_what_it_lacks(draw: Any, mine: Any) -> None:
    project = mine(schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": []})
    app = draw(page, project)
    assert "No columns yet" in app.info[0].value and not app.error
    facts = {"n": {"sdtype": "numerical"}, "b": {"sdtype": "boolean"}, "m": {"sdtype": "email"}}
    upload(app, "meta.json", {"columns": facts})
    app.button(key="load-dictionary").click().run()
    assert "SDV metadata, 3 columns" in app.warning[0].value and "'n' lacks" in app.warning[0].value
    assert columns(project)["m"]["kind"] == "drop"
    assert "n" in app.info[-1].value and "needs a domain" in app.info[-1].value


def test_names_can_be_read_once_there_is_a_file_with_names(draw: Any, mine: Any, project_home: Path) -> None:
    assert draw(page, mine(data="")).button(key="read-names").disabled
    (project_home / "t.csv").write_text("age,ward,note\n5,canary-row-1,x\n")
    project = mine(data=str(project_home / "t.csv"))
    app = draw(page, project)
    app.button(key="read-names").click().run()
    assert projects.load(project.id).header == ("age", "ward", "note")
    (project_home / "t.csv").write_text("5,canary-row-1,x\n")
    app.button(key="read-names").click().run()
    assert "does not look like column names" in app.error[0].value
    assert "canary" not in app.error[0].value
