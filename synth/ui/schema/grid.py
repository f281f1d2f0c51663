"""The grid of all columns: what is typed into it waits there until it is saved, whatever happens beside it.

A grid forgets what was typed into it when the frame it was given changes, and when its page is left. So the
session keeps three frames: the columns as they were when the grid was drawn (`drawn`), the frame the grid was
given (`base`), and what the steward has made of it (`typed`). Where the columns are others by now, the cells
that were typed are carried over to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from synth.errors import Mistake
from synth.project import columns, rules
from synth.project.store import Project
from synth.ui import state
from synth.ui import text as words
from synth.ui.text import schema as text

_GRID = ("was", "name", "kind", "low", "high", "bins", "blank", "source")
"""Columns of the grid; `was` is the name before the edit, hidden from the steward."""
_TALLEST = 16
"""Columns beyond which the grid scrolls."""
_LINE_PIXELS = 35


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnGrid:
    """A grid as it was last drawn; see the module. Frames as `grid_of` makes them."""

    drawn: pd.DataFrame
    base: pd.DataFrame
    typed: pd.DataFrame


def draw(project: Project) -> bool:
    """Draw the grid with its button; whether something typed waits to be saved."""
    key = state.generation("grid")
    now, place = grid_of(project.schema), f"{key}-of-{project.id}"
    base = _base(state.kept(place), state.kept(key), now)
    edited = st.data_editor(
        base,
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_order=_GRID[1:],
        column_config=_heads(),
        height=_LINE_PIXELS * (min(len(base), _TALLEST) + 2) + 3,
        placeholder="",
        alt=text.GRID_TITLE,
    )
    state.put({place: DrawnGrid(drawn=now, base=base, typed=edited)})
    try:
        changed = with_grid(project.schema, edited)
        unsaved = changed != with_grid(project.schema, now)
    except Mistake as mistake:
        st.error(words.plain(str(mistake)), icon=":material/error:")
        return True
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            text.SAVE_BUTTON,
            type="primary" if unsaved else "secondary",
            disabled=not unsaved,
            key="save-grid",
        )
        if unsaved:
            st.markdown(text.UNSAVED)
    if pressed:
        names = columns.renames(project.schema, _rows_in(edited))
        project = rules.renamed(project, names) if names else project
        state.accept(replace(project, schema=changed))
        state.renew("grid")
        st.rerun()
    return unsaved


def grid_of(document: Mapping[str, Any]) -> pd.DataFrame:
    """One line per column, every cell a text, a number or true and false; see `columns.Row` and `_GRID`."""
    return _grid_from([_labelled(row) for row in columns.rows_of(document)])


def _grid_from(lines: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Lines of the grid as the frame it takes."""
    frame = pd.DataFrame([dict(line) for line in lines], columns=list(_GRID))
    types = {name: "object" for name in _GRID if name not in ("bins", "blank")}
    return frame.astype({**types, "bins": "Int64", "blank": "boolean"})


def with_grid(document: Mapping[str, Any], edited: pd.DataFrame) -> columns.Document:
    """The document after an edit of its grid. Raises: `Mistake`, see `columns.with_rows`."""
    return columns.with_rows(document, _rows_in(edited))


def _labelled(row: columns.Row) -> dict[str, Any]:
    kind = None if row["kind"] is None else text.KINDS[row["kind"]]
    return {**row, "kind": kind, "source": row["source"].value}


def _rows_in(edited: pd.DataFrame) -> list[columns.Row]:
    """The lines of a frame as rows: labels as what they stand for, empty cells as None."""
    rows = []
    for line in edited.to_dict("records"):
        row = {str(name): None if _is_empty(cell) else cell for name, cell in line.items()}
        row["kind"], row["source"] = (
            text.KIND_OF.get(str(row["kind"])),
            text.SOURCE_OF.get(str(row["source"])),
        )
        rows.append(row)
    return rows


def _is_empty(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell != cell or (isinstance(cell, str) and not cell.strip())


def _base(before: DrawnGrid | None, edits: Mapping[str, Any] | None, now: pd.DataFrame) -> pd.DataFrame:
    """The frame to draw: the one drawn before for as long as it may be, else what was typed, carried over."""
    if before is None:
        return now
    if edits is None:  # the page was left meanwhile
        return carried(before.typed, before.drawn, now)
    if before.drawn.equals(now):
        return before.base
    return carried(applied(before.base, edits), before.drawn, now)


def applied(base: pd.DataFrame, edits: Mapping[str, Any]) -> pd.DataFrame:
    """A frame with the edits the grid's widget holds: cells by line, added lines, numbers of lines gone."""
    lines = [{str(name): cell for name, cell in line.items()} for line in base.to_dict("records")]
    for number, cells in edits["edited_rows"].items():
        lines[int(number)] |= cells
    kept = [line for number, line in enumerate(lines) if number not in edits["deleted_rows"]]
    return _grid_from([*kept, *edits["added_rows"]])


def carried(typed: pd.DataFrame, drawn: pd.DataFrame, now: pd.DataFrame) -> pd.DataFrame:
    """What was typed into a grid of the columns as `drawn`, in a grid of the columns as they are `now`.

    Cells that were typed stay typed, lines taken out stay out, new lines stay at the end; a line that was
    typed into and whose column is gone by now becomes a new one.
    """
    old, lines = _by_name(drawn), _by_name(now)
    given = [{str(k): v for k, v in line.items()} for line in typed.to_dict("records")]
    here = {line["was"] for line in given}
    kept = {was: line for was, line in lines.items() if was in here or was not in old}
    new = []
    for line in given:
        was = line["was"]
        own = old.get(was)
        if own is None:
            new.append({**line, "was": None})
            continue
        cells = {name: cell for name, cell in line.items() if not _same(cell, own[name])}
        if was in kept:
            kept[was] = {**kept[was], **cells}
        elif cells:
            new.append({**line, "was": None})
    return _grid_from([*kept.values(), *new])


def _by_name(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {line["was"]: {str(k): v for k, v in line.items()} for line in frame.to_dict("records")}


def _same(one: Any, other: Any) -> bool:
    return bool(
        (pd.isna(one) and pd.isna(other)) or (not pd.isna(one) and not pd.isna(other) and one == other)
    )


def _heads() -> dict[str, Any]:
    config = st.column_config
    return {
        "name": config.TextColumn(text.NAME_HEAD, help=text.NAME_HELP, width=160),
        "kind": config.SelectboxColumn(text.KIND_HEAD, help=text.KIND_HELP, options=list(text.KIND_OF)),
        "low": config.TextColumn(text.LOW_HEAD, help=text.LOW_HELP, width=105),
        "high": config.TextColumn(text.HIGH_HEAD, help=text.HIGH_HELP, width=105),
        "bins": config.NumberColumn(text.BINS_HEAD, help=text.BINS_HELP, min_value=1, step=1, width="small"),
        "blank": config.CheckboxColumn(text.BLANK_HEAD, help=text.BLANK_HELP, default=True, width="small"),
        "source": config.SelectboxColumn(
            text.SOURCE_HEAD,
            help=text.SOURCE_HELP,
            options=list(text.SOURCE_OF),
            default=text.STEWARD_SOURCE,
        ),
    }
