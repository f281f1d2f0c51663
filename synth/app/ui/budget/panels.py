"""Panels of the budget page: what is spent on which part, which columns matter, from an error to a budget.

Every panel takes the project as it is and gives back the project as the steward wants it; the page keeps it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from synth.app.figures import budget as figures
from synth.app.project import runs
from synth.app.project.declared import Declared
from synth.app.project.describe.rules import bought_shares
from synth.app.project.spend import ledger
from synth.app.project.spend.allocation import (
    COMPARISON,
    LATER,
    WEIGHTS,
    allocate,
    importance_of,
    preset_of,
    presets,
    word_of,
    words_for,
)
from synth.app.project.spend.forecast import Forecast, reaching
from synth.app.project.store import Budget, Project
from synth.app.ui import layout, state
from synth.app.ui import text as words
from synth.app.ui.budget.promise import LARGEST, LONGEST, SMALLEST
from synth.app.ui.text import budget as text
from synth.app.ui.text import run as run_words
from synth.core.axis import Axis
from synth.core.discretisation import declared_axes
from synth.core.schema import Schema
from synth.private.ledger.quote import Quote

_DEFAULT_ERROR = 50.0
_LAYOUT = [3, 5, 2, 2]
_SMALL = 0.5
"""Below this holding something back for comparing tells little."""
_SCROLL_ABOVE = 16
"""Columns beyond this are scrolled through."""


def sharing(project: Project, schema: Schema) -> Project:
    """Presets, the bar, and a word for every part with what it buys."""
    st.header(text.SHARING_TITLE, anchor=False)
    st.markdown(text.SHARING_NOTE)
    bought = bought_shares(schema, project.rules)
    movable = allocate(schema, project.budget, project.method, bought=bought).movable
    starts, picture = st.container(horizontal=True, vertical_alignment="center"), st.container()
    with st.container(border=True, key="stacked-parts"):
        places = {part: st.columns([5, 6, 4], vertical_alignment="center") for part in movable}
    chosen = {}
    for part, (name, control, _) in places.items():
        name.markdown(f"**{text.PART_NAME[part]}**  \n:small[{text.PART_WHAT[part]}]")
        with control:
            start = word_of(project.budget, part)
            chosen[part] = _word(text.PART_NAME[part], f"part-{part}", words_for(part), start)
    project = replace(project, budget=replace(project.budget, weights=chosen))
    with starts:
        _presets(project.budget, movable)
    allocation = allocate(schema, project.budget, project.method, bought=bought)
    with picture:
        shown = {part: share for part, share in allocation.shares.items() if share}
        layout.picture(figures.shares(shown, text.PART_NAME), key="shares")
    forecast = Forecast(schema, project.budget, allocation)
    rho, rows = forecast.rho, project.budget.rows_about
    for part, (_, _, error) in places.items():
        effect = text.part_error(part, allocation, forecast, rho=rho, rows=rows, bought=bought)
        error.markdown(f"**{words.share(allocation.shares.get(part, 0.0))}**  \n:small[{effect}]")
    if (least := forecast.least_listed) is not None:
        st.info(text.lists_hold(least, schema, rows=rows), icon=":material/playlist_add_check:")
    if allocation.shares.get(COMPARISON) and allocation.epsilon < _SMALL:
        st.info(text.SMALL_COMPARISON, icon=":material/info:")
    return project


def _presets(budget: Budget, movable: tuple[str, ...]) -> None:
    """A button for each preset; the one that the words are has a tick."""
    here = preset_of(budget, movable)
    st.markdown(text.PRESET_LABEL, width="content")
    for name, chosen in presets(movable).items():
        st.button(
            text.PRESETS[name],
            icon=":material/check:" if name == here else None,
            on_click=state.put,
            args=({f"part-{part}": word for part, word in chosen.items()},),
            key=f"preset-{name}",
        )


def _word(label: str, key: str, options: tuple[str, ...], start: str) -> str:
    state.start_value(key, start)
    chosen = st.segmented_control(
        label, options, required=True, key=key, label_visibility="collapsed", width="stretch"
    )
    return str(chosen)


def columns(project: Project, table: Declared) -> Project:
    """A word for every column, and how far its counts will be off."""
    schema, budget = table.schema, project.budget
    st.header(text.COLUMNS_TITLE, anchor=False)
    st.markdown(text.COLUMNS_NOTE)
    names = [c.name for c in schema.modelled]
    start = importance_of(budget, schema)
    is_long = len(names) > _SCROLL_ABOVE
    with st.container(border=True, height=640 if is_long else "content", key="stacked-columns"):
        head = st.columns(_LAYOUT)
        places = {name: st.columns(_LAYOUT, vertical_alignment="center") for name in names}
    for place, title in zip(head, text.heads(schema), strict=True):
        place.markdown(f":small[**{title}**]")
    chosen = {}
    for column in schema.modelled:
        name, control = places[column.name][:2]
        title = column.title or column.name
        name.markdown(f"**{words.plain(title)}**")
        with control:
            key, first = f"column-{column.name}", start[column.name]
            chosen[column.name] = _word(title, key, tuple(WEIGHTS), first)
    untouched = importance_of(replace(budget, importance={}), schema)
    kept = {name: word for name, word in chosen.items() if word != untouched[name]}
    project = replace(project, budget=replace(budget, importance=kept))
    forecast = _forecast(project, schema)
    for error in forecast.columns():
        for place, rows in zip(places[error.name][2:], (error.alone, error.paired), strict=True):
            place.markdown(f":small[{text.cell_error(rows, rows_about=budget.rows_about)}]")
    drowned = _drowned(forecast, table, rows=budget.rows_about)
    if drowned:
        st.warning(text.drowned(drowned), icon=":material/grain:")
    if budget.rows_about and (means := forecast.mean_errors(_known_axes(table), rows=budget.rows_about)):
        st.warning(text.wide_means(means), icon=":material/straighten:")
    if set(chosen.values()) == {"off"}:
        st.error(text.ALL_OFF, icon=":material/error:")
    st.caption(text.forecast_note(forecast))
    return project


def _forecast(project: Project, schema: Schema) -> Forecast:
    bought = bought_shares(schema, project.rules)
    return Forecast.of(schema, project.budget, project.method, bought=bought)


def _drowned(forecast: Forecast, table: Declared, *, rows: int | None) -> tuple[str, ...]:
    """Columns of which half the values are rarer than their noise, if the size of the table received."""
    if not rows:
        return ()
    return tuple(
        axis.column.heading
        for axis in _known_axes(table)
        if forecast.is_below_noise((axis.name,), cells=axis.size, rows=rows)
    )


def _known_axes(table: Declared) -> tuple[Axis, ...]:
    """The axes of the columns that need not be bought first."""
    return table.axes or declared_axes(table.schema, table.rules)


def backwards(project: Project, table: Declared) -> None:
    """From an error someone needs to the epsilon that gives it."""
    schema, budget = table.schema, project.budget
    st.header(text.BACK_TITLE, anchor=False)
    titles = {c.name: c.heading for c in schema.modelled}
    names = list(titles)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    chosen = left.multiselect(
        text.BACK_COLUMNS,
        names,
        names[:2],
        format_func=lambda name: titles.get(name, name),
        max_selections=2,
        key="back-columns",
        persist_state="session",
    )
    unit = f"{text.BACK_ROWS} ({words.counted(schema)})"
    rows = right.number_input(unit, 0.1, 1e9, _DEFAULT_ERROR, 10.0, format="%g", key="back-rows")
    clique = [name for name in chosen if name in names]
    if not clique:
        st.caption(text.BACK_EMPTY)
        return
    forecast, bought = _forecast(project, schema), bought_shares(schema, project.rules)
    answer = reaching(schema, budget, project.method, clique, rows=rows, bought=bought)
    st.markdown(text.needed(answer, [titles[name] for name in clique], rows, schema))
    if answer.divided is not None and answer.divided > LARGEST:
        st.warning(text.BACK_TOO_MUCH.format(epsilon=text.epsilon(answer.divided)), icon=":material/warning:")
    elif answer.divided is not None:
        epsilon = max(round(answer.divided + 0.005, 2), SMALLEST)
        st.button(
            text.BACK_USE.format(epsilon=f"{epsilon:g}"),
            icon=":material/undo:",
            on_click=state.put,
            args=({"epsilon-box": epsilon},),
            key="back-use",
        )
    cells = _cells(table, clique)
    if cells and budget.rows_about and forecast.is_below_noise(clique, cells=cells, rows=budget.rows_about):
        st.warning(
            text.DROWNS.format(
                cells=f"{cells:,}",
                rows=f"{budget.rows_about:,}",
                counted=words.counted(schema),
                each=words.count(budget.rows_about / cells),
            ),
            icon=":material/grain:",
        )


def _short(quote: Quote, allowed: float | None) -> None:
    """That the lifetime limit does not cover the run, and the ways out that are on this page; `allowed` is
    the largest lifetime limit by the organisation's word."""
    st.error(run_words.too_much(quote), icon=":material/error:")
    if quote.price.units <= quote.left:
        return
    with st.container(horizontal=True):
        (epsilon, delta), most = quote.cure(), quote.largest_epsilon
        if quote.opens and epsilon <= min(LONGEST, allowed or LONGEST) and delta <= quote.line.lifetime[1]:
            st.button(
                text.LIFETIME_USE.format(epsilon=f"{epsilon:g}"),
                icon=":material/undo:",
                on_click=state.put,
                args=({"lifetime": epsilon},),
                key="lifetime-use",
            )
        if most >= SMALLEST:
            st.button(
                text.BACK_USE.format(epsilon=f"{most:g}"),
                icon=":material/undo:",
                on_click=state.put,
                args=({"epsilon-box": most},),
                key="most-use",
            )


