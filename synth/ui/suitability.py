"""Who is protected, and whether this is the right tool at all: answers in, a verdict out. Public facts only.

The unit's answers live in the schema document (`population`, `unit`, `rows_public`), where the engine reads
them; what the engine has no use for lives in `Project.suitability`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from synth.errors import Mistake
from synth.schema import Neighbours, ProtectedChange
from synth.ui.project import Project, Suitability
from synth.ui.text import unit as text

STOPPING_HARM = "severe"
TINY, SMALL = "tens", "hundreds"
MANY_ROWS = 50
"""Above this many rows per unit the page says that little will be left of small groups."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The page as filled in. `max_rows` is None and `population` empty while unanswered."""

    suitability: Suitability
    unit: str = "person"
    max_rows: int | None = None
    id_column: str = ""
    rows_public: int | None = None
    population: str = ""

    @property
    def protects(self) -> ProtectedChange:
        """What a release has to hide, by these answers; one row while their number is open."""
        return ProtectedChange(
            unit=self.unit,
            max_rows=self.max_rows or 1,
            neighbours=Neighbours.REPLACE if self.rows_public else Neighbours.ADD_REMOVE,
            is_capped=bool(self.id_column.strip()),
        )

    @staticmethod
    def of(project: Project) -> Answers:
        """What the project says so far."""
        unit: dict[str, Any] = project.schema.get("unit") or {}
        rows = project.schema.get("rows_public")
        return Answers(
            suitability=project.suitability,
            unit=unit.get("name", "person"),
            max_rows=unit.get("max_rows"),
            id_column=unit.get("id_column") or "",
            rows_public=None if isinstance(rows, bool) else rows,
            population=project.schema.get("population", ""),
        )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Sentences, in the order of the page: `stops` end the journey, `missing` hold it up, `notes` advise."""

    stops: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_clear(self) -> bool:
        return not self.stops and not self.missing


def written(project: Project, answers: Answers) -> Project:
    """The project with the answers in it. Raises: `Mistake` for an empty name of the unit."""
    name = answers.unit.strip()
    if not name:
        raise Mistake(text.NEED_UNIT)
    kept = {k: v for k, v in project.schema.items() if k not in ("unit", "population")}
    kept["rows_public"] = answers.rows_public or False
    if answers.population.strip():
        kept["population"] = answers.population.strip()
    if answers.max_rows is not None:
        kept["unit"] = {"name": name, "max_rows": answers.max_rows}
        if answers.id_column.strip():
            kept["unit"]["id_column"] = answers.id_column.strip()
    return replace(project, schema=kept, suitability=answers.suitability)


def judge(answers: Answers) -> Verdict:
    """Whether to go on, what is missing, and what should be known first."""
    given = answers.suitability
    return Verdict(
        stops=tuple(sentence for stops, sentence in _stops(given) if stops),
        missing=tuple(sentence for lacks, sentence in _missing(answers) if lacks),
        notes=tuple(sentence for applies, sentence in _notes(answers) if applies),
    )


def _stops(given: Suitability) -> list[tuple[bool, str]]:
    return [
        (given.records is False, text.STOP_AGGREGATES),
        (given.harm == STOPPING_HARM, text.STOP_HARM),
        (given.size == TINY, text.STOP_TINY),
    ]


def _missing(answers: Answers) -> list[tuple[bool, str]]:
    given = answers.suitability
    return [
        (given.people is None, text.MISSING_PEOPLE),
        (given.records is None, text.MISSING_RECORDS),
        (not given.harm, text.MISSING_HARM),
        (not given.size, text.MISSING_SIZE),
        (answers.max_rows is None, text.MISSING_ROWS),
        (not answers.population.strip(), text.MISSING_POPULATION),
    ]


def _notes(answers: Answers) -> list[tuple[bool, str]]:
    given, rows = answers.suitability, answers.max_rows or 1
    return [
        (given.people is False, text.NOTE_NOBODY),
        (given.harm == "none", text.NOTE_PUBLIC),
        (given.size == SMALL, text.NOTE_SMALL),
        (rows > 1, text.noise_grows(rows, answers.unit)),
        (rows > 1 and not answers.id_column.strip(), text.NOTE_NO_ID),
        (bool(answers.id_column.strip()), text.NOTE_BLANK_ID.format(column=answers.id_column.strip())),
        (rows > MANY_ROWS, text.NOTE_MANY.format(rows=rows)),
        (answers.rows_public is not None, text.NOTE_ROWS_PUBLIC),
    ]
