"""What the steward's room holds: the last comparison with the private table, and how one is ordered.

NOT PRIVATE. This module and the panels drawn from it are the only ones of the app that may read findings; a
test checks who imports them. Nothing is cached and nothing is kept in the session: findings go from the
study's folder to the page that was asked for, and only after the look was written into the decision log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from synth.app.jobs import runner
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import State, Task
from synth.app.maps.atlas import Atlas
from synth.app.project import decisions
from synth.app.project import store as projects
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.evaluate.findings import UNREADABLE, Findings

STEP = "steward"
MOST_TARGETS, _DEFAULT_RUNS = 3, 2


@dataclass(frozen=True, kw_only=True)
class Revealed:
    """NOT PRIVATE. One finished study: findings by run, the map, and the runs that are not on it."""

    order: StudyOrder
    findings: Mapping[str, Findings]
    atlas: Atlas | None
    unmapped: tuple[str, ...]


def study_of(project: Project) -> Task:
    """Where the project's comparison lies; nobody but the owner of this installation can open it."""
    return Task(project.folder / "studies" / "steward", "study")


def is_open(project: Project) -> bool:
    """Whether the steward has said that the room may be entered."""
    return STEP in project.settled


def begin(
    project: Project, runs: Sequence[str], *, targets: Sequence[str], held_out: str, mapped: bool, rows: int
) -> None:
    """Order a comparison; `held_out` is a file of the data folder as typed, or ""; `rows` is for the map.

    Raises: `Mistake` for an order no study could have, a file that is not there, or a study still at work.
    """
    path = str(projects.allowed_address(held_out)) if held_out.strip() else ""
    if path and path == project.data:
        raise Mistake(
            "The held-out file is the table that was released. Name a file of rows that never entered a run, "
            "or leave the box empty."
        )
    order = StudyOrder(
        kind=StudyKind.STEWARD,
        runs=tuple(runs),
        targets=tuple(targets),
        held_out=path,
        mapped=mapped,
        rows=rows,
    )
    runner.begin(study_of(project), asdict(order))


def default_runs(runs: Sequence[SyntheticTable], *, first: str) -> list[str]:
    """The tables to compare unless others are chosen: `first`, and those of the two newest runs."""
    newest = [one.run for one in runs if not one.generator][-_DEFAULT_RUNS:]
    return [one.run for one in runs if one.run in (first, *newest)]


def default_targets(schema: Schema) -> list[str]:
    """The column to predict unless another is chosen: the last one with values to name, if there is one."""
    return [column.name for column in schema.modelled if column.kind.has_values][-1:]


def record_failure(project: Project) -> None:
    """Write down that the reason of a failed comparison is shown: it may tell of the private table, such as
    that a column holds a blank. To be called before it is."""
    status = runner.find_status(study_of(project))
    if status is not None and status.state is State.FAILED:
        decisions.record_look(project, decisions.FAILED_LOOK)


def reveal(project: Project, runs: Sequence[SyntheticTable]) -> Revealed | None:
    """NOT PRIVATE. What the comparison found, after the look has been written down; None without one.

    Raises: `Mistake` if the room is not open, or the answer cannot be read.
    """
    if not is_open(project):
        raise Mistake(
            "The steward's view has not been opened for this project. Read the notice on its page first."
        )
    place = study_of(project)
    status = runner.find_status(place)
    if status is None or status.state is not State.DONE:
        return None
    order = StudyOrder.of(place.order())
    names = [one.name for one in runs if one.run in order.runs]
    decisions.record_look(project, decisions.steward_look(names))
    answer = place.answer()
    try:
        assert answer is not None
        atlas = answer["atlas"]
        findings = [Findings.from_json(document) for document in answer["findings"]]
        return Revealed(
            order=order,
            findings={one.run: one for one in findings},
            atlas=None if atlas is None else Atlas.from_json(atlas),
            unmapped=tuple(answer["unmapped"]),
        )
    except (KeyError, TypeError, ValueError, AssertionError):
        raise Mistake(UNREADABLE) from None
