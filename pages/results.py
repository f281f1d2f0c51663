"""The release, as anyone may see it: read from the bundle, never from the private table."""

from __future__ import annotations

from synth.schema_io import load_schema
from synth.ui import finished, further, layout, released, results
from synth.ui.text import results as text

project = layout.enter("results", lead=text.LEAD)
if project is not None:
    layout.summary(project, load_schema(project.schema))
    shown = results.choose(finished.tables(project))
    release = released.read(shown.folder)
    results.verdict(release)
    results.column(release)
    results.bounds(release)
    results.residuals(release)
    results.rules(release)
    results.sample(release)
    further.another(project, shown, release)
    results.onward(project, release)
