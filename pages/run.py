"""The last sheet before spending; then the run as it goes, and what became of it."""

from __future__ import annotations

from synth.app.project import declared
from synth.app.ui import layout, state
from synth.app.ui.run import panels as run_panels
from synth.app.ui.text import run as text
from synth.dictionaries import load_schema

held = state.current()
under_way = held is not None and not held.drafting
project = layout.enter("run", lead=text.LEAD_RUN if under_way else text.LEAD_DRAFT)
if project is not None:
    layout.summary(project, load_schema(project.schema))
    if project.drafting:
        run_panels.sheet(project, declared.read(project))
    else:
        run_panels.watch(project)
    run_panels.earlier(project)
