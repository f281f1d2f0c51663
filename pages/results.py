"""The release, as anyone may see it: read from the bundle, never from the private table."""

from __future__ import annotations

import streamlit as st

from synth.project import released, runs
from synth.ui import layout
from synth.ui.results import further
from synth.ui.results import panels as results
from synth.ui.text import results as text

project = layout.enter("results", lead=text.LEAD)
if project is not None:
    head = st.container()
    shown = results.choose(runs.tables(project))
    with head:
        layout.summary_of(project, shown)
    release = released.read(shown.folder)
    results.verdict(release)
    results.column(release)
    results.bounds(release)
    results.residuals(release)
    results.rules(release)
    results.sample(release)
    further.another(project, shown, release)
    results.onward(project, release)
