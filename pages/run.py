"""The last sheet before spending; then the run as it goes, and what became of it."""

from __future__ import annotations

from synth.ui import declared, layout, running, state
from synth.ui.text import run as text

held = state.current()
under_way = held is not None and not held.drafting
project = layout.enter("run", lead=text.LEAD_RUN if under_way else text.LEAD_DRAFT)
if project is not None:
    table = declared.read(project)
    layout.summary(project, table.schema)
    if project.drafting:
        running.sheet(project, table)
    else:
        running.watch(project)
    running.earlier(project)
