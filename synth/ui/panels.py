"""Panels that several pages share: the promise in odds, and a population's budget line."""

from __future__ import annotations

import streamlit as st

from synth.jobs.budget import LIFETIME_DELTA
from synth.ui import alts, charts, desk, layout, text
from synth.ui.project import Budget, Project

TICK_SECONDS = 1.0
"""How often a page looks at work that is under way."""


def odds(budget: Budget) -> None:
    """What the promise means for one attacker, as icons and in words."""
    posterior, power = desk.ceiling(budget.epsilon, budget.delta)
    st.subheader(text.ODDS_TITLE, anchor=False)
    figure = charts.odds(posterior)
    st.plotly_chart(figure, config=layout.PLOT, key="odds", alt=alts.odds(posterior))
    st.markdown(text.odds(posterior, power, budget.epsilon))
    st.caption(text.ODDS_NOTE)


def ledger(sheet: desk.Sheet, project: Project, *, key: str) -> None:
    """The population's budget line with the next run in it."""
    if sheet.opens:
        limit = text.limit(project.budget.lifetime, LIFETIME_DELTA)
        st.caption(text.LEDGER_NEW.format(limit=limit))
    parts = sheet.parts()
    figure = charts.ledger(parts)
    st.plotly_chart(figure, config=layout.PLOT, key=key, alt=alts.ledger(parts))
    st.caption(text.LEDGER_NOTE)
    if not sheet.covers:
        st.error(
            text.TOO_MUCH.format(left=sheet.largest_epsilon(project.budget.delta)), icon=":material/error:"
        )
