"""Panels of the Budget page: the split, column priorities, expected errors and the lifetime budget.

A panel with choices takes the project and returns a changed one, which the page saves.
"""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from synth.app.figures import budget as figures
from synth.app.project import runs, starting
from synth.app.project.declared import Declared
from synth.app.project.describe.rules import measured_shares
from synth.app.project.spend import ledger
from synth.app.project.spend.accuracy import expected_accuracy, too_small
from synth.app.project.spend.allocation import (
    LATER,
    MEANS,
    VERDICT,
    WEIGHTS,
    allocate,
    importance_of,
    preset_of,
    presets,
    word_of,
    words_for,
)
from synth.app.project.spend.forecast import Forecast, reaching
from synth.app.project.spend.means import precision_of, trouble
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
_SCROLL_ABOVE = 16
"""Number of columns above which the list scrolls."""


def sharing(project: Project, schema: Schema) -> Project:
    """Draw the presets, the bar, and the priority of every part with its effect."""
    st.subheader("Budget split", anchor=False, help=text.SHARING_NOTE)
    share_count = measured_shares(schema, project.rules)
    movable = allocate(schema, project.budget, project.method, share_count=share_count).movable
    starts, picture = st.container(horizontal=True, vertical_alignment="center"), st.container()
    with st.container(border=True, key="stacked-parts"):
        places = {part: st.columns([5, 6, 4], vertical_alignment="center") for part in movable}
    chosen = {}
    for part, (name, control, _) in places.items():
        name.markdown(f"**{text.PART_NAME[part]}**", help=text.PART_WHAT[part])
        with control:
            start = word_of(project.budget, part)
            chosen[part] = _word(text.PART_NAME[part], f"part-{part}", words_for(part), start)
    project = replace(project, budget=replace(project.budget, weights=chosen))
    with starts:
        _presets(project.budget, movable)
    allocation = allocate(schema, project.budget, project.method, share_count=share_count)
    with picture:
        shown = {part: share for part, share in allocation.shares.items() if share}
        layout.picture(figures.shares(shown, text.PART_NAME), key="shares")
    forecast = Forecast(schema, project.budget, allocation)
    rho, rows = forecast.rho, project.budget.rows_about
    for part, (_, _, error) in places.items():
        effect = text.part_error(part, allocation, forecast, rho=rho, rows=rows, share_count=share_count)
        error.markdown(f"**{words.share(allocation.shares.get(part, 0.0))}**  \n:small[{effect}]")
    return project


def means(project: Project, table: Declared) -> tuple[Project, bool]:
    """Draw the formulas of means and regressions with their expected precision. The second result is False if
    a formula cannot be measured.
    """
    st.subheader(text.PART_NAME[MEANS], anchor=False, help=text.MEANS_NOTE)
    state.start_value("means", "\n".join(project.budget.means))
    typed = st.text_area("Formulas, one per line", key="means", placeholder=text.MEANS_EXAMPLE)
    formulas = tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if why := trouble(table.schema, table.rules, formulas):
        st.error(words.plain(why), icon=":material/error:")
        return project, False
    project = replace(project, budget=replace(project.budget, means=formulas))
    if formulas and (rows := project.budget.rows_about):
        share_count = measured_shares(table.schema, project.rules)
        allocation = allocate(table.schema, project.budget, project.method, share_count=share_count)
        rho = Forecast(table.schema, project.budget, allocation).rho * allocation.shares[MEANS]
        known = precision_of(table.schema, table.rules, formulas, rho=rho, rows=rows)
        st.markdown(text.means(known), help=text.MEANS_ROUGH)
    elif formulas:
        st.caption(text.MEANS_ROWS)
    return project, True


def _presets(budget: Budget, movable: tuple[str, ...]) -> None:
    """Draw a button for each preset, with a tick on the current one."""
    here = preset_of(budget, movable)
    st.markdown("Start from", width="content")
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


def columns(project: Project, schema: Schema) -> Project:
    """Draw a priority for every column."""
    budget = project.budget
    st.subheader("Column priorities", anchor=False, help=text.COLUMNS_NOTE)
    start = importance_of(budget, schema)
    is_long = len(schema.modelled) > _SCROLL_ABOVE
    chosen = {}
    with st.container(border=True, height=640 if is_long else "content", key="stacked-columns"):
        for column in schema.modelled:
            name, control = st.columns([3, 5], vertical_alignment="center")
            name.markdown(words.plain(column.title or column.name))
            with control:
                key, first = f"column-{column.name}", start[column.name]
                chosen[column.name] = _word(column.title or column.name, key, tuple(WEIGHTS), first)
    untouched = importance_of(replace(budget, importance={}), schema)
    kept = {name: word for name, word in chosen.items() if word != untouched[name]}
    return replace(project, budget=replace(budget, importance=kept))


