"""Every kind of task by name: one module and one entry each.

These modules are imported by the app, the command line and every worker, so heavy libraries are imported
where the work is done.
"""

from __future__ import annotations

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import (
    domains,
    fitting,
    further,
    header,
    judging,
    publishing,
    regenerating,
    release,
    rows,
    study,
)

_ALL = (domains, fitting, further, header, judging, publishing, regenerating, release, rows, study)
KINDS: dict[str, TaskKind] = {module.__name__.rpartition(".")[2]: module.KIND for module in _ALL}
