"""Private evaluation: order a comparison with the private table, and read the last one.

NOT PRIVATE. Only this module and its panels may read findings in the app, and a test checks which modules
import them. Nothing is cached or kept in the session. Findings go from the study's folder directly to the
page, and only after the view was recorded in the decision log.
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
from synth.app.project.runs import SyntheticTable, of_present_table, tables
from synth.app.project.store import Project
from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.evaluate.findings import UNREADABLE, Findings

STEP = "steward"
MOST_TARGETS, _DEFAULT_RUNS = 3, 2


@dataclass(frozen=True, kw_only=True)
class Revealed:
    """NOT PRIVATE. A finished study: the findings by run, the map, and the runs that are not on the map."""

    order: StudyOrder
    findings: Mapping[str, Findings]
    atlas: Atlas | None
    unmapped: tuple[str, ...]


def study_of(project: Project) -> Task:
    """Return the task of the project's comparison. Only the owner of this installation can read its files."""
    return Task(project.folder / "studies" / "steward", "study")


def is_open(project: Project) -> bool:
    """Return whether the steward has opened the private evaluation."""
    return STEP in project.settled


def begin(
    project: Project, runs: Sequence[str], *, targets: Sequence[str], held_out: str, mapped: bool, rows: int
) -> None:
    """Order a comparison.

    `held_out` is the typed path of a file in the data folder, or "". `rows` is the number of rows for the
    map. Raises: `Mistake` for an invalid order, a missing file, or while a study is running.
    """
    path = str(projects.allowed_address(held_out)) if held_out.strip() else ""
    if path and path == project.data:
        raise Mistake(
            "The hold-out file is the table that was released. Choose a file of rows that were in no run, or "
            "leave the field empty."
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
    """Return the tables to compare by default: `first`, and those of the two newest runs."""
    newest = [one.run for one in runs if not one.generator][-_DEFAULT_RUNS:]
    return [one.run for one in runs if one.run in (first, *newest)]


def default_targets(schema: Schema) -> list[str]:
    """Return the column to predict by default, which is the last categorical column, if any."""
    return [column.name for column in schema.modelled if column.kind.has_values][-1:]


def record_failure(project: Project) -> None:
    """Record that the reason for a failed comparison is shown, which may reveal facts about the private
    table. Call this before showing the reason.
    """
    status = runner.find_status(study_of(project))
    if status is not None and status.state is State.FAILED:
        order = read_as(StudyOrder, study_of(project).order())
        _record_look(project, tables(project), order, decisions.FAILED_LOOK)


def _record_look(project: Project, runs: Sequence[SyntheticTable], order: StudyOrder, sentence: str) -> None:
    """Record a view of the compared tables: of the present private table, or only of earlier ones."""
    present = of_present_table(project)
    is_of_present = any(one.source in present for one in runs if one.run in order.runs)
    decisions.record_look(project, sentence, is_of_present=is_of_present)


def reveal(project: Project, runs: Sequence[SyntheticTable]) -> Revealed | None:
    """NOT PRIVATE. Record the view, and return the findings of the comparison, or None if there is none.

    Raises: `Mistake` if the private evaluation is not open, or the result cannot be read.
    """
    if not is_open(project):
        raise Mistake(
            "The private evaluation has not been opened for this project. Read the notice on its page first."
        )
    place = study_of(project)
    status = runner.find_status(place)
    if status is None or status.state is not State.DONE:
        return None
    order = read_as(StudyOrder, place.order())
    names = [one.name for one in runs if one.run in order.runs]
    _record_look(project, runs, order, decisions.steward_look(names))
    answer = place.answer()
    try:
        assert answer is not None
        atlas = answer["atlas"]
        findings = [Findings.from_json(document) for document in answer["findings"]]
        return Revealed(
            order=order,
            findings={one.run: one for one in findings},
            atlas=None if atlas is None else read_as(Atlas, atlas),
            unmapped=tuple(answer["unmapped"]),
        )
    except (KeyError, TypeError, ValueError, AssertionError):
        raise Mistake(UNREADABLE) from None