def expected(project: Project, table: Declared) -> None:
    """Draw the expected error of the counts of every column, with warnings about large errors."""
    schema, rows = table.schema, project.budget.rows_about
    share_count = measured_shares(schema, project.rules)
    allocation = allocate(schema, project.budget, project.method, share_count=share_count)
    forecast = Forecast(schema, project.budget, allocation)
    st.header("Expected error", anchor=False, help=text.forecast_note(forecast))
    known = expected_accuracy(schema, project.budget, project.method, allocation)
    if said := text.accuracy(known, start=starting.error_of(project)):
        st.markdown(said, help=text.FORECAST_HELP if known.often else None)
    if project.start.path:
        st.caption(text.FORECAST_WITHOUT_START)
    if VERDICT not in allocation.movable:
        st.info(text.NO_CHECK, icon=":material/info:")
    columns = forecast.columns()
    titles = {column.name: column.heading for column in schema.modelled}
    picture = figures.errors(
        [titles[column.name] for column in columns],
        {"Alone": [c.alone for c in columns], "In a pair": [c.paired for c in columns]},
        counted=words.counted(schema),
        write=lambda error: text.cell_error(error, rows_about=rows),
    )
    with st.container(height=640 if len(columns) > _SCROLL_ABOVE else "content"):
        layout.chart(picture, key="errors")
    if (least := forecast.least_listed) is not None:
        st.info(text.lists_hold(least, schema, rows=rows), icon=":material/playlist_add_check:")
    if small := too_small(schema, project.budget, project.method, share_count=share_count):
        st.warning(words.plain(small), icon=":material/group:")
    if drowned := _drowned(forecast, table, rows=rows):
        st.warning(text.drowned(drowned), icon=":material/grain:")
    if rows and (means := forecast.mean_errors(_known_axes(table), rows=rows)):
        st.warning(text.wide_means(means), icon=":material/straighten:")
    if set(importance_of(project.budget, schema).values()) == {"off"}:
        st.error("All columns are Off. Give at least one a priority.", icon=":material/error:")


def _forecast(project: Project, schema: Schema) -> Forecast:
    share_count = measured_shares(schema, project.rules)
    return Forecast.of(schema, project.budget, project.method, share_count=share_count)


def _drowned(forecast: Forecast, table: Declared, *, rows: int | None) -> tuple[str, ...]:
    """Return the columns in which half of the values are rarer than the noise, if the table size is given."""
    if not rows:
        return ()
    return tuple(
        axis.column.heading
        for axis in _known_axes(table)
        if forecast.is_below_noise((axis.name,), cells=axis.size, rows=rows)
    )


def _known_axes(table: Declared) -> tuple[Axis, ...]:
    """Return the axes of the columns whose domain is known."""
    return table.axes or declared_axes(table.schema, table.rules)


def backwards(project: Project, table: Declared) -> None:
    """Find the epsilon for a target error."""
    schema, budget = table.schema, project.budget
    st.subheader("Budget for a target error", anchor=False)
    titles = {c.name: c.heading for c in schema.modelled}
    names = list(titles)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    chosen = left.multiselect(
        "Counts of",
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
        st.caption("Choose one column, or two for their table.")
        return
    forecast, share_count = _forecast(project, schema), measured_shares(schema, project.rules)
    answer = reaching(schema, budget, project.method, clique, rows=rows, share_count=share_count)
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
    """State that the lifetime limit does not cover the run, and offer limits that would. `allowed` is the
    largest lifetime limit that the organisation allows.
    """
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


def _several(quote: Quote) -> None:
    """Offer to split the remaining budget among the planned releases, including this one."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    count = left.number_input(
        "Planned releases", 1, 1_000, help=text.PLANNED_HELP, key="planned", persist_state="session"
    )
    each = quote.epsilon_each(int(count))
    with right:
        if count > 1 and each >= SMALLEST:
            st.button(
                text.PLANNED_USE.format(epsilon=f"{each:g}"),
                icon=":material/undo:",
                on_click=state.put,
                args=({"epsilon-box": each},),
                key="planned-use",
            )
        elif count > 1:
            st.caption(text.PLANNED_TOO_MANY)


def _cells(table: Declared, names: list[str]) -> int:
    """Return the number of cells in a table of these columns, or 0 while a domain is still to be
    estimated.
    """
    sizes = {axis.name: axis.size for axis in table.axes}
    return math.prod(sizes.get(name, 0) for name in names)


def line(project: Project, beside: DeltaGenerator, books: DeltaGenerator) -> bool:
    """Draw the lifetime budget in `books`, and return whether it covers the run and the organisation allows
    the run. If the limit is too low, a message next to the epsilon fields (`beside`) offers limits that would
    cover the run.
    """
    hindrance = ledger.misfit(project) or ledger.not_new(project)
    if hindrance is not None:
        st.error(words.plain(hindrance), icon=":material/block:")
        return False
    quote = runs.quote(project)
    with books:
        population = words.plain(str(project.schema["population"]))
        st.subheader(f"Lifetime budget of {population}", anchor=False, help=text.LEDGER_NOTE)
        if quote.opens:
            st.caption(text.LEDGER_NEW.format(limit=words.limit(*quote.line.lifetime)))
        layout.picture(figures.ledger(quote.after()), key="ledger")
        st.markdown(run_words.after(quote, opens=False))
        _several(quote)
    if not quote.covers:
        with beside:
            _short(quote, project.limits.lifetime)
    beyond, most = runs.beyond_lifetime(project, quote), project.limits.lifetime
    if beyond is not None and most is not None:
        st.error(text.over_lifetime(beyond, most, quote), icon=":material/gavel:")
    if quote.covers and word_of(project.budget, LATER) == "off" and quote.price.units > 0.99 * quote.left:
        st.warning("This run would use up the lifetime budget of this population.", icon=":material/warning:")
    return quote.covers and beyond is None
