"""Panels of the private evaluation. NOT PRIVATE: tables are plain text, and no file is offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from synth.app.figures import steward as figures
from synth.app.figures.atlas import atlas as map_of
from synth.app.figures.atlas import dots
from synth.app.figures.words import distance
from synth.app.jobs.spec import MAP_ROWS, MOST_RUNS, REAL
from synth.app.project import journey
from synth.app.project.results import bundles, released, steward
from synth.app.project.results.steward import Revealed
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.app.ui import guards, layout, state, waiting
from synth.app.ui import text as words
from synth.app.ui.results import panels as results_panels
from synth.app.ui.text import steward as text
from synth.app.ui.text.compare import UNMAPPED
from synth.core.numbers import TIMES, share_at_most
from synth.core.schema import Schema
from synth.evaluate.findings import EXCLUDED, Findings


def gate(project: Project) -> None:
    """Explain the private evaluation, and draw the button that opens it and logs the access."""
    with st.container(border=True, key="steward-gate"):
        st.subheader("Before you open it", anchor=False)
        st.markdown(text.GATE)
        if st.button("Open and log access", type="primary", icon=":material/visibility:", key="open-steward"):
            state.accept(journey.settle(project, steward.STEP))
            st.rerun()


def order(project: Project, schema: Schema, runs: tuple[SyntheticTable, ...]) -> None:
    """Draw the form that asks which runs to compare and which columns to predict."""
    labels = {one.run: one.label for one in runs}
    first = steward.default_runs(runs, first=results_panels.shown_last(runs))
    note = "Up to eight at once. They share one map."
    chosen = layout.pick_several(
        "Runs", labels, first, max_selections=MOST_RUNS, help=note, key="steward-runs"
    )
    titles = {column.name: column.heading for column in schema.modelled}
    left, right = st.columns(2, gap="medium")
    targets = layout.pick_several(
        "Columns to predict (optional)",
        titles,
        steward.default_targets(schema),
        on=left,
        max_selections=steward.MOST_TARGETS,
        help=text.TARGETS_HELP,
        key="steward-targets",
    )
    held_out = right.text_input(text.HELD_OUT_LABEL, help=text.HELD_OUT_HELP, key="steward-held-out")
    mapped = st.toggle("Draw the map", value=True, help=text.MAP_HELP, key="steward-mapped")
    rows = waiting.map_rows(len(chosen) + 1, key="steward-map-rows") if mapped else MAP_ROWS
    if st.button("Compare", type="primary", icon=":material/compare_arrows:", key="start-steward"):
        in_order = [run for run in labels if run in chosen]
        with guards.shown():
            steward.begin(project, in_order, targets=targets, held_out=held_out, mapped=mapped, rows=rows)
            st.rerun()


def comparison(
    project: Project, schema: Schema, runs: tuple[SyntheticTable, ...], revealed: Revealed
) -> None:
    """Show all findings of one comparison."""
    shown = [one for one in runs if one.run in revealed.findings]
    missing = [one.name for one in runs if one.run not in revealed.findings]
    if missing:
        st.info(text.NEWER.format(names=words.plain(", ".join(missing))), icon=":material/info:")
    if schema.protects.is_capped:
        st.info(text.capped(schema.unit), icon=":material/filter_alt:")
    _side_by_side({one.label: revealed.findings[one.run] for one in shown}, public=schema.file_is_public)
    st.header("Map of the rows", anchor=False)
    _atlas(revealed, shown)
    one = _choose(shown, first=results_panels.shown_last(runs))
    findings, axes = revealed.findings[one.run], bundles.evidence_of(one.folder).codebook.axes
    titles = {axis.name: axis.column.heading for axis in axes}
    labels = {axis.name: released.labels_of(axis, None) for axis in axes}
    if findings.excluded:
        st.info(EXCLUDED.format(share=share_at_most(findings.excluded)), icon=":material/info:")
    st.header("Columns", anchor=False)
    _columns(findings, labels, titles)
    st.header("Pairs of columns", anchor=False, help=text.PAIR_NOTE)
    if findings.pairs:
        layout.chart(figures.pairs(findings.pairs, titles), key="steward-pairs")
        _pair(findings, labels, titles)
    else:
        st.caption("The table has one column, so there are no pairs.")
    for group in findings.groups:
        st.header(group.title, anchor=False, help=group.note)
        with st.container(horizontal=True):
            for single in group.figures:
                percent = figures.NOT_REQUESTED if single.value is None else distance(single.value)
                st.metric(single.title, percent, border=True, help=single.help)
    tested = text.PREDICT_NOTE[findings.scores[0].apart] if findings.scores else None
    st.header("Prediction", anchor=False, help=tested)
    if findings.scores:
        layout.chart(figures.scores(findings.scores, titles), key="steward-scores")
    else:
        st.caption("No column was chosen to predict. Compare again and choose one.")
    if st.button(text.FORGET_BUTTON, icon=":material/delete:", help=text.FORGET_HELP, key="forget-steward"):
        steward.study_of(project).forget()
        st.rerun()


def _choose(shown: list[SyntheticTable], *, first: str) -> SyntheticTable:
    """Let the user choose the table whose columns are shown. The default is `first`, or the first one
    compared.
    """
    if len(shown) == 1:
        return shown[0]
    names = {one.run: one.name for one in shown}
    default = first if first in names else shown[0].run
    picked = layout.one_of("Run shown below", names, default, key="steward-shown")
    return next(one for one in shown if one.run == picked)


def _side_by_side(by_label: Mapping[str, Findings], *, public: bool) -> None:
    """Show the size of the equivalent random sample for each run, and the table of runs."""
    st.header("Runs side by side", anchor=False)
    st.markdown(text.PUBLIC_KIND if public else text.PRIVATE_KIND)
    layout.table(figures.side_by_side(by_label))
    st.caption('Lower is better, except "equivalent random sample".', help=text.SIDE_HELP)


def _columns(findings: Findings, labels: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> None:
    """Show the distances of all columns, and then the real and synthetic distribution of one column."""
    layout.chart(figures.distances(findings.columns, titles), key="steward-distances")
    by_name = {column.name: column for column in findings.columns}
    picked = st.selectbox(
        "Column, worst first",
        list(by_name),
        format_func=lambda name: f"{titles[name]} ({distance(by_name[name].tvd)})",
        key="steward-column",
        width=360,
    )
    overlay = figures.overlay(by_name[picked], labels[picked], titles[picked])
    layout.chart(overlay, key="steward-overlay")


def _pair(findings: Findings, labels: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> None:
    """Show the real and synthetic distribution of one pair. The worst pairs are listed first."""
    shown = {(one.left, one.right): one for one in findings.pairs if one.real}
    if not shown:
        return
    picked = st.selectbox(
        "Pair, worst first",
        list(shown),
        format_func=lambda pair: f"{titles[pair[0]]}{TIMES}{titles[pair[1]]} ({distance(shown[pair].tvd)})",
        key="steward-pair",
        width=480,
    )
    apart = layout.one_of("Show", text.ONE_PAIR_WAYS, False, key="steward-pair-apart")
    layout.chart(figures.pair(shown[picked], labels, titles, apart=apart), key="steward-pair-chart")
    down, across = (titles[name] for name in picked)
    st.caption(text.one_pair_note(down, across, len(shown), len(findings.pairs)))


def _atlas(revealed: Revealed, shown: list[SyntheticTable]) -> None:
    """Show the joint map, with the contour lines of the real table over every run."""
    if revealed.atlas is None:
        st.caption("There is no map. Compare again with the map switched on.")
        return
    layout.picture(map_of(revealed.atlas, shown, real=REAL), key="steward-map")
    note = text.MAP_NOTE.format(rows=f"{revealed.atlas.rows:,}")
    st.caption(note, help=text.MAP_HELP.format(dots=f"{dots(revealed.atlas):,}"))
    if revealed.unmapped:
        apart = [one.name for one in shown if one.run in revealed.unmapped]
        st.caption(UNMAPPED.format(names=words.plain(", ".join(apart))))
