"""Show a release as its readers will see it. It is read from the package, not from the private table."""

from __future__ import annotations

import streamlit as st

from synth.app.project import runs
from synth.app.project.results import released
from synth.app.ui import asking, layout
from synth.app.ui.results import judging
from synth.app.ui.results import pairs as pair_panels
from synth.app.ui.results import panels as results_panels
from synth.app.ui.text import results as text

project = layout.enter("results", lead=text.LEAD)
if project is not None:
    head = st.container()
    shown = results_panels.choose(runs.tables(project))
    with head:
        layout.summary_of(project, shown)
    release = released.read(shown.folder)
    results_panels.verdict(release)
    judging.measure(project, shown, release)
    results_panels.column(release)
    pair_panels.errors(release, shown.folder)
    asking.section(asking.kit_of(shown.folder))
    results_panels.residuals(release)
    results_panels.rules(release)
    results_panels.shares(release)
    results_panels.sample(release)
    results_panels.another(project, shown, release)
    results_panels.onward(project, release)
