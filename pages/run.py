"""Review the next run before it spends budget, follow its progress, and show how it ended."""

from __future__ import annotations

from synth.app.jobs import runner
from synth.app.jobs.store import Job
from synth.app.project import declared
from synth.app.ui import layout, state
from synth.app.ui.run import panels as run_panels
from synth.app.ui.text import run as text
from synth.dictionaries import load_schema

held = state.current()
status = None
if held is not None and held.runs and not held.drafting:
    status = runner.status(Job.find(held.runs[-1]))
project = layout.enter("run", lead=text.lead(status))
if project is not None:
    layout.summary(project, load_schema(project.schema))
    if project.drafting:
        run_panels.sheet(project, declared.read(project))
    else:
        run_panels.watch(project)
    run_panels.earlier(project)
