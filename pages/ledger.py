"""Show lifetime budgets and releases, raise a limit, and check the ledger."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.project.spend import ledger as ledgers
from synth.app.ui import layout, state
from synth.app.ui.ledger import panels as ledger_panels
from synth.app.ui.text import ledger as text

layout.header(journey.BY_NAME["ledger"].title, lead=text.LEAD)
project = state.current()
is_rehearsal = project is not None and ledgers.is_practice(project)
rehearsal = layout.one_of("Ledger", text.BOOKS, is_rehearsal, key="book")
if rehearsal:
    st.caption("Practice runs have a separate ledger. They protect no one and use no real budget.")
path = ledgers.place(rehearsal=rehearsal)
lines, _ = ledgers.read(path)
if not lines:
    st.info(text.EMPTY, icon=":material/info:")
else:
    above = st.container()
    ledger_panels.raising(path, lines)
    ledger_panels.check(path)
    with above:  # read again, so that a limit raised just now is shown
        lines, entries = ledgers.read(path)
        ledger_panels.lines(lines)
        ledger_panels.releases(entries)
