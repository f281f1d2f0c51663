"""Panels that several pages share: the promise in odds, and a population's budget line."""

from __future__ import annotations

import streamlit as st

from synth.figures import budget as figures
from synth.quote import Quote
from synth.ui import desk, layout, text
from synth.ui.project import Budget
from synth.ui.text import run

TICK_SECONDS = 1.0
"""How often a page looks at work that is under way."""


def odds(budget: Budget) -> None:
    """What the promise means for one attacker, as icons and in words."""
    posterior, power = desk.ceiling(budget.epsilon, budget.delta)
    st.subheader(text.ODDS_TITLE, anchor=False)
    layout.picture(figures.odds(posterior), key="odds")
    st.markdown(text.odds(posterior, power, budget.epsilon))
    st.caption(text.ODDS_NOTE)


def ledger(quote: Quote, *, key: str) -> None:
    """The population's budget line with the next run in it."""
    if quote.opens:
        st.caption(text.LEDGER_NEW.format(limit=text.limit(*quote.line.lifetime)))
    layout.picture(figures.ledger(quote.after()), key=key)
    st.caption(text.LEDGER_NOTE)
    st.markdown(run.after(quote))
    if not quote.covers:
        st.error(run.too_much(quote), icon=":material/error:")
