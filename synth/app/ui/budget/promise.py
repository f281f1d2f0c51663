"""The first section of the Budget page: epsilon, the public table size, and an attacker's chances."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from synth.app.figures import budget as figures
from synth.app.project.spend.offer import offer
from synth.app.project.store import Budget, Project
from synth.app.ui import layout, state
from synth.app.ui.text import budget as text
from synth.app.ui.text import unit
from synth.core.accounting import Law, epsilon_for_odds, usual_delta
from synth.core.schema import Schema
from synth.release.plan import law_of

_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0)
MOST_ROWS = 10**10
SMALLEST, LARGEST, LONGEST = 0.01, 20.0, 100.0
"""The smallest epsilon, and the largest epsilon of one release and of a lifetime budget."""
_HIGH = 5.0
"""The epsilon above which the page shows a warning."""


def promise(project: Project, schema: Schema, *, opened: bool) -> tuple[Project, DeltaGenerator]:
    """Draw epsilon, the public table size, the lifetime limit and an attacker's chances. Return a container
    below them for errors.
    """
    st.header("Epsilon", anchor=False)
    with st.container(key="stacked-promise"):
        left, right = st.columns(2, gap="large")
    with left:
        budget = budget_form(project.budget, opened=opened, asks_rows=bool(project.runs))
        _by_risk(budget, law_of(schema, project.method.name))
        budget = replace(budget, reason=_reason(budget, project))
        beside = st.container()
    with right:
        odds(replace(project, budget=budget), schema)
    if budget.epsilon > _HIGH:
        st.warning(text.HIGH_EPSILON, icon=":material/warning:")
    return replace(project, budget=budget), beside


def _reason(budget: Budget, project: Project) -> str:
    """Ask for a reason if epsilon exceeds the organisation's limit, and return it."""
    limit = project.limits.release
    if limit is None or budget.epsilon <= limit:
        return ""
    st.warning(text.OVER_LIMIT.format(limit=limit), icon=":material/gavel:")
    return st.text_area(text.REASON_LABEL, budget.reason, key="budget-reason").strip()


def budget_form(budget: Budget, *, opened: bool, asks_rows: bool) -> Budget:
    """Draw epsilon, and the lifetime limit unless the population has one (`opened`).

    The page Who is protected asks for the number of rows. Once it is locked, the number can be changed here
    (`asks_rows`). Delta is 1e-9, or a tenth of 1 / rows if that is smaller.
    """
    epsilon = _epsilon_boxes(budget.epsilon)
    left, right = st.columns(2)
    rows, lifetime = budget.rows_about, budget.lifetime
    if asks_rows:
        rows = left.number_input(
            unit.ROWS_LABEL,
            1,
            MOST_ROWS,
            rows,
            placeholder="not given",
            help=unit.ROWS_HELP,
            key="rows-about",
        )
    if not opened:
        state.start_value("lifetime", budget.lifetime)
        lifetime = right.number_input(
            "Lifetime limit (epsilon)",
            SMALLEST,
            LONGEST,
            step=1.0,
            help="All releases about these people share one limit. Raising it later needs a written reason.",
            key="lifetime",
        )
    delta = usual_delta(max(budget.rows_at_most or 1, rows or 1))
    st.caption(text.allowance(delta), help=text.DELTA_HELP)
    return replace(budget, epsilon=epsilon, delta=delta, lifetime=float(lifetime), rows_about=rows)


def _epsilon_boxes(start: float) -> float:
    """Draw a slider with uneven steps and a field for exact values, and keep them in sync."""
    state.start_value("epsilon-box", start)
    exact = float(state.kept("epsilon-box"))
    state.put({"epsilon-slider": exact})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            "Privacy loss (epsilon)",
            sorted({*_EPSILONS, exact}),
            format_func=lambda e: f"{e:g}",
            help="Smaller values protect more and add more noise.",
            key="epsilon-slider",
            on_change=state.mirror,
            args=("epsilon-slider", "epsilon-box", float),
        )
        epsilon = st.number_input(
            "Exact value",
            SMALLEST,
            LARGEST,
            step=0.1,
            format="%.2f",
            key="epsilon-box",
            width=150,
        )
    return float(epsilon)


def _by_risk(budget: Budget, law: Law) -> None:
    """Ask for a target risk, and offer the epsilon that keeps it at the delta of the budget."""
    with st.expander(text.RISK, icon=":material/casino:"):
        left, right = st.columns(2)
        guess = left.number_input(
            text.RISK_GUESS,
            50.1,
            99.9,
            None,
            step=1.0,
            format="%.1f",
            placeholder="not given",
            help=text.RISK_GUESS_HELP,
            key="risk-guess",
        )
        caught = right.number_input(
            text.RISK_CAUGHT,
            5.1,
            99.9,
            None,
            step=1.0,
            format="%.1f",
            placeholder="not given",
            help=text.RISK_CAUGHT_HELP,
            key="risk-caught",
        )
        if guess is None and caught is None:
            return
        risks = {"guess": guess and guess / 100, "caught": caught and caught / 100}
        epsilon = math.floor(100 * epsilon_for_odds(budget.delta, law=law, **risks)) / 100
        st.button(
            text.BACK_USE.format(epsilon=f"{epsilon:g}"),
            icon=":material/undo:",
            on_click=state.put,
            args=({"epsilon-box": epsilon},),
            key="risk-use",
        )


def odds(project: Project, schema: Schema) -> None:
    """Show what the guarantee means for an attacker, with icons and in words."""
    found = offer(project, schema).odds
    st.subheader("What an attacker could gain", anchor=False, help=text.ODDS_NOTE)
    layout.picture(figures.odds(found.alone.guess), key="odds")
    st.markdown(text.odds(found, project.budget.epsilon))
