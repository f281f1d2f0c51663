"""Judge from the steward's answers who is protected and whether this tool is suitable.

Only public facts are used. The answers about the privacy unit are stored in the schema document
(`population`, `unit`, `rows_public`), the rough number of rows in `Project.budget`, and the others in
`Project.suitability`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from synth.app.project.store import Project, Suitability
from synth.core.errors import Mistake
from synth.core.request import People
from synth.core.schema import Neighbours, ProtectedChange

STOPPING_HARM = "severe"
FEWEST, FEW = 100, 1_000
"""Numbers of rows below which the project stops, and below which the page shows a note."""

_FEWEST, _FEW = "tens", "hundreds"
"""The same as answers in projects of version 0.9, which asked for an order of magnitude."""

_MANY_ROWS = 50
"""Number of rows per unit above which small groups are lost in the noise."""


@dataclass(frozen=True, kw_only=True)
class UnitAnswers:
    """The answers on the page. Until they are given, `max_rows` is None and `population` is empty."""

    suitability: Suitability
    unit: str = "person"
    max_rows: int | None = None
    id_column: str = ""
    rows_about: int | None = None
    rows_public: int | None = None
    population: str = ""

    @property
    def rows(self) -> int | None:
        """Return the public number of rows, or else the rough one."""
        return self.rows_public or self.rows_about

    @property
    def protects(self) -> ProtectedChange:
        """Return what a release must protect according to these answers. Without a number of rows, one row
        per unit is assumed.
        """
        return ProtectedChange(
            unit=self.unit,
            max_rows=self.max_rows or 1,
            neighbours=Neighbours.REPLACE if self.rows_public else Neighbours.ADD_REMOVE,
            is_capped=bool(self.id_column.strip()),
        )

    @staticmethod
    def of(project: Project) -> UnitAnswers:
        """Return the answers of a project."""
        unit: dict[str, Any] = project.schema.get("unit") or {}
        rows = project.schema.get("rows_public")
        return UnitAnswers(
            suitability=project.suitability,
            unit=unit.get("name", "person"),
            max_rows=unit.get("max_rows"),
            id_column=unit.get("id_column") or "",
            rows_about=project.budget.rows_about,
            rows_public=None if isinstance(rows, bool) else rows,
            population=project.schema.get("population", ""),
        )


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Codes in the order of the page: `stops` block the project, `missing` block the next step, and `notes`
    are advice.
    """

    stops: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_clear(self) -> bool:
        return not self.stops and not self.missing


def written(project: Project, answers: UnitAnswers) -> Project:
    """Return the project with the answers. Raises: `Mistake` if the name of the unit is empty."""
    name = answers.unit.strip()
    if not name:
        raise Mistake("The privacy unit has no name. Type one, for example person.")
    kept = {k: v for k, v in project.schema.items() if k not in ("unit", "population")}
    kept["rows_public"] = answers.rows_public or False
    if answers.population.strip():
        kept["population"] = answers.population.strip()
    if answers.max_rows is not None:
        kept["unit"] = {"name": name, "max_rows": answers.max_rows}
        if answers.id_column.strip():
            kept["unit"]["id_column"] = answers.id_column.strip()
    is_other = kept.get("population") != project.schema.get("population")
    people = People.UNDECLARED if is_other and project.people is not People.NEW else project.people
    budget = replace(project.budget, rows_about=answers.rows)
    return replace(project, schema=kept, budget=budget, suitability=answers.suitability, people=people)


def judge(answers: UnitAnswers) -> Judgement:
    """Return what blocks the project, what is missing, and advice."""
    given, rows, has_id = answers.suitability, answers.max_rows or 1, bool(answers.id_column.strip())
    size = answers.rows
    stops = {
        "aggregates": given.records is False,
        "harm": given.harm == STOPPING_HARM,
        "tiny": given.size == _FEWEST if size is None else size < FEWEST,
    }
    missing = {
        "people": given.people is None,
        "records": given.records is None,
        "harm": not given.harm,
        "size": size is None and not given.size,
        "rows": answers.max_rows is None,
        "population": not answers.population.strip(),
    }
    notes = {
        "nobody": given.people is False,
        "public": given.harm == "none",
        "small": given.size == _FEW if size is None else FEWEST <= size < FEW,
        "noise": rows > 1,
        "no id": rows > 1 and not has_id,
        "blank id": has_id,
        "many": rows > _MANY_ROWS,
        "rows public": answers.rows_public is not None,
    }
    holding = (tuple(code for code, holds in codes.items() if holds) for codes in (stops, missing, notes))
    return Judgement(**dict(zip(("stops", "missing", "notes"), holding, strict=True)))
