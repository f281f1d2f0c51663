"""The way from a table to a release: steps in order, what each needs, and how far a project has come.

Pure: `stations` looks at facts, `facts_of` gathers them from the project and its job folders. A locked step
keeps its page and its address; the page says what is missing and leads there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from synth.app.project import runs
from synth.app.project.results import publication
from synth.app.project.store import Project
from synth.core.errors import MarginaliaError, Mistake
from synth.dictionaries import load_schema


class Mark(StrEnum):
    """How a step stands; the word is shown beside its icon."""

    DONE = "done"
    OPEN = "open"
    LOCKED = "locked"


@dataclass(frozen=True, kw_only=True)
class Step:
    """A page of the journey: the file `pages/NAME.py` at the address `/NAME`.

    `needs` are names of steps that must be done first. Nobody is sent to an `optional` step, and it does not
    count for how far a project has come. An `aside` is no station: always open, never done. A `public` page
    has no number that is the steward's alone: approvers and viewers see it of projects they are pointed to.
    """

    name: str
    title: str
    icon: str
    part: str
    needs: tuple[str, ...] = ()
    optional: bool = False
    aside: bool = False
    public: bool = False

    @property
    def counts(self) -> bool:
        """Whether the way from a table to a release leads through this step."""
        return not (self.optional or self.aside)

    @property
    def page(self) -> str:
        return f"pages/{self.name}.py"


DESCRIBE, SPEND, JUDGE, PUBLISH, ASIDE = "Describe", "Spend", "Judge", "Publish", "At any time"

STEPS = (
    Step(name="project", title="Project", icon=":material/folder_open:", part=DESCRIBE, public=True),
    Step(
        name="unit",
        title="Who is protected",
        icon=":material/shield_person:",
        part=DESCRIBE,
        needs=("project",),
    ),
    Step(name="schema", title="Columns", icon=":material/table_view:", part=DESCRIBE, needs=("unit",)),
    Step(name="rules", title="Rules", icon=":material/rule:", part=DESCRIBE, needs=("schema",)),
    Step(
        name="budget", title="Budget", icon=":material/account_balance_wallet:", part=SPEND, needs=("schema",)
    ),
    Step(name="method", title="Method", icon=":material/tune:", part=SPEND, needs=("schema",)),
    Step(name="run", title="Run", icon=":material/rocket_launch:", part=SPEND, needs=("file", "budget")),
    Step(
        name="results", title="Results", icon=":material/monitoring:", part=JUDGE, needs=("run",), public=True
    ),
    Step(
        name="steward",
        title="Private evaluation",
        icon=":material/visibility:",
        part=JUDGE,
        needs=("run",),
        optional=True,
    ),
    Step(
        name="compare",
        title="Compare",
        icon=":material/balance:",
        part=JUDGE,
        needs=("run",),
        optional=True,
        public=True,
    ),
    Step(
        name="release",
        title="Release",
        icon=":material/inventory_2:",
        part=PUBLISH,
        needs=("run",),
        public=True,
    ),
    Step(name="ledger", title="Ledger", icon=":material/receipt_long:", part=ASIDE, aside=True, public=True),
    Step(name="help", title="Help", icon=":material/help:", part=ASIDE, aside=True, public=True),
)
MET_AT = {"file": "schema"}
"""Needs that are no step of their own, and the step where they are met."""
BY_NAME = {step.name: step for step in STEPS}
PARTS = tuple(dict.fromkeys(step.part for step in STEPS))


@dataclass(frozen=True, kw_only=True)
class Station:
    """A step as it stands for a project. If locked: the need that is missing and the step that meets it."""

    step: Step
    mark: Mark
    missing: str = ""
    leads_to: Step | None = None


def stations(met: frozenset[str]) -> tuple[Station, ...]:
    """Every step in order, given the names of the needs that are met."""
    return tuple(_station(step, met) for step in STEPS)


def station_of(name: str, project: Project | None) -> Station:
    """One step as it stands for a project."""
    return _station(BY_NAME[name], facts_of(project))


def _station(step: Step, met: frozenset[str]) -> Station:
    missing = first_missing(step.needs, met)
    if missing is not None:
        home = BY_NAME[MET_AT.get(missing, missing)]
        return Station(step=step, mark=Mark.LOCKED, missing=missing, leads_to=home)
    done = step.name in met and not step.aside
    return Station(step=step, mark=Mark.DONE if done else Mark.OPEN)


def first_missing(needs: tuple[str, ...], met: frozenset[str]) -> str | None:
    """The earliest unmet need on the way to these, looking through the needs of needs.

    A finished run stands, whatever is missing in the declarations of the next one.
    """
    for need in needs:
        if need == "run" and need in met:
            continue
        home = MET_AT.get(need, need)
        before = (home,) if home != need else BY_NAME[home].needs
        missing = first_missing(before, met)
        if missing is not None:
            return missing
        if need not in met:
            return need
    return None


def next_open(met: frozenset[str], *, after: str = "") -> Step | None:
    """The first open step behind `after` (from the start by default), None once everything is done."""
    names = [step.name for step in STEPS]
    start = names.index(after) + 1 if after else 0
    for station in stations(met)[start:]:
        if station.mark is Mark.OPEN and station.step.counts:
            return station.step
    return None


def progress(met: frozenset[str]) -> tuple[int, int]:
    """How many steps are done, of how many."""
    marks = [station.mark for station in stations(met) if station.step.counts]
    return marks.count(Mark.DONE), len(marks)


def settle(project: Project, name: str) -> Project:
    """The project with a step confirmed by the steward."""
    return project if name in project.settled else replace(project, settled=(*project.settled, name))


def facts_of(project: Project | None) -> frozenset[str]:
    """Names of the needs a project meets; reads its job folders, nothing private."""
    if project is None:
        return frozenset()
    met = {"project"} | set(project.settled)
    if project.runs:  # whoever has paid for a run has confirmed what stands before it
        met |= {"unit", "rules", "budget", "method"}
    if not _is_unit_declared(project):
        met.discard("unit")
    met.discard("schema")
    with suppress(Mistake):
        load_schema(project.schema)
        met.add("schema")
    if project.data:
        met.add("file")
    with suppress(MarginaliaError, OSError, ValueError):
        if runs.is_any_finished(project):
            met.add("run")
    if publication.count_published(project):
        met |= {"release", "results"}  # whoever published has read the report
    return frozenset(met)


def _is_unit_declared(project: Project) -> bool:
    """Whether the schema document says who is protected and which budget line they share."""
    unit = project.schema.get("unit")
    return isinstance(unit, dict) and bool(unit.get("max_rows")) and bool(project.schema.get("population"))
