"""The steps from a table to a release: their order, what each step needs, and the progress of a project.

`facts_of` collects facts from the project and its job folders, and everything else follows from these. A
locked step keeps its page and its address. The page shows what is missing, with a link.
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
    """The state of a step. The word is shown next to the icon."""

    DONE = "done"
    OPEN = "open"
    LOCKED = "locked"


@dataclass(frozen=True)
class Step:
    """A page of the journey: the file `pages/NAME.py` at the address `/NAME`, with a Material `symbol`.

    `needs` contains the names of the steps that must be done first, in order. An `optional` step is never the
    next step and does not count as progress. An `aside` is always open and never done. A `public` page shows
    nothing that only the steward may see. Approvers and viewers can open it for projects whose address they
    have.
    """

    name: str
    title: str
    symbol: str
    part: str
    needs: tuple[str, ...] = ()
    optional: bool = False
    aside: bool = False
    public: bool = False

    @property
    def counts(self) -> bool:
        """Return whether a release needs this step."""
        return not (self.optional or self.aside)

    @property
    def icon(self) -> str:
        return f":material/{self.symbol}:"

    @property
    def page(self) -> str:
        return f"pages/{self.name}.py"


DESCRIBE, SPEND, JUDGE, PUBLISH, ASIDE = "Describe", "Spend", "Judge", "Publish", "At any time"

_DECLARED = ("project", "unit", "schema")
_ORDERED = (*_DECLARED, "file", "budget")
_RUN = (*_ORDERED, "run")

STEPS = (
    Step("project", "Project", "folder_open", DESCRIBE, public=True),
    Step("unit", "Who is protected", "shield_person", DESCRIBE, ("project",)),
    Step("schema", "Columns", "table_view", DESCRIBE, ("project", "unit")),
    Step("rules", "Rules", "rule", DESCRIBE, _DECLARED),
    Step("budget", "Budget", "account_balance_wallet", SPEND, _DECLARED),
    Step("method", "Method", "tune", SPEND, _DECLARED),
    Step("run", "Run", "rocket_launch", SPEND, _ORDERED),
    Step("results", "Results", "monitoring", JUDGE, _RUN, public=True),
    Step("steward", "Private evaluation", "visibility", JUDGE, _RUN, optional=True),
    Step("compare", "Compare", "balance", JUDGE, _RUN, optional=True, public=True),
    Step("release", "Release", "inventory_2", PUBLISH, _RUN, public=True),
    Step("ledger", "Ledger", "receipt_long", ASIDE, aside=True, public=True),
    Step("help", "Help", "help", ASIDE, aside=True, public=True),
)
MET_AT = {"file": "schema"}
"""Needs that are not steps, and the step in which each need is met."""
BY_NAME = {step.name: step for step in STEPS}
PARTS = tuple(dict.fromkeys(step.part for step in STEPS))


@dataclass(frozen=True, kw_only=True)
class Station:
    """A step of a project. If the step is locked, it states the missing need and the step that meets this
    need.
    """

    step: Step
    mark: Mark
    missing: str = ""
    leads_to: Step | None = None


def stations(met: frozenset[str]) -> tuple[Station, ...]:
    """Return all steps in order, given the needs that are met."""
    return tuple(_station(step, met) for step in STEPS)


def station_of(name: str, project: Project | None) -> Station:
    """Return one step of a project."""
    return _station(BY_NAME[name], facts_of(project))


def _station(step: Step, met: frozenset[str]) -> Station:
    missing = first_missing(step.needs, met)
    if missing is not None:
        home = BY_NAME[MET_AT.get(missing, missing)]
        return Station(step=step, mark=Mark.LOCKED, missing=missing, leads_to=home)
    done = step.name in met and not step.aside
    return Station(step=step, mark=Mark.DONE if done else Mark.OPEN)


def first_missing(needs: tuple[str, ...], met: frozenset[str]) -> str | None:
    """Return the earliest need that is not met, if any. A finished run counts even if the declarations for
    the next run are incomplete.
    """
    if "run" in needs and "run" in met:
        return None
    return next((need for need in needs if need not in met), None)


def next_open(met: frozenset[str], *, after: str = "") -> Step | None:
    """Return the first open step after `after` (by default, the first of all steps), or None if all are
    done.
    """
    names = [step.name for step in STEPS]
    start = names.index(after) + 1 if after else 0
    for station in stations(met)[start:]:
        if station.mark is Mark.OPEN and station.step.counts:
            return station.step
    return None


def progress(met: frozenset[str]) -> tuple[int, int, Step | None]:
    """Return the number of steps that are done, the number of all steps, and the next step."""
    marks = [station.mark for station in stations(met) if station.step.counts]
    return marks.count(Mark.DONE), len(marks), next_open(met)


def settle(project: Project, name: str) -> Project:
    """Return the project with a step confirmed by the steward."""
    return project if name in project.settled else replace(project, settled=(*project.settled, name))


def facts_of(project: Project | None) -> frozenset[str]:
    """Return the needs that a project meets, as far as job folders show them. Nothing private is read."""
    if project is None:
        return frozenset()
    met = {"project"} | set(project.settled)
    if project.runs:  # a run confirms the steps before it
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
        met |= {"release", "results"}  # the report was read before publishing
    return frozenset(met)


def _is_unit_declared(project: Project) -> bool:
    """Return whether the schema states who is protected and in which population."""
    unit = project.schema.get("unit")
    return isinstance(unit, dict) and bool(unit.get("max_rows")) and bool(project.schema.get("population"))
