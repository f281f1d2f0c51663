"""The file is chosen, named and described, and its content does not come near the page."""

from pathlib import Path
from typing import Any

from synth.app.project import store as projects
from synth.app.project.store import Origin
from synth.core.schema import DateOrder, LineBreaks

CALLED, CANARY = "wards2019", "canary19"


PAGE = "schema.file.file schema.file.names"


def shown(app: Any) -> str:
    kinds = (app.markdown, app.warning, app.info, app.success, app.error)
    return " ".join(e.value for kind in kinds for e in kind)


def test_a_file_of_the_data_folder_is_taken_by_path(draw: Any, mine: Any, project_home: Path) -> None:
    (project_home / "tables" / f"{CALLED}.csv").write_text(f"a\n{CANARY}\n")
    project = mine(data="")
    app = draw(PAGE, project)
    app.text_input(key="table-form-0-path").set_value(f"{CALLED}.csv").run()
    app.button(key="use-file").click().run()
    assert not app.error
    assert projects.load(project.id).data.endswith(f"{CALLED}.csv")
    assert CANARY not in shown(app)
    assert f"A file in the data folder, **{CALLED}\\.csv**. It stays where it is." in shown(app)


def test_an_upload_is_moved_out_of_the_box(draw: Any, mine: Any) -> None:
    project = mine(data="")
    app = draw(PAGE, project)
    app.segmented_control(key="table-form-0-place").set_value("On this computer").run()
    content = f"a\n{CANARY}\n".encode()
    app.file_uploader(key="table-form-0-upload").upload(f"{CALLED}.csv", content, "text/csv").run()
    app.button(key="use-file").click().run()
    saved = projects.load(project.id)
    assert saved.origin is Origin.UPLOAD
    assert Path(saved.data).read_text() == f"a\n{CANARY}\n"
    assert Path(saved.data).stat().st_mode & 0o077 == 0
    assert CANARY not in shown(app)
    assert f"An uploaded file, **{CALLED}\\.csv**, kept" in shown(app)


def test_the_format_is_kept_as_soon_as_it_is_moved(draw: Any, mine: Any) -> None:
    project = mine(header=("a;b",))
    app = draw(PAGE, project)
    app.selectbox(key="format-1-delimiter").set_value(";").run()
    app.text_input(key="format-1-missing").set_value("?, none").run()
    app.selectbox(key="format-1-breaks").set_value(LineBreaks.SPLIT).run()
    app.selectbox(key="format-1-decimal").set_value(",").run()
    app.selectbox(key="format-1-dates").set_value(DateOrder.DAY_FIRST).run()
    app.toggle(key="format-1-header").set_value(False).run()
    saved = projects.load(project.id)
    assert saved.schema["file"] == {
        "header": False,
        "delimiter": ";",
        "line_breaks": "split",
        "decimal_sign": ",",
        "date_order": "day-month-year",
        "missing": ["", "?", "none"],
    }
    assert saved.header == ()


def test_a_workbook_has_a_sheet_and_what_is_above_and_below_its_table(
    draw: Any, mine: Any, project_home: Path
) -> None:
    path = project_home / "tables" / f"{CALLED}.xlsx"
    path.write_bytes(b"never opened here")
    app = draw(PAGE, project := mine(data=str(path)))
    assert not [box for box in app.selectbox if box.key == "format-1-delimiter"]
    app.text_input(key="format-1-sheet").set_value(" Daten ").run()
    app.number_input(key="format-1-skip").set_value(2).run()
    app.text_input(key="format-1-notes").set_value("Quelle:, Summe").run()
    declared = {"sheet": "Daten", "skip_lines": 2, "notes": ["Quelle:", "Summe"]}
    assert projects.load(project.id).schema["file"] == declared


def test_a_kind_that_is_not_read_is_refused_by_name(draw: Any, mine: Any, project_home: Path) -> None:
    (project_home / "tables" / f"{CALLED}.ods").write_text(CANARY)
    app = draw(PAGE, mine(data=""))
    app.text_input(key="table-form-0-path").set_value(f"{CALLED}.ods").run()
    app.button(key="use-file").click().run()
    assert "OpenDocument sheets are not supported" in shown(app) and CANARY not in shown(app)


def test_a_name_in_another_case_is_found_and_said(draw: Any, mine: Any) -> None:
    app = draw(PAGE, mine(header=("AGE", "ward")))
    assert "age (AGE)" in shown(app).replace("\\", "") and "not in the file" not in shown(app)
