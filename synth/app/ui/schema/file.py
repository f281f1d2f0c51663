"""The private file on the Columns page: its place, its format, and the names in its first line."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from synth.app.project import decisions, runs
from synth.app.project.describe import sources
from synth.app.project.describe.columns import split_values
from synth.app.project.store import Origin, Project
from synth.app.ui import guards, layout, state
from synth.app.ui import text as words
from synth.app.ui.text.schema import file as text
from synth.core.schema import FileFormat
from synth.core.system.address import DATABASE


def file(project: Project) -> None:
    """Show where the file is and what the steward calls it, and let the user choose another file."""
    st.header("The private file", anchor=False)
    if project.data:
        named = f", **{words.plain(project.called)}**" if project.called else ""
        unread = text.FILE_NAMES_READ if project.header else "It stays unread until the run starts."
        compared = "It has been compared with the columns." if sources.COMPARED in project.settled else unread
        st.markdown(
            f"{text.FILE_CHOSEN[sources.place_of(project)].format(named=named)} "
            f"{text.FILE_READ if runs.is_read(project) else compared}"
        )
    else:
        st.markdown("No file yet. You can describe the columns first.")
    label = "Choose another file" if project.data else "Choose the file"
    with st.expander(label, expanded=not project.data, icon=":material/folder_open:"):
        _choose(project)
    with st.expander("How the file is written", icon=":material/notes:"):
        _format(project)


def _choose(project: Project) -> None:
    key = state.generation("table-form")
    places = {place: place for place in (text.FILE_PATH, text.FILE_UPLOAD, "In a database")}
    place = layout.one_of("Where the table is", places, text.FILE_PATH, key=f"{key}-place")
    path, upload, table = "", None, ""
    if place == text.FILE_PATH:
        path = st.text_input(text.PATH_LABEL, help=text.PATH_HELP, key=f"{key}-path")
    elif place == text.FILE_UPLOAD:
        upload = st.file_uploader(
            text.UPLOAD_LABEL, sources.ENDINGS, help=text.UPLOAD_HELP, key=f"{key}-upload"
        )
    else:
        name = st.text_input("Name of the connection", help=text.CONNECTION_HELP, key=f"{key}-connection")
        st.caption(text.CONNECTION_NOTE)
        path = f"{DATABASE}{name.strip()}" if name.strip() else ""
    if sources.holds_tables(path, upload):
        table = st.text_input("Table name (DuckDB files with several tables)", key=f"{key}-table")
    if st.button("Use this file", icon=":material/check:", key="use-file"):
        with guards.shown():
            chosen = state.accept(sources.with_file(project, path=path, upload=upload, table=table))
            decisions.record_table(project, chosen, is_next=False)
            sources.delete_uploads(chosen)
            state.renew("table-form")
            st.rerun()


def _format(project: Project) -> None:
    """Draw the fields for the file format, and save each change immediately. A file with column types needs
    only the fields for blanks, numbers and dates, and a table in a database only the one for blanks.

    Streamlit keeps the value of a field as long as its key is the same. So if the format was changed
    elsewhere, for example by a dictionary, the fields get new keys. Otherwise they would overwrite it with
    the old format.
    """
    form, place = sources.format_of(project.schema), f"format-of-{project.id}"
    if state.kept(place) != form:
        state.renew("format")
    key, shown = state.generation("format"), ", ".join(token for token in form.missing if token)
    in_workbook = bool(project.data) and sources.is_workbook(project.data)
    is_typed = bool(project.data) and sources.tells_types(project.data) and not in_workbook
    if project.origin is Origin.DATABASE:
        st.caption(text.DATABASE_NOTE)
        given, right = form, st.container()
    elif is_typed:
        st.caption(text.TYPED_NOTE)
        given, right = _signs(form, key, *st.columns(2))
    else:
        st.caption(text.FORMAT_NOTE)
        given, right = _written(form, key, in_workbook=in_workbook)
        given = _beside(given, key)
    typed = right.text_input("Missing values", shown, help=text.MISSING_HELP, key=f"{key}-missing")
    given = replace(given, missing=form.missing if typed == shown else ("", *split_values(typed)))
    state.put({place: given})
    state.accept(sources.with_format(project, given))


def _beside(form: FileFormat, key: str) -> FileFormat:
    """Draw the fields for lines above the names and notes below the rows of a text file or workbook."""
    left, right = st.columns(2)
    label, note = "Lines above the names", text.SKIP_HELP
    skipped = left.number_input(label, 0, value=form.skip_lines, help=note, key=f"{key}-skip")
    shown = ", ".join(form.notes)
    typed = right.text_input("Notes begin with", shown, help=text.NOTES_HELP, key=f"{key}-notes")
    notes = form.notes if typed == shown else tuple(split_values(typed))
    return replace(form, skip_lines=int(skipped), notes=notes)


def _written(form: FileFormat, key: str, *, in_workbook: bool) -> tuple[FileFormat, DeltaGenerator]:
    """Draw the fields for the format of a text file or workbook. Return a container for the field on
    blanks.
    """
    header = st.toggle(text.HEADER_LABEL, form.header, help=text.HEADER_HELP, key=f"{key}-header")
    left, right = st.columns(2)
    if in_workbook:
        sheet = left.text_input("Sheet", form.sheet, help=text.SHEET_HELP, key=f"{key}-sheet")
        form = replace(form, sheet=sheet.strip())
    else:
        marks = list(dict.fromkeys([*text.DELIMITERS, form.delimiter]))
        delimiter = left.selectbox(
            "Separator",
            marks,
            index=marks.index(form.delimiter),
            format_func=lambda mark: text.DELIMITERS.get(mark, mark),
            key=f"{key}-delimiter",
        )
        form = replace(form, delimiter=delimiter or form.delimiter)
    form, blanks = _signs(replace(form, header=header), key, left, right)
    if not in_workbook:
        label, note = "Line breaks inside quotes", text.BREAKS_HELP
        breaks = layout.pick(label, text.BREAKS, form.line_breaks, help=note, key=f"{key}-breaks")
        form = replace(form, line_breaks=breaks)
    return form, blanks


def _signs(
    form: FileFormat, key: str, left: DeltaGenerator, right: DeltaGenerator
) -> tuple[FileFormat, DeltaGenerator]:
    """Draw the fields for the formats of numbers and dates. Return a container for the field on blanks."""
    blanks = right.container()
    signs, sign_key = text.DECIMALS, f"{key}-decimal"
    sign = layout.pick("Decimal sign", signs, form.decimal_sign, on=left, key=sign_key)
    dates_key, note = f"{key}-dates", text.DATES_HELP
    dates = layout.pick("Date format", text.DATES, form.date_order, on=right, help=note, key=dates_key)
    parted = {mark: shown for mark, shown in text.THOUSANDS.items() if mark != sign}
    mark_key, note = f"{key}-thousands-{sign}", text.THOUSANDS_HELP
    thousands = layout.pick("Thousands", parted, form.thousands, on=left, help=note, key=mark_key)
    first_year = right.number_input(
        "First of the two-digit years",
        min_value=1,
        max_value=9900,
        value=form.two_digit_years,
        help=text.YEARS_HELP,
        key=f"{key}-years",
    )
    years = int(first_year)
    given = replace(form, decimal_sign=sign, thousands=thousands, date_order=dates, two_digit_years=years)
    return given, blanks


def names(project: Project) -> None:
    """Show how the names in the first line of the file match the columns, once these names have been read."""
    in_file = sources.names_against(project)
    if in_file is None:
        return
    if not in_file.lacking and not in_file.surplus:
        st.success("The file and the declared columns have the same names.", icon=":material/done_all:")
    if in_file.respelled:
        pairs = [f"{declared} ({found})" for declared, found in in_file.respelled]
        st.info(text.RESPELLED.format(names=words.plain(words.some(pairs))), icon=":material/info:")
    if in_file.lacking:
        st.warning(
            text.NOT_IN_FILE.format(names=words.plain(words.some(in_file.lacking))), icon=":material/warning:"
        )
    if in_file.surplus:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(
                text.NOT_DECLARED.format(names=words.plain(words.some(in_file.surplus))),
                icon=":material/info:",
            )
            if st.button("Add them", icon=":material/add:", key="add-names"):
                state.accept(sources.with_added(project, in_file.surplus))
                state.renew("grid")
                st.rerun()
