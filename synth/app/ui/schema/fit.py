"""Compare the private file with the columns.

Only the steward may see the findings, and each view is logged. The findings are stored in the project's
folder (0600) and read from there each time they are drawn. No session, cache or address contains them. Each
view is logged before it is shown, with the columns as they are at that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pandas as pd
import streamlit as st

from synth.app.jobs import runner
from synth.app.jobs.kinds import fitting
from synth.app.jobs.kinds.fitting import Fit
from synth.app.jobs.store import State, Task
from synth.app.project import decisions
from synth.app.project.describe.columns import entries_of
from synth.app.project.describe.sources import COMPARED
from synth.app.project.store import Project
from synth.app.ui import state, waiting
from synth.app.ui import text as words
from synth.app.ui.text.schema import checks as text
from synth.core.errors import Mistake

_REQUESTED = "fit-asked"


def fit(project: Project, *, ready: bool) -> None:
    """Draw the comparison in an expander. `ready` states that the columns are complete and a file is
    chosen.
    """
    with st.expander(text.FIT_OPEN, icon=":material/visibility:"), st.container(key="steward-room"):
        st.markdown(text.FIT_NOTE)
        if not ready:
            st.caption("Choose a file and complete the columns first.")
            return
        agreed = st.checkbox("I agree that the report states this", key="fit-agree")
        task = Task(project.folder / "fit", "fitting")
        last = runner.find_status(task)
        if st.button(
            "Compare again" if last else "Compare now",
            icon=":material/compare_arrows:",
            disabled=not agreed or (last is not None and not last.state.is_end),
            key="fit-start",
        ):
            with suppress(Mistake):  # another window was faster: its comparison is watched then
                runner.begin(task, fitting.order(schema=project.schema, data=project.data))
            state.put({_REQUESTED: True})
        if agreed and waiting.watch(task, key="fit", stages={"": text.FIT_RUNNING}) is State.DONE:
            _show(project, fitting.read(task))


def _show(project: Project, comparison: Fit) -> None:
    """Show a comparison and log this view. If the comparison is only redrawn, for example because a title has
    changed, it is not logged again.
    """
    if state.kept(_REQUESTED) or decisions.LOOKED_AT_FIT not in decisions.looks(project):
        decisions.record_look(project, decisions.LOOKED_AT_FIT)
        state.put({_REQUESTED: False})
    if comparison.of == fitting.digest_of(project.schema, project.data):
        state.tick(state.current() or project, COMPARED)
    else:
        st.warning(text.FIT_OLD, icon=":material/history:")
    entries = entries_of(project.schema)
    titles = {str(entry["name"]): str(entry.get("title") or entry["name"]) for entry in entries}
    bad = [titles.get(entry.column, entry.column) for entry in comparison.columns if not entry.is_good]
    if bad:
        st.warning(text.FIT_BAD.format(names=words.plain(words.some(bad))), icon=":material/warning:")
    else:
        st.success("All columns fit, or nearly so.", icon=":material/check_circle:")
    rows = _rows(comparison, titles)
    st.table(
        pd.DataFrame(rows).map(words.plain),
        hide_index=True,
        border="horizontal",
        alt=text.FIT_ALT.format(count=words.number_of(len(comparison.columns), "column")),
    )
    compared = {entry.column for entry in comparison.columns}
    left = [titles[e["name"]] for e in entries if e.get("buy") and e["name"] not in compared]
    if left:
        st.caption(text.FIT_ESTIMATED.format(names=words.plain(words.some(left))))


def _rows(comparison: Fit, titles: Mapping[str, str]) -> list[dict[str, str]]:
    """Return one row per column. If many columns have the same result, they share a row."""
    bands: dict[tuple[str, str], list[str]] = {}
    for one in comparison.columns:
        bands.setdefault((one.band, one.found), []).append(titles.get(one.column, one.column))
    rows = []
    for (band, found), names in bands.items():
        if len(names) > text.ALIKE:
            count = words.number_of(len(names), "column")
            names = [text.FIT_ALIKE.format(count=count, names=", ".join(names))]
        rows += [{text.FIT_COLUMN: name, text.FIT_BAND: band, text.FIT_FOUND: found} for name in names]
    return rows
