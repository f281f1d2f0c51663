"""The grid of columns.

Each cell is saved as soon as the steward leaves it, and keeps the typed text. With a fixed number of rows,
the grid of Streamlit 1.67 keeps its input even if its data changes. So the grid always gets the current
columns, and shows the meaning of a cell next to it immediately. The widget reports all input since it was
first drawn, and only new input is applied. If columns were changed elsewhere, or a cell differs from the
document, the widget is created again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import streamlit as st

from synth.app.project.describe import columns, rules
from synth.app.project.describe.columns import Document
from synth.app.project.store import Project
from synth.app.ui import state
from synth.app.ui import text as words
from synth.app.ui.text.schema import grid as text
from synth.core.errors import Mistake

_GRID = ("name", "holds", "kind", "bins", "blank", "weight", "source", "title")
_TALLEST = 20
"""Number of columns above which the grid scrolls."""
_LINE_PIXELS = 35
Cells = dict[tuple[int, str], Any]
"""The edited cells, by row (from 0) and column of the grid."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnGrid:
    """A grid as it was last drawn: its document, the names of its rows, and the cells that were already
    applied.

    `among` contains the requested columns, or is None for all. `mistake` states why a cell could not be
    applied.
    """

    document: Document
    names: tuple[str, ...]
    among: tuple[str, ...] | None
    taken: Cells = field(default_factory=dict)
    mistake: str = ""


def take(project: Project) -> Project:
    """Apply the input since the grid was drawn. Return the project, which is saved immediately if
    possible.
    """
    drawn: DrawnGrid | None = state.kept(_place(project))
    kept = state.kept(state.generation("grid"))
    if drawn is None or kept is None:
        return project
    typed = _cells(kept)
    new = {place: cell for place, cell in typed.items() if drawn.taken.get(place, _NOTHING) != cell}
    if not new:
        return project
    rows = {row["name"]: row for row in columns.rows_of(project.schema)}
    for (line, head), cell in new.items():
        name = drawn.names[line]
        if name in rows:
            rows[name] = {**rows[name], head: _value(head, cell)}
    try:
        changed = columns.with_rows(project.schema, list(rows.values()))
    except Mistake as mistake:
        state.put({_place(project): replace(drawn, mistake=str(mistake))})
        return project
    names = columns.renames(project.schema, list(rows.values()))
    is_alone = drawn.document == project.schema
    kept = rules.renamed(project, names) if names else project
    kept = state.accept(replace(kept, schema=changed))
    now = replace(
        drawn,
        document=dict(kept.schema) if is_alone else drawn.document,
        names=tuple(names.get(name, name) for name in drawn.names),
        taken=typed,
        mistake="",
    )
    state.put({_place(project): now})
    state.renew("panel")
    return kept


def draw(project: Project, among: tuple[str, ...] | None = None) -> bool:
    """Draw the grid of these columns, by default of all, and return whether some input cannot be saved."""
    place, now = _place(project), grid_of(project.schema, among)
    drawn: DrawnGrid | None = state.kept(place)
    kept = state.kept(state.generation("grid"))
    if (
        drawn is None
        or kept is None
        or (drawn.document, drawn.among) != (project.schema, among)
        or not _agree(now, drawn)
    ):
        if kept is not None:
            state.renew("grid")
        drawn = DrawnGrid(document=dict(project.schema), names=tuple(now["name"]), among=among)
        state.put({place: drawn})
    st.data_editor(
        now,
        key=state.generation("grid"),
        num_rows="fixed",
        hide_index=True,
        column_order=_GRID,
        column_config=_heads(),
        height=_LINE_PIXELS * (min(max(len(now), 1), _TALLEST) + 1) + 3,
        placeholder="",
        alt=text.GRID_TITLE,
    )
    if drawn.mistake:
        st.error(words.plain(drawn.mistake), icon=":material/error:")
    return bool(drawn.mistake)


_NOTHING = object()


def _place(project: Project) -> str:
    return f"grid-of-{project.id}"


def _cells(kept: Mapping[str, Any]) -> Cells:
    """Return the input of the widget by cell."""
    lines = kept["edited_rows"].items()
    return {(int(line), str(head)): cell for line, cells in lines for head, cell in cells.items()}


def _agree(now: pd.DataFrame, drawn: DrawnGrid) -> bool:
    """Return whether every typed cell agrees with the document. A domain may be written in another form."""
    return bool(drawn.mistake) or all(
        head == "holds" or _same(now[head].iloc[line], cell) for (line, head), cell in drawn.taken.items()
    )


def grid_of(document: Mapping[str, Any], among: Collection[str] | None = None) -> pd.DataFrame:
    """Return one row per column, as described in `columns.Row` and `_GRID`.

    The types do not depend on the content, because Streamlit creates the grid again if its types change.
    """
    rows = [row for row in columns.rows_of(document) if among is None or row["name"] in among]
    frame = pd.DataFrame([_labelled(row) for row in rows], columns=list(_GRID))
    types = {name: "string" for name in _GRID if name not in ("bins", "blank", "weight")}
    return frame.astype({**types, "bins": "Int64", "blank": "boolean", "weight": "Float64"})


def _labelled(row: columns.Row) -> dict[str, Any]:
    kind = None if row["kind"] is None else text.KINDS[row["kind"]]
    return {**row, "kind": kind, "source": row["source"].value}


def _value(head: str, cell: Any) -> Any:
    """Convert a cell to its value in a row. A label becomes its value, and an empty cell becomes None."""
    if cell is None or cell is pd.NA or cell != cell or (isinstance(cell, str) and not cell.strip()):
        return None
    if head == "kind":
        return text.KIND_OF.get(str(cell))
    return text.SOURCE_OF.get(str(cell)) if head == "source" else cell


def _same(one: Any, other: Any) -> bool:
    blank = [pd.isna(cell) or cell == "" for cell in (one, other)]
    return all(blank) if any(blank) else bool(one == other)


def _heads() -> dict[str, Any]:
    config = st.column_config
    return {
        "name": config.TextColumn(text.NAME_HEAD, help="As in the file.", width=124),
        "holds": config.TextColumn(text.HOLDS_HEAD, help=text.HOLDS_HELP, width=214),
        "kind": config.SelectboxColumn(
            text.KIND_HEAD, help=text.KIND_HELP, options=list(text.KIND_OF), width=120
        ),
        "bins": config.NumberColumn(text.BINS_HEAD, help=text.BINS_HELP, min_value=1, step=1, width=66),
        "blank": config.CheckboxColumn(text.BLANK_HEAD, help=text.BLANK_HELP, default=False, width=110),
        "weight": config.NumberColumn(
            text.WEIGHT_HEAD, help=text.WEIGHT_HELP, min_value=0, default=1.0, width=82
        ),
        "source": config.SelectboxColumn(
            text.SOURCE_HEAD,
            help=text.SOURCE_HELP,
            options=list(text.SOURCE_OF),
            default=text.STEWARD_SOURCE,
            width=126,
        ),
        "title": config.TextColumn(text.TITLE_HEAD, help="Display name in charts and in the report."),
    }
