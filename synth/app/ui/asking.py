"""Ask questions about a release package, show the map of its columns, and draw rows that meet conditions.

Everything here is computed from the package alone and uses no budget.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from synth.analyst.answers import LEVEL, Answer, Status
from synth.analyst.kit import Kit, open_release
from synth.analyst.rows import Drawn, read_table
from synth.app.figures import answers as figures
from synth.app.project.results.bundles import cached
from synth.app.ui import guards, layout
from synth.app.ui import text as words
from synth.app.ui.text import asking as text
from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.measurements.formula import Formula
from synth.core.schema import Kind, iso_day
from synth.release.csv_text import of_any

LEVELS = (0.8, 0.9, LEVEL, 0.99)
MOST_ROWS = 1_000_000

MOST_FILLED = 20_000
"""Maximum number of rows of a table whose blanks are filled on the page. A row takes about two
milliseconds.
"""


@cached(4)
def kit_of(folder: Path) -> Kit:
    """Open a release package for questions. Raises: `Mistake` if there is none."""
    return open_release(folder)


def section(kit: Kit) -> None:
    """Draw a question, the map, rows and blanks, each as a fragment that is redrawn separately."""
    st.fragment(_guarded(question), key="ask-section")(kit)
    st.fragment(_guarded(relations), key="map-section")(kit)
    st.fragment(_guarded(rows), key="conditions-section")(kit)
    st.fragment(_guarded(blanks), key="blanks-section")(kit)


def _guarded(draw: Any) -> Any:
    def drawn(kit: Kit) -> None:
        with guards.neutral():
            draw(kit)

    return drawn


def question(kit: Kit) -> None:
    """Let the user choose a question, and show the answer as a chart and in a sentence."""
    st.header("Ask a question (free)", anchor="ask", help=text.LEAD)
    formulas = tuple(formula for formula in kit.measured.spec.get("means", ()) if "~" in formula)
    kinds = {k: v for k, v in text.KINDS.items() if k != "regression" or formulas}
    axes = {axis.name: axis for axis in kit.measured.codebook.axes}
    titles = {name: axis.column.heading for name, axis in axes.items()}
    left, right = st.columns(2)
    kind = layout.pick(text.KIND_LABEL, kinds, on=left, key="ask-kind")
    level = right.select_slider(
        text.LEVEL_LABEL,
        LEVELS,
        LEVEL,
        format_func=words.share,
        help=text.LEVEL_HELP,
        key="ask-level",
    )
    try:
        found, names = _requested(kit, kind, axes, titles, formulas, level)
    except Mistake as mistake:
        st.info(words.plain(str(mistake)), icon=":material/info:")
        return
    if kind == "regression":
        layout.table(figures.coefficients(found, names))
    elif figures.is_drawn(found):
        layout.chart(figures.answers(found, names), key="ask-answer")
    missing = [answer for answer in found if answer.status is Status.REFUSED]
    for answer in found if len(found) <= 3 else missing[:1]:
        st.markdown(words.plain(answer.sentence))


def _requested(
    kit: Kit,
    kind: str,
    axes: dict[str, Axis],
    titles: dict[str, str],
    formulas: tuple[str, ...],
    level: float,
) -> tuple[tuple[Answer, ...], list[str]]:
    """Draw the fields for a kind of question, and return the answers with a name for each.

    Raises: `Mistake` if the question is incomplete.
    """
    if kind == "regression":
        formula = layout.pick(text.FORMULA_LABEL, {f: f for f in formulas}, key="ask-formula")
        slopes = kit.logistic if Formula.of(formula).is_logistic else kit.regression
        found = slopes(formula.strip().removeprefix("logistic "), level=level)
        return found, [answer.question for answer in found]
    groups = {"": text.ALL} | {name: titles[name] for name, axis in axes.items() if axis.labels}
    if kind == "count":
        by = layout.pick(text.BY_LABEL, groups, key="ask-by")
        others = {name: title for name, title in titles.items() if name != by}
        where = conditions(text.WHERE_LABEL, axes, others, key="ask-where")
        if not by:
            return (kit.count(where, level=level),), [_named(where, titles)]
        values = [None if value == text.BLANK else value for value in _listed(axes[by])]
        counts = tuple(kit.count({**where, by: value}, level=level) for value in values)
        return counts, _listed(axes[by])
    if kind == "share":
        where = conditions(text.SHARE_LABEL, axes, titles, key="ask-where")
        among = conditions(text.AMONG_LABEL, axes, titles, key="ask-among")
        return (kit.share(where, among=among, level=level),), [_named(where, titles)]
    ranged = {name: titles[name] for name, axis in axes.items() if not axis.labels}
    if not ranged:
        raise Mistake("No column has numbers or dates.")
    left, right = st.columns(2)
    column = layout.pick(text.COLUMN_LABEL, ranged, on=left, key="ask-column")
    if kind == "quantile":
        at = right.number_input(text.AT_LABEL, 0.01, 0.99, 0.5, 0.05, help=text.AT_HELP, key="ask-at")
        where = conditions(text.WHERE_LABEL, axes, titles, key="ask-where")
        return (kit.quantile(column, at, where, level=level),), [_named(where, titles)]
    by = layout.pick(text.BY_LABEL, groups, on=right, key="ask-by")
    where = {} if by else conditions(text.WHERE_LABEL, axes, titles, key="ask-where")
    answer = kit.mean(column, where, by=by or None, level=level)
    answers: tuple[Answer, ...] = answer if isinstance(answer, tuple) else (answer,)
    if not by:
        return answers, [_named(where, titles)]
    return answers, [answer.question.rpartition(f"{by} is ")[2] or answer.question for answer in answers]


def _named(where: dict[str, Any], titles: dict[str, str]) -> str:
    return ", ".join(titles[name] for name in where) or text.ALL


def conditions(label: str, axes: dict[str, Axis], titles: dict[str, str], *, key: str) -> dict[str, Any]:
    """Let the user choose columns and their values. Raises: `Mistake` if a column has no value."""
    names = layout.pick_several(label, titles, key=key, help=text.WHERE_HELP, placeholder=text.ALL)
    return {name: _values(axes[name], titles[name], key=f"{key}-{name}") for name in names}


def _values(axis: Axis, title: str, *, key: str) -> Any:
    if axis.labels:
        chosen = st.multiselect(title, _listed(axis), key=key)
        if not chosen:
            raise Mistake(text.NO_VALUE.format(column=title))
        return [None if value == text.BLANK else value for value in chosen]
    edges = list(axis.edges)
    low, high = st.select_slider(
        title,
        range(len(edges)),
        (0, len(edges) - 1),
        format_func=lambda place: _edge(axis, edges[place]),
        key=key,
    )
    if low == high:
        raise Mistake(text.NO_VALUE.format(column=title))
    if axis.column.kind is Kind.DECIMAL:
        return float(edges[low]), float(edges[high])
    ends = int(edges[low]), int(edges[high]) - 1
    return tuple(iso_day(end) for end in ends) if axis.column.kind is Kind.DATE else ends


def _listed(axis: Axis) -> list[str]:
    """Return the values that the user can choose for a column."""
    values = [axis.label(code) for code in range(axis.cells)]
    values += [axis.other] if axis.other is not None else []
    return values + ([text.BLANK] if axis.column.blank else [])


def _edge(axis: Axis, edge: float) -> str:
    return iso_day(int(edge)) if axis.column.kind is Kind.DATE else f"{edge:,g}"


def relations(kit: Kit) -> None:
    """Draw the map of the columns once its expander is open."""
    st.header("Relations and rows", anchor="map")
    fold = st.expander("Map of relations", icon=":material/hub:", on_change="rerun", key="open-map")
    if not fold.open:
        return
    with fold:
        figure = figures.relations(kit.kept())
        if len(kit.measured.domain) > figures.MOST_DRAWN:
            st.caption(text.MAP_TOO_WIDE.format(most=figures.MOST_DRAWN))
            layout.table(figure)
            return
        st.caption(text.MAP_NOTE)
        layout.chart(figure, key="map")


def rows(kit: Kit) -> None:
    """Offer synthetic rows that meet conditions as a download."""
    fold = st.expander(
        "Rows with conditions", icon=":material/filter_alt:", on_change="rerun", key="open-rows"
    )
    if not fold.open:
        return
    with fold:
        st.caption(text.ROWS_NOTE)
        axes = {axis.name: axis for axis in kit.measured.codebook.axes}
        titles = {name: axis.column.heading for name, axis in axes.items()}
        count = st.number_input(text.ROWS_LABEL, 1, MOST_ROWS, 1_000, key="rows-count", width=200)
        try:
            where = conditions(text.WHERE_LABEL, axes, titles, key="rows-where")
            if not st.button(text.ROWS_BUTTON, icon=":material/table_rows:", key="rows-draw"):
                return
            drawn = kit.rows(where, n=int(count))
        except Mistake as mistake:
            st.info(words.plain(str(mistake)), icon=":material/info:")
            return
        _offer(drawn, text.ROWS_DOWNLOAD, file="synthetic-rows.csv", key="rows-download")


def blanks(kit: Kit) -> None:
    """Fill the blanks of an uploaded table, and offer the result as a download. The table is not stored."""
    fold = st.expander("Fill blanks", icon=":material/edit_note:", on_change="rerun", key="open-blanks")
    if not fold.open:
        return
    with fold:
        st.caption(text.BLANKS_NOTE)
        given = st.file_uploader(text.BLANKS_LABEL, type="csv", key="blanks-file")
        if given is None or not st.button(text.BLANKS_BUTTON, icon=":material/edit_note:", key="blanks-fill"):
            return
        try:
            table = read_table(given.getvalue(), delimiter=kit.measured.codebook.schema.file.delimiter)
            if len(table) > MOST_FILLED:
                raise Mistake(text.TOO_LONG.format(rows=len(table), most=MOST_FILLED))
            filled = kit.impute(table)
        except Mistake as mistake:
            st.info(words.plain(str(mistake)), icon=":material/info:")
            return
        _offer(filled, text.BLANKS_DOWNLOAD, file="filled.csv", key="blanks-download", own=table)


def _offer(drawn: Drawn, label: str, *, file: str, key: str, own: pd.DataFrame | None = None) -> None:
    """Draw a sentence about the drawn rows, and a button that downloads them. `own` is the reader's table."""
    st.markdown(words.plain(drawn.sentence))
    st.download_button(
        label,
        data=of_any(drawn.table, own=own).encode(),
        file_name=file,
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=key,
    )
