"""The texts of the app. Each page has its own module. This module has the texts that several pages share.

Constants are whole sentences or templates with named placeholders. Functions choose between sentences. Text
from a schema or from the steward is escaped with `plain` before it is put into Markdown.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from synth.app.figures.words import count as count
from synth.app.figures.words import delta as delta
from synth.app.figures.words import four_digits as four_digits
from synth.app.figures.words import limit as limit
from synth.app.figures.words import plain as plain
from synth.app.figures.words import rho as rho
from synth.app.figures.words import share as share
from synth.app.project.describe.sources import Place, place_of
from synth.app.project.runs import SyntheticTable, method_title
from synth.app.project.spend.allocation import epsilon_now
from synth.app.project.store import Origin, Project
from synth.core.numbers import number_of as number_of
from synth.core.schema import Schema, Unit

APP = "Marginalia"
TAGLINE = "From a private table to one you can publish."

# Errors and empty states
BROKEN = (
    "An error occurred on this page. Its details are hidden because they could quote the data. No "
    "budget was spent. If it happens again, send your administrator this reference: {reference}."
)

# Who does work that reads nothing private


# Chips

READ_RUN = ":orange-badge[:material/lock_open: Private data: read by a run]"
READ_FIT = ":orange-badge[:material/compare_arrows: Private data: compared with the columns]"
READ_FIT_AND_RUN = (
    ":orange-badge[:material/lock_open: Private data: compared with the columns, read by a run]"
)

DRAFT_DIFFERS = "The line above describes this table. The run you are preparing differs in: {what}."
NO_GUARANTEE = ":red-badge[:material/gpp_bad: No guarantee: columns read from the file]"
SOURCE_SHOWN = 28
"""Maximum number of characters of a starting table's source in the summary line."""

ORIGIN_NAME = {Origin.DEMO: "demo", Origin.PATH: "data folder", Origin.UPLOAD: "uploaded"}
ORIGIN_NAME |= {Origin.DATABASE: "database", Origin.PENDING: "no file yet"}
PLACES = {
    Place.FILE: "file{name} in the data folder",
    Place.FOLDER: "folder{name} in the data folder",
    Place.PATTERN: "files{name} in the data folder",
    Place.TABLE: "table in a DuckDB file{name} in the data folder",
    Place.UPLOAD: "uploaded file{name}",
    Place.DATABASE: "database connection{name}",
}


def table_of(project: Project, *, named: bool = False) -> str:
    """Describe where the private table is. Its name is included only if `named` is True, because other users
    can see most pages and a file name may itself be private.
    """
    if not project.called or (place := place_of(project)) not in PLACES:
        return ORIGIN_NAME[project.origin]
    return PLACES[place].format(name=f" {plain(project.called)}" if named else "")


def summary(project: Project, schema: Schema | None = None) -> str:
    """Return the earlier choices in one line. Without a schema, include only the project and its table."""
    named = f"**{plain(project.name)}** ({table_of(project)})"
    if schema is None:
        return named
    parts = [
        named,
        number_of(len(schema.modelled), "column"),
        f"{_spending(project, schema)}, delta {delta(project.budget.delta)}",
        f"method {plain(method_title(project.method.name))}",
        *([f"starts from {plain(_shortened(project.start.source))}"] if project.start.path else []),
    ]
    return " · ".join(parts)


def _shortened(source: str) -> str:
    return textwrap.shorten(source, SOURCE_SHOWN, placeholder="...")


def summary_of(project: Project, shown: SyntheticTable) -> str:
    """Return the settings of a finished run in one line, without those of a run being prepared."""
    parts = [
        f"**{plain(project.name)}** ({table_of(project)})",
        plain(shown.name),
        number_of(shown.columns, "column"),
        f"epsilon {shown.epsilon:g}, delta {delta(shown.delta)}",
        f"method {plain(shown.method)}",
        f"finished {plain(shown.day)}" if shown.day else "finished",
    ]
    return " · ".join(parts)


def _spending(project: Project, schema: Schema) -> str:
    budget = project.budget
    now = epsilon_now(schema, budget, project.method)
    return f"epsilon {now:g}" + ("" if now == budget.epsilon else f" of {budget.epsilon:g}")


def counted(schema: Schema) -> str:
    """Return the unit of a count: "people" if each person has one row, or "rows" if a person may have
    several.
    """
    if schema.unit.max_rows > 1:
        return "rows"
    return "people" if schema.unit.name == "person" else f"{schema.unit.name}s"


def rows_of_one(unit: Unit) -> str:
    """Return the maximum number of rows of one unit in words."""
    return "one row" if unit.max_rows == 1 else f"at most {unit.max_rows} rows"


def some(names: Sequence[str], *, most: int = 8) -> str:
    """Return a list of names, shortened if it is long."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