def _cells(table: Declared, names: list[str]) -> int:
    """Cells of a table of these columns; 0 while a domain is still to be bought."""
    sizes = {axis.name: axis.size for axis in table.axes}
    return math.prod(sizes.get(name, 0) for name in names)


def line(project: Project, beside: DeltaGenerator) -> bool:
    """The lifetime budget with this run in it; whether the run can be paid for and is allowed. If it cannot,
    that is said `beside` the boxes of the promise, with what would mend it."""
    hindrance = ledger.misfit(project)
    if hindrance is not None:
        st.error(words.plain(hindrance), icon=":material/block:")
        return False
    quote = runs.quote(project)
    population = words.plain(str(project.schema["population"]))
    st.header(text.LEDGER_TITLE.format(population=population), anchor=False)
    if quote.opens:
        st.caption(text.LEDGER_NEW.format(limit=words.limit(*quote.line.lifetime)))
    layout.picture(figures.ledger(quote.after()), key="ledger")
    st.caption(text.LEDGER_NOTE)
    st.markdown(run_words.after(quote, opens=False))
    if not quote.covers:
        with beside:
            _short(quote, project.limits.lifetime)
    beyond, most = runs.beyond_lifetime(project, quote), project.limits.lifetime
    if beyond is not None and most is not None:
        st.error(text.over_lifetime(beyond, most, quote), icon=":material/gavel:")
    if quote.covers and word_of(project.budget, LATER) == "off" and quote.price.units > 0.99 * quote.left:
        st.warning(text.NO_LATER, icon=":material/warning:")
    return quote.covers and beyond is None
