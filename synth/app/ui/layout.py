"""Lay out every page: the title, the summary line, the privacy badge, and charts with their tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from synth.app.figures.figure import Figure
from synth.app.project import decisions, journey, runs
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.app.ui import guards, guide, state, text
from synth.app.ui.text import frame as steps
from synth.app.ui.text.budget import requested
from synth.app.ui.text.frame import CATCH_UP
from synth.app.ui.text.project import WATERMARK
from synth.core.schema import Kind, Provenance, Schema
from synth.core.system.places import program

T = TypeVar("T")
_DAY = re.compile(r"(\d{4}\\?-)(\d\d\\?-)(\d\d)")
_WHOLE_DAY = "\\1\N{WORD JOINER}\\2\N{WORD JOINER}\\3"
"""Pattern of a date in Markdown text, and its replacement without possible line breaks."""
_PLOT = {"displayModeBar": False, "responsive": True}


def header(title: str, lead: str = "") -> None:
    """Show the title, the purpose of the page, and the message from the last page.

    The message is shown once. Its container stays afterwards, because Streamlit closes an expander that
    moves.
    """
    guards.require()
    st.title(title, anchor=False)
    if lead:
        st.markdown(lead)
    said, left = st.container(), state.notice()
    if left:
        sentence, careful = left
        say, icon = (said.warning, "info") if careful else (said.success, "check_circle")
        say(sentence, icon=f":material/{icon}:")
    project = state.current()
    if project is not None and project.rehearsal:
        st.warning(WATERMARK, icon=":material/theater_comedy:")


def overtaken(title: str) -> None:
    """State that another window changed the project, and draw a button that reloads the page."""
    st.title(title, anchor=False)
    sentences = "\n\n".join(state.overtaken())
    st.warning(text.plain(sentences), icon=":material/sync_problem:")
    st.button(CATCH_UP, type="primary", icon=":material/refresh:", on_click=state.catch_up, key="catch-up")


def enter(name: str, *, lead: str) -> Project | None:
    """Draw the top of a step's page, and return the project if the step is open.

    If the step is locked, show what is missing, with a link, and return None. The page must then draw nothing
    else.
    """
    header(journey.BY_NAME[name].title, lead)
    project = state.current()
    station = journey.station_of(name, project)
    if station.leads_to is not None:
        step = station.leads_to
        locked(steps.MISSING[station.missing], step.page, f"Go to {step.title}")
        return None
    guide.show(name, project)
    return project


def onward(project: Project, name: str, *, disabled: bool = False, why: str | None = None) -> None:
    """Draw the button that confirms a step and opens the next unfinished one.

    While another run is being prepared, the Run step counts as unfinished. `why` explains a disabled button.
    """
    met = journey.facts_of(project) - ({"run"} if project.drafting else set()) | {name}
    step = journey.next_open(met, after=name) or journey.next_open(met)
    if step is None or not st.button(
        f"Next: {step.title}",
        type="primary",
        icon=":material/arrow_forward:",
        disabled=disabled,
        help=why,
        key=f"next-{name}",
    ):
        return
    state.accept(journey.settle(project, name))
    visit(project, step.name)


def visit(project: Project, name: str) -> None:
    """Open the page of another step."""
    st.switch_page(journey.BY_NAME[name].page, query_params={"p": project.id})


def summary(project: Project, schema: Schema | None = None) -> None:
    """Show the earlier choices in one line, with a badge for whether private data has been read."""
    _summary(project, text.summary(project, schema))


def summary_of(project: Project, shown: SyntheticTable) -> None:
    """Show the settings of this table, and how those of the run in preparation differ."""
    _summary(project, text.summary_of(project, shown), is_of_run=True)
    differing = runs.differences(project, shown.source)
    if differing:
        st.caption(text.DRAFT_DIFFERS.format(what=requested(differing)))


def _summary(project: Project, line: str, *, is_of_run: bool = False) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="summary"):
        st.markdown(_DAY.sub(_WHOLE_DAY, line), width="stretch")
        if not project.rehearsal and _is_read_from_file(project):
            st.markdown(text.NO_GUARANTEE, width="content")
        st.markdown(_chip(project, is_of_run=is_of_run), width="content")


def _chip(project: Project, *, is_of_run: bool) -> str:
    """Return a badge that states how the private table has been read: the present table, or for pages about a
    run any table of the project.

    If the private evaluation was opened, the badge states only this.
    """
    looks = decisions.all_looks(project) if is_of_run else decisions.looks(project)
    is_read = is_of_run or runs.is_read(project)
    if project.rehearsal:
        return ":green-badge[:material/theater_comedy: Private data: none in a practice run]"
    if looks - {decisions.LOOKED_AT_FIT}:
        return ":red-badge[:material/visibility: Private data: private evaluation opened]"
    if looks:
        return text.READ_FIT_AND_RUN if is_read else text.READ_FIT
    return text.READ_RUN if is_read else ":green-badge[:material/lock: Private data: not read]"


def _is_read_from_file(project: Project) -> bool:
    """Return whether the domain of a column was read from the rows, so that no guarantee covers it."""
    read = Provenance.READ_FROM_FILE.value
    columns = project.schema.get("columns") or []
    return any(c.get("provenance") == read and c.get("kind") != Kind.DROP.value for c in columns)


def one_of(label: str, words: Mapping[T, str], default: T | None = None, *, key: str, **more: Any) -> T:
    """Show labelled choices in a row, of which exactly one is selected. `more` is passed to Streamlit."""
    chosen: Any = st.segmented_control(
        label,
        list(words),
        default=default,
        format_func=words.__getitem__,
        required=True,
        key=key,
        **more,
    )
    return cast(T, chosen)


def distinct(words: Mapping[T, str]) -> dict[T, str]:
    """Return the labels of choices, with a number behind those that several choices have.

    >>> distinct({"a": "Age", "b": "Age", "c": "Sex"})
    {'a': 'Age (1)', 'b': 'Age (2)', 'c': 'Sex'}
    """
    several = {label for label, number in Counter(words.values()).items() if number > 1}
    met: Counter[str] = Counter()
    found = {}
    for name, label in words.items():
        met[label] += 1
        found[name] = f"{label} ({met[label]})" if label in several else label
    return found


def pick(
    label: str, words: Mapping[T, str], start: T | None = None, *, on: Any = st, key: str, **more: Any
) -> T:
    """Show a list of labelled choices, with `start` or the first one selected. `more` is passed to
    Streamlit.
    """
    names, words = list(words), distinct(words)
    first = 0 if start is None or start not in words else names.index(start)
    return cast(T, on.selectbox(label, names, first, format_func=words.__getitem__, key=key, **more))


def pick_several(
    label: str, words: Mapping[T, str], start: Iterable[T] = (), *, on: Any = st, key: str, **more: Any
) -> list[T]:
    """Show a list of labelled choices, of which any number can be selected. `more` is passed to Streamlit."""
    words = distinct(words)
    chosen = on.multiselect(label, list(words), start, format_func=words.__getitem__, key=key, **more)
    return cast(list[T], chosen)


def drawing(name: str, *, alt: str) -> None:
    """Draw a picture from `assets` with the alternative text `alt`. Its colours suit both themes."""
    st.image(str(program() / "assets" / f"{name}.svg"), alt=alt)


def locked(why: str, page: str, label: str) -> None:
    """Show an otherwise empty page that states what is missing, with a link to the page that provides it."""
    with st.container(border=True):
        st.markdown(f":material/lock: {why}")
        st.page_link(page, label=label, icon=":material/arrow_forward:")


def _public(figure: Figure) -> Figure:
    """Return the figure if its selections may be stored. Raises: `ValueError` if it is confidential."""
    if figure.confidential:
        raise ValueError(
            "Nothing can be selected in a confidential figure: show it with `chart` or `picture`."
        )
    return figure


def _marks(figure: Figure) -> Any:
    """Return the marks with the current theme, so that the figure is redrawn when the theme changes."""
    if figure.marks is not None:
        figure.marks.update_layout(meta=st.context.theme.type)
    return figure.marks


def picture(figure: Figure, *, key: str) -> None:
    """Draw a figure with its description for screen readers."""
    st.plotly_chart(_marks(figure), config=_PLOT, key=key, alt=figure.words)


def pressed(figure: Figure, *, key: str, on_press: Callable[[list[str]], None]) -> None:
    """Draw a figure whose marks can be clicked. `on_press` gets the data of the mark before the page is
    redrawn.

    Raises: `ValueError` for a confidential figure.
    """
    marks = _marks(_public(figure))

    def tell() -> None:
        points = state.kept(key).selection.points
        if points and points[0].get("customdata"):
            on_press(points[0]["customdata"])

    st.plotly_chart(marks, config=_PLOT, key=key, alt=figure.words, on_select=tell, selection_mode="points")


def list_of(figure: Figure, *, key: str, on_pick: Callable[[int], None]) -> None:
    """Show the table of a figure in an expander, where one row can be selected. `on_pick` gets its number.

    Raises: `ValueError` for a confidential figure.
    """
    table = _public(figure).table

    def tell() -> None:
        rows = state.kept(key).selection.rows
        if rows:
            on_pick(rows[0])

    fold = _table_below(key)
    if fold is None:
        return
    with fold:
        st.dataframe(
            table,
            hide_index=True,
            alt=figure.words,
            key=key,
            on_select=tell,
            selection_mode="single-row",
        )


def _table_below(key: str) -> DeltaGenerator | None:
    """Return the expander for the table of a figure if it is open, otherwise None.

    The grid is drawn only in an open expander, because a browser needs more time to load its code than for
    the rest of a page.
    """
    fold = st.expander("The same as a table", icon=":material/table:", on_change="rerun", key=f"{key}-fold")
    return fold if fold.open else None


def chart(figure: Figure, *, key: str) -> None:
    """Draw a figure, and its numbers as a table.

    Confidential numbers are shown as plain text, because a grid could be copied or saved to a file.
    """
    picture(figure, key=key)
    fold = _table_below(key)
    if fold is None:
        return
    with fold:
        if figure.confidential:
            st.table(figure.table.map(text.plain), hide_index=True, border="horizontal", alt=figure.words)
        else:
            st.dataframe(figure.table, hide_index=True, alt=figure.words, key=f"{key}-table")


def table(figure: Figure, *, header: bool = True) -> None:
    """Show only the table of a figure, with cells in Markdown."""
    st.table(figure.table, hide_index=True, hide_header=not header, border="horizontal", alt=figure.words)
