"""The ledger page's pieces: bars, the list of releases with its filter and file, raising, checking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from synth.errors import Mistake
from synth.laws import delta_of
from synth.measure.ledger import lapse_told
from synth.ui import books, charts_ledger, layout, login, state
from synth.ui import text as words
from synth.ui.books import Entry, Line
from synth.ui.text import ledger as text


def lines(found: Sequence[Line]) -> None:
    """One bar for each population, and why its limit is what it is."""
    st.header(text.LINES_TITLE, anchor=False)
    figure = charts_ledger.lines(found)
    layout.chart(figure, alt=text.lines_alt(found), table=line_table(found), key="lines")
    st.caption(text.LINES_NOTE)
    for line in found:
        lapsed = lapse_told(line.balance.lapsed, line.balance.lifetime)
        if lapsed:
            st.warning(words.plain(f"{line.population}: {lapsed}"), icon=":material/history_toggle_off:")


def line_table(found: Sequence[Line]) -> pd.DataFrame:
    """The bars as a table, with limits as promised and the reasons for them."""
    balances = [line.balance for line in found]
    return pd.DataFrame(
        {
            "Population": [line.population for line in found],
            "Protects": [str(b.protects or text.NOT_DECLARED) for b in balances],
            "Lifetime limit": [words.limit(*line.balance.lifetime) for line in found],
            "Spent (epsilon)": [words.four_digits(b.claim(b.spent)) for b in balances],
            "Spent": [words.share(line.parts()["spent"]) for line in found],
            "Reserved": [words.share(line.parts()["reserved"]) for line in found],
            "Left": [words.share(line.parts()["left"]) for line in found],
            "Left for one release (epsilon)": [words.four_digits(b.claim(b.left)) for b in balances],
            "Left for value lists (delta)": [f"{delta_of(b.delta_left):.3g}" for b in balances],
            "Why this limit": ["; ".join(line.reasons) for line in found],
        }
    )


def releases(found: Sequence[Entry]) -> None:
    """The runs on the books: filter, list, file."""
    st.header(text.RUNS_TITLE, anchor=False)
    names = sorted({entry.population for entry in found})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        population = st.selectbox(
            text.POPULATION_FILTER,
            [None, *names],
            format_func=lambda name: name or text.POPULATION_ALL,
            key="filter-population",
            width=300,
        )
        standing = st.segmented_control(
            text.STATE_FILTER,
            list(text.STATES),
            default="all",
            required=True,
            format_func=text.STATES.__getitem__,
            key="filter-state",
        )
    shown = books.chosen(found, population=population, state=None if standing == "all" else standing)
    if not shown:
        st.info(text.RUNS_NONE, icon=":material/info:")
        return
    st.dataframe(entry_table(shown), hide_index=True, alt=text.runs_alt(len(shown), len(found)), key="runs")
    st.caption(text.RUNS_NOTE)
    st.download_button(
        text.EXPORT_BUTTON,
        data=books.as_csv(shown),
        file_name=text.EXPORT_NAME,
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="export-ledger",
    )


def entry_table(shown: Sequence[Entry]) -> pd.DataFrame:
    """The list as it is shown; the file has all fields."""
    return pd.DataFrame(
        {
            "Opened (UTC)": [entry.opened for entry in shown],
            "Population": [entry.population for entry in shown],
            "Table": [entry.table for entry in shown],
            "Run": [entry.run for entry in shown],
            "State": [entry.state for entry in shown],
            "Epsilon": [words.four_digits(entry.epsilon) for entry in shown],
            "Added up by": [entry.law for entry in shown],
            "Of the limit": [words.share(entry.share) for entry in shown],
        }
    )


def raising(path: Path, found: Sequence[Line]) -> None:
    """A higher limit with a reason; where there is a login, for approvers only."""
    with st.expander(text.RAISE_TITLE, icon=":material/trending_up:"):
        st.markdown(text.RAISE_NOTE)
        who = login.current()
        if not who.may_approve:
            st.info(text.NOT_ALLOWED.format(approver=words.plain(login.approvers())), icon=":material/lock:")
            return
        name = st.selectbox(text.POPULATION_FILTER, [line.population for line in found], key="raise-who")
        now = next(line for line in found if line.population == name)
        epsilon, delta = now.balance.lifetime
        place = (str(path), name, epsilon, delta)
        state.follow("raise-to", math.ceil(epsilon * 100) / 100, of=place)
        state.follow("raise-delta", delta, of=place)
        left, right = st.columns(2)
        limit = left.number_input(text.RAISE_LIMIT, 0.01, 1000.0, step=0.5, key="raise-to")
        at = right.number_input(
            text.RAISE_DELTA,
            delta,
            0.1,
            step=delta,
            format="%.3g",
            help=text.RAISE_DELTA_HELP,
            key="raise-delta",
        )
        reason = st.text_input(text.RAISE_REASON, max_chars=300, key="raise-why")
        if st.button(text.RAISE_BUTTON, icon=":material/trending_up:", key="raise"):
            try:
                books.raise_limit(path, population=name, epsilon=limit, delta=at, reason=who.signed(reason))
            except Mistake as mistake:
                st.error(words.plain(str(mistake)), icon=":material/error:")
            else:
                st.success(text.RAISED.format(population=words.plain(name), limit=words.limit(limit, at)))


def check(path: Path) -> None:
    """Read the whole record on demand."""
    with st.expander(text.CHECK_TITLE, icon=":material/fact_check:"):
        st.markdown(text.CHECK_NOTE)
        if st.button(text.CHECK_BUTTON, icon=":material/fact_check:", key="check-ledger"):
            if books.is_whole(path):
                st.success(text.WHOLE, icon=":material/verified:")
            else:
                st.error(text.BROKEN, icon=":material/error:")
