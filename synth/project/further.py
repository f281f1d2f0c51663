"""Further tables from the answers a run has paid for: which can be made, the order, and how far it is."""

from __future__ import annotations

from synth.jobs import runner
from synth.jobs.kinds import further
from synth.jobs.spec import RunSpec, is_made
from synth.jobs.store import Status, Task
from synth.mechanisms import MECHANISMS
from synth.mechanisms.recipe import followers
from synth.project import decisions
from synth.project.runs import SyntheticTable, generator_title
from synth.project.store import Project


def open_to(spec: RunSpec) -> tuple[str, ...]:
    """The generators that suit a run and have made no table of it yet."""
    kind = MECHANISMS[spec.method]
    first = spec.generator or kind.generator
    return tuple(name for name in followers(kind) if name != first and not is_made(spec, name))


def ask(project: Project, shown: SyntheticTable, *, generator: str, rows: int) -> None:
    """Have the table made; a choice after a look goes into the log.

    Raises: `Mistake` for an order no table could have, or while another one is being made.
    """
    order = further.order(run=shown.source, generator=generator, rows=rows)
    runner.begin(_task(project, shown), order)
    if decisions.has_looked(project):
        sentence = decisions.further_table(shown.number, generator_title(generator), rows)
        decisions.record_choice(project, sentence)


def under_way(project: Project, shown: SyntheticTable) -> Status | None:
    """How far the table last asked for is, or how it ended; None if none was."""
    return runner.find_status(_task(project, shown))


def _task(project: Project, shown: SyntheticTable) -> Task:
    return Task(project.folder / "again" / shown.source, "further")
