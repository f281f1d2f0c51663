"""Panels of the Compare page: the runs, the table, one column, one pair and the map."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from synth.app.figures import compare as figures
from synth.app.figures.atlas import atlas as map_of
from synth.app.figures.atlas import dots
from synth.app.jobs.spec import MOST_RUNS
from synth.app.project.results import compare, released
from synth.app.project.results.compare import Standing
from synth.app.project.runs import SyntheticTable, seconds_of, started
from synth.app.project.store import Project
from synth.app.ui import layout, login, waiting
from synth.app.ui import text as words
from synth.app.ui.results.pairs import choose as choose_pair
from synth.app.ui.text import compare as text
from synth.core.errors import Mistake
from synth.core.request import CONFIDENCE
from synth.release.verdict.sentences import USES

_PANELS = 9
"""Maximum number of columns drawn as small multiples. The columns with the largest differences are drawn."""


def choose(runs: Sequence[SyntheticTable]) -> list[SyntheticTable]:
    """Let the user choose the tables to compare. By default, the tables of runs come before further tables,
    and newer tables before older ones.
    """
    labels, note = {one.run: one.label for one in runs}, text.RUNS_HELP
    first = {one.run for one in sorted(reversed(runs), key=lambda one: bool(one.generator))[:MOST_RUNS]}
    offered = [run for run in labels if run in first]
    chosen = layout.pick_several(
        "Runs to compare", labels, offered, max_selections=MOST_RUNS, help=note, key="compare-runs"
    )
    return [one for one in runs if one.run in chosen]


def table(standings: Sequence[Standing]) -> None:
    """Draw a table with a row per run and a column per metric, and state which differences are real."""
    layout.table(figures.standings(standings))
    confidence = words.share(standings[0].release.confidence)
    said = [text.gaps(title, found) for use, title in USES.items() if (found := compare.gaps(standings, use))]
    if said:
        layout.chart(figures.errors(standings), key="compare-errors")
        st.markdown(
            "\n".join(f"- {line}" for line in said), help=text.TABLE_HELP.format(confidence=confidence)
        )
    else:
        st.info(text.UNMEASURED, icon=":material/info:")


def column(standings: Sequence[Standing]) -> None:
    """Draw one column as small multiples, one for each run."""
    titles = {view.name: view.title for view in standings[-1].release.columns}
    chosen = layout.pick("Column", titles, key="compare-column", width=320)
    alike, apart = compare.same_column(standings, chosen)
    layout.chart(figures.column(alike), key="compare-column-chart")
    st.caption("Diamonds: noisy measurements of each run, with their noise.")
    if apart:
        names = ", ".join(one.name for one in apart)
        st.caption(text.OTHER_LABELS.format(names=words.plain(names)))


def tradeoff(runs: Sequence[SyntheticTable], chosen: Sequence[SyntheticTable]) -> None:
    """Draw the error of pairs against epsilon and against time, for all runs that measured it."""
    known = [(s.run, error) for s in compare.standings(runs) if (error := s.mean("pairs")) is not None]
    if len(known) < text.FEWEST_DRAWN:
        return
    st.header("Error, epsilon and time", anchor=False)
    figure = figures.tradeoff(
        known,
        {one.run: seconds_of(one) for one, _ in known},
        chosen=[one.run for one in chosen],
        confidence=CONFIDENCE,
    )
    layout.chart(figure, key="compare-tradeoff")
    st.caption(text.TRADEOFF_NOTE, help=text.TRADEOFF_HELP)


def apart(standings: Sequence[Standing]) -> None:
    """Draw the columns in which runs differ by more than the noise, as small multiples."""
    names = compare.differing_columns(standings)
    st.markdown(text.apart(len(names), len(standings[-1].release.columns), shown=_PANELS))
    if names:
        views = [compare.same_column(standings, name)[0] for name in names[:_PANELS]]
        layout.chart(figures.apart(views), key="compare-apart")


def pair(standings: Sequence[Standing]) -> None:
    """Draw one pair for every run, or the differences from one of the runs."""
    newest = standings[-1].release
    if not newest.pairs:
        return
    st.header("One pair", anchor="pair")
    first = newest.pairs[0].clique
    clique = choose_pair(
        {view.name: view.title for view in newest.columns}, first=(first[0], first[1]), prefix="compare-pair"
    )
    if clique is None:
        return
    alike, apart = compare.same_pair(standings, clique)
    if alike:
        names = {"Each run": None} | {f"Difference to {run.name}": run.run for run, _ in alike}
        chosen = st.selectbox("Show", list(names), key="compare-pair-against", width=420)
        layout.chart(figures.pair(alike, against=names[chosen]), key="compare-pair-chart")
        bound = alike[0][1].bound
        bounds = {words.plain(run.name): view.bound for run, view in alike}
        st.caption(text.pair_note(bounds, down=bound.left, across=bound.right))
    if apart:
        left_out = ", ".join(one.name for one in apart)
        st.caption(text.OTHER_LABELS.format(names=words.plain(left_out)))


def drift(project: Project, runs: Sequence[SyntheticTable]) -> None:
    """Show what changed between two releases that each have their own measurements."""
    known = compare.packages(runs, [order for order, _ in started(project.runs)])
    if len(known) < 2:
        return
    st.header("Drift", anchor="drift", help=text.DRIFT_LEAD)
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    before = layout.pick("Earlier", known, list(known)[-2], on=left, key="compare-drift-before")
    after = layout.pick("Later", known, list(known)[-1], on=middle, key="compare-drift-after")
    is_population = right.toggle(text.POPULATION, help=text.POPULATION_HELP, key="compare-drift-population")
    if before == after:
        st.info(text.SAME_PACKAGE, icon=":material/info:")
        return
    try:
        found = compare.drift_of(before, after, is_population=is_population)
    except Mistake as mistake:
        st.info(words.plain(str(mistake)), icon=":material/info:")
        return
    titles = {view.name: view.title for view in released.read(runs[-1].folder).columns}
    st.markdown(words.plain(found.sentence), help=text.DRIFT_HELP)
    layout.chart(figures.drift(found, titles), key="compare-drift")


def atlas(project: Project, runs: Sequence[SyntheticTable], chosen: Sequence[SyntheticTable]) -> None:
    """Draw the map of the synthetic tables. A button starts a separate process that computes it."""
    st.markdown("Shows whether one run covers regions that another does not.")
    drawing = waiting.watch(
        compare.map_of(project), stages=text.STAGES, key="compare-map-study", stop="stop-compare-map-study"
    )
    latest = compare.drawn_map(project)
    if latest is not None:
        drawn, unmapped = latest
        on_it = [one for one in runs if any(sheet.name == one.run for sheet in drawn.sheets)]
        layout.picture(map_of(drawn, on_it), key="compare-map")
        note = text.MAP_NOTE.format(rows=f"{drawn.rows:,}")
        st.caption(note, help=text.MAP_HELP.format(dots=f"{dots(drawn):,}"))
        if unmapped:
            names = ", ".join(one.name for one in runs if one.run in unmapped)
            st.caption(text.UNMAPPED.format(names=words.plain(names)))
    is_drawing = drawing is not None and not drawing.is_end
    if is_drawing or not login.current().owns(project):
        return
    rows = waiting.map_rows(len(chosen), key="compare-map-rows")
    label = "Draw map" if latest is None else "Draw map again"
    if st.button(label, icon=":material/scatter_plot:", key="draw-map"):
        compare.draw_map(project, chosen, rows=rows)
        st.rerun()
