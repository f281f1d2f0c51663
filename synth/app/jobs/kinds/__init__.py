"""List every kind of task by name. Each kind has one module and one entry.

The app, the command line and every worker import these modules, so each kind imports large libraries only in
the function that does the work.
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
