"""Every kind of task by name: one file and one entry each.

A module here is imported by the app, the command line and every worker, so it is light: what brings numpy or
pyarrow is imported where the work is done.
"""

from __future__ import annotations

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import (
    atlas,
    domains,
    fitting,
    further,
    header,
    publishing,
    regenerating,
    release,
    rows,
    study,
    trial,
    trying,
)

KINDS: dict[str, TaskKind] = {
    "release": release.KIND,
    "study": study.KIND,
    "further": further.KIND,
    "fitting": fitting.KIND,
    "publishing": publishing.KIND,
    "header": header.KIND,
    "domains": domains.KIND,
    "trying": trying.KIND,
    "regenerating": regenerating.KIND,
    "rows": rows.KIND,
    "atlas": atlas.KIND,
    "trial": trial.KIND,
}
