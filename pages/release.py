"""Enter the publication details, check the run, read the report and publish."""

from __future__ import annotations

import streamlit as st

from synth.app.project.results import publication
from synth.app.project.runs import tables
from synth.app.ui import layout
from synth.app.ui.release import panels as release_panels

project = layout.enter("release", lead="Publish one finished run as a release package with its report.")
if project is not None:
    head = st.container()
    runs = tables(project)
    run = release_panels.choose(runs)
    with head:
        layout.summary_of(project, run)
    tried = publication.under_way(project, run.run)
    done = publication.find(project, run.run)
    if done is not None:
        release_panels.after(project, done)
        release_panels.choices(project, late=True)
    elif tried is not None and not tried.state.is_end:
        release_panels.watch(project, run)
        release_panels.choices(project, late=True)
    else:
        if tried is not None and tried.sentence:
            release_panels.failed(tried)
        project = release_panels.imprint(project, run)
        points = publication.checklist(project, run, finished=len(runs))
        release_panels.checklist(project, points)
        release_panels.choices(project, late=False)
        release_panels.preview(project, run, finished=len(runs))
        release_panels.publish(project, run, points, finished=len(runs))
