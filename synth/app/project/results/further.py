"""Further tables from the measurements of a run: find out which can be made, and order them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from synth.app.jobs import runner
from synth.app.jobs.kinds import further
from synth.app.jobs.spec import RunSpec, is_made
from synth.app.jobs.store import Task
from synth.app.project import decisions
from synth.app.project.runs import SyntheticTable, generator_title
from synth.app.project.store import Project
from synth.core.domain import Domain
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import followers
from synth.models.registry import GENERATORS


def open_to(spec: RunSpec) -> tuple[str, ...]:
    """Return the generators that suit a run and have not yet made a table from it."""
    kind = MECHANISMS[spec.method]
    first = spec.generator or kind.generator
    return tuple(name for name in followers(kind) if name != first and not is_made(spec, name))


def quick_first(generators: Iterable[str], domain: Domain) -> tuple[str, ...]:
    """Return the generators sorted by the longest time that a table can take. Unknown times come last."""
    bands = {name: GENERATORS[name]().seconds(domain) for name in generators}
    return tuple(sorted(bands, key=lambda name: math.inf if (band := bands[name]) is None else band[1]))


def ask(project: Project, shown: SyntheticTable, *, generators: Sequence[str], rows: int) -> None:
    """Request further tables, one per generator. If private results were viewed before, the choice is
    recorded.

    Raises: `Mistake` for an invalid order, or while other tables are being made.
    """
    order = further.order(run=shown.source, generators=generators, rows=rows)
    runner.begin(task_of(project, shown), order)
    if decisions.has_looked(project):
        for generator in generators:
            sentence = decisions.further_table(shown.number, generator_title(generator), rows)
            decisions.record_choice(project, sentence)


def task_of(project: Project, shown: SyntheticTable) -> Task:
    return Task(project.folder / "again" / shown.source, "further")
