"""Panels of the Ledger page: lifetime budgets, the list of releases, and forms to raise a limit and to check
the ledger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from synth.app.figures import ledger as figures
from synth.app.project.spend import ledger as ledgers
from synth.app.project.spend.ledger import BookedRun, BudgetLine
from synth.app.ui import guards, layout, login, state
from synth.app.ui import text as words
from synth.app.ui.text import ledger as text
from synth.private.ledger import lapse_sentence

WIDTHS = {
    "Opened (UTC)": 130,
    "Population": 140,
    "Table": 140,
    "Run": 150,
    "State": 85,
    "Epsilon": 80,
    "Accounting": 95,
    "Of the limit": 95,
}
"""Widths of the list's columns in pixels, chosen so that the list fits the page."""


def lines(budget_lines: Sequence[BudgetLine]) -> None:
    """Draw one bar for each population."""
    st.header("Lifetime budgets", anchor=False, help=text.LINES_HELP)
    layout.chart(figures.lines(budget_lines), key="lines")
    for line in budget_lines:
        lapsed = lapse_sentence(line.balance.lapsed, line.balance.lifetime)
        if lapsed:
            st.warning(words.plain(f"{line.population}: {lapsed}"), icon=":material/history_toggle_off:")


def releases(entries: Sequence[BookedRun]) -> None:
    """Draw the list of recorded runs, with a filter and a download."""
    st.header("Releases", anchor=False, help=text.RUNS_HELP)
    names = sorted({entry.population for entry in entries})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        population = st.selectbox(
            text.POPULATION_FILTER,
            [None, *names],
            format_func=lambda name: name or "All populations",
            key="filter-population",
            width=300,
        )
        standing = layout.one_of("State", text.STATES, "all", key="filter-state")
    shown = ledgers.chosen(entries, population=population, state=None if standing == "all" else standing)
    if not shown:
        st.info("No release matches. Choose another filter.", icon=":material/info:")
        return
    listed = figures.entries(shown, of=len(entries))
    widths = {head: st.column_config.Column(width=pixels) for head, pixels in WIDTHS.items()}
    st.dataframe(listed.table, hide_index=True, column_config=widths, alt=listed.words, key="runs")
    st.download_button(
        "Export list (CSV)",
        data=ledgers.as_csv(shown),
        file_name="ledger.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="export-ledger",
    )


def raising(path: Path, budget_lines: Sequence[BudgetLine]) -> None:
    """Draw the form that raises a limit, with a reason. If there is a login, only approvers see it."""
    with st.expander("Raise a lifetime limit", icon=":material/trending_up:"):
        st.markdown(text.RAISE_NOTE)
        who = login.current()
        if not who.may_approve:
            st.info(text.NOT_ALLOWED.format(approver=words.plain(login.approvers())), icon=":material/lock:")
            return
        name = st.selectbox(
            text.POPULATION_FILTER, [line.population for line in budget_lines], key="raise-who"
        )
        now = next(line for line in budget_lines if line.population == name)
        epsilon, delta = now.balance.lifetime
        place = (str(path), name, epsilon, delta)
        state.follow("raise-to", math.ceil(epsilon * 100) / 100, of=place)
        state.follow("raise-delta", delta, of=place)
        left, right = st.columns(2)
        limit = left.number_input("New limit (epsilon)", 0.01, 1000.0, step=0.5, key="raise-to")
        at = right.number_input(
            "New delta",
            delta,
            0.1,
            step=delta,
            format="%.3g",
            help="Raise it only if a run needs more. One hundredth is for estimated value lists.",
            key="raise-delta",
        )
        reason = st.text_input("Reason, and who decided", max_chars=300, key="raise-why")
        if st.button("Raise limit", icon=":material/trending_up:", key="raise"):
            with guards.shown():
                ledgers.raise_limit(path, population=name, epsilon=limit, delta=at, reason=who.signed(reason))
                st.success(text.RAISED.format(population=words.plain(name), limit=words.limit(limit, at)))


def check(path: Path) -> None:
    """Draw a button that checks the whole ledger."""
    with st.expander("Check the ledger", icon=":material/fact_check:"):
        st.markdown("Reads all entries and checks the rules and the chain of checksums.")
        if st.button("Check now", icon=":material/fact_check:", key="check-ledger"):
            if ledgers.is_whole(path):
                st.success(text.WHOLE, icon=":material/verified:")
            else:
                st.error(text.BROKEN, icon=":material/error:")
