"""Panels of the compare page: the choice of runs, the table, one column in parallel, the map."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from synth.figures import compare as figures
from synth.figures.atlas import atlas as map_of
from synth.figures.atlas import dots
from synth.jobs.study import MOST_RUNS
from synth.project import compare
from synth.project.compare import Standing
from synth.project.runs import SyntheticTable
from synth.project.store import Project
from synth.ui import layout, login, studies
from synth.ui import text as words
from synth.ui.text import compare as text


def choose(runs: Sequence[SyntheticTable]) -> list[SyntheticTable]:
    """The runs to compare; the newest unless others are picked."""
    labels = {one.run: one.label for one in runs}
    chosen = st.multiselect(
        text.RUNS_LABEL,
        list(labels),
        list(labels)[-MOST_RUNS:],
        format_func=labels.__getitem__,
        max_selections=MOST_RUNS,
        help=text.RUNS_HELP,
        key="compare-runs",
    )
    return [one for one in runs if one.run in chosen]


def kind(*, rehearsal: bool) -> None:
    """Which of the four comparisons this is."""
    with st.container(border=True, key="compare-kind"):
        st.markdown(f":material/balance: {text.KIND}")
        if rehearsal:
            st.markdown(text.PUBLIC_NOTE)
        with st.expander(text.KINDS_MORE):
            st.markdown(text.KINDS)


def table(standings: Sequence[Standing], counted: str) -> None:
    """Runs as rows, questions as columns."""
    layout.table(figures.standings(standings, counted))
    columns, pairs = standings[0].columns, standings[0].pairs
    st.caption(
        text.TABLE_NOTE.format(
            columns=0 if columns is None else columns.marginals,
            pairs=0 if pairs is None else pairs.marginals,
            confidence=words.share(standings[0].release.confidence),
        )
    )
    if pairs is None:
        st.caption(text.NO_PAIRS)


def column(standings: Sequence[Standing]) -> None:
    """Small multiples of one column."""
    titles = {view.name: view.title for view in standings[-1].release.columns}
    chosen = st.selectbox(
        text.COLUMN_LABEL, list(titles), format_func=titles.__getitem__, key="compare-column", width=320
    )
    alike, apart = compare.same_column(standings, chosen)
    layout.chart(figures.column(alike), key="compare-column-chart")
    st.caption(text.COLUMN_NOTE)
    if apart:
        names = ", ".join(one.name for one in apart)
        st.caption(text.OTHER_LABELS.format(names=words.plain(names)))


def atlas(project: Project, runs: Sequence[SyntheticTable], chosen: Sequence[SyntheticTable]) -> None:
    """The map of synthetic tables: ordered by a button, drawn by a process, shown when it is there."""
    st.markdown(text.MAP_LEAD)
    state = studies.watch(compare.map_of(project), stages=text.STAGES, key="compare-map-study")
    latest = compare.drawn_map(project)
    if latest is not None:
        drawn, unmapped = latest
        on_it = [one for one in runs if any(sheet.name == one.run for sheet in drawn.sheets)]
        layout.picture(map_of(drawn, on_it), key="compare-map")
        st.caption(text.MAP_NOTE.format(rows=f"{drawn.rows:,}", dots=f"{dots(drawn):,}"))
        if unmapped:
            names = ", ".join(one.name for one in runs if one.run in unmapped)
            st.caption(text.UNMAPPED.format(names=words.plain(names)))
    if (state is not None and not state.is_end) or not login.current().owns(project):
        return
    rows = studies.map_rows(len(chosen), key="compare-map-rows")
    label = text.MAP_BUTTON if latest is None else text.MAP_AGAIN
    if st.button(label, icon=":material/scatter_plot:", key="draw-map"):
        compare.draw_map(project, chosen, rows=rows)
        st.rerun()
