"""Every sentence of the app, in one place, so that it can be edited like prose.

Constants are whole sentences or templates with named gaps; functions choose between sentences. Words that
come from a file's schema or from the steward go through `plain` before they meet Markdown.
"""

from __future__ import annotations

from synth.figures.words import count as count
from synth.figures.words import delta as delta
from synth.figures.words import four_digits as four_digits
from synth.figures.words import limit as limit
from synth.figures.words import number_of as number_of
from synth.figures.words import plain as plain
from synth.figures.words import rho as rho
from synth.figures.words import share as share
from synth.project.allocation import epsilon_now
from synth.project.runs import method_title
from synth.project.store import Origin, Project
from synth.schema import Column, Kind, Provenance, Schema

APP = "Marginalia"
TAGLINE = "From a private table to one you can publish."

# Errors and empty states
BROKEN = (
    "Something broke on this page, and what it was is kept from the screen because it could quote the data. "
    "Nothing was spent by it. If it happens again, ask whoever runs this app about reference {reference}."
)

# The demo
DEMO_TITLE = "Try the demo"
DEMO_BODY = (
    "Three thousand people of a harbour town that does not exist, with a schema and six rules. Invented, "
    "so nothing can go wrong, yet treated like a private table: two minutes from here to a release."
)
DEMO_STEPS = (
    "1. See how a table is declared, and what each rule takes away.\n"
    "2. Set a budget, and see what it means for an attacker and for a count.\n"
    "3. Start, and watch the method ask its questions.\n"
    "4. See how good the synthetic table is, and take it with you."
)
DEMO_BUTTON = "Open the demo"

# Budget and method
EPSILON_LABEL = "Privacy loss (epsilon)"
EPSILON_BOX = "Exact value"
EPSILON_HELP = "Smaller protects more and blurs more. Steps on the slider are uneven because its effect is."
DELTA_HELP = (
    "The stated limit may fail with at most this chance. Keep it well below one in the number of people "
    "the table could hold."
)
LIFETIME_LABEL = "Lifetime limit (epsilon)"
LIFETIME_HELP = (
    "All releases about these people, from any file, share one limit. It is fixed with the first release and "
    "raised only with a written reason."
)
ODDS_TITLE = "What an attacker could gain"
ODDS_NOTE = (
    "Ceilings, for a person about whom everything else is known. They say nothing about facts that "
    "follow from the population as a whole."
)
HIGH_EPSILON = (
    "Above 5 the promise is weak: an attacker who suspects someone is in the table can be nearly sure."
)
LEDGER_NEW = "These people have no budget line yet. This run would open one with a limit of {limit}."
LEDGER_NOTE = "Releases add up on a scale (rho) on which half the epsilon costs about a quarter."
ROWS_LABEL = "Rows to make"
ROWS_HELP = "Leave empty to make about as many rows as the table has, by a noisy estimate."
ROWS_EMPTY = "as estimated"
WORKLOAD_LABEL = "Keep faithful"
WORKLOAD_CHOICES = {2: "Pairs of columns", 3: "Triples of columns"}
OPTIONS_TITLE = "Settings of this method"
OPTIONS_NONE = "This method has no settings."
TABLE_BELOW = "The same as a table"


# Chips
READ_NONE = ":green-badge[:material/lock: Private data: not read]"
READ_RUN = ":orange-badge[:material/lock_open: Private data: read at release]"
READ_FIT = ":orange-badge[:material/compare_arrows: Private data: compared with the columns]"
READ_STEWARD = ":red-badge[:material/visibility: Private data: steward's view opened]"
DRAFT_DIFFERS = (
    "The line above says what this table was made with. The run you are preparing differs in: {what}."
)
NO_GUARANTEE = ":red-badge[:material/gpp_bad: No guarantee: columns read from the file]"
PROVENANCE_COLOUR = {
    Provenance.PUBLIC_DOCUMENT: "green",
    Provenance.STEWARD: "blue",
    Provenance.BOUGHT: "violet",
    Provenance.READ_FROM_FILE: "red",
}
KIND_NAME = {
    Kind.CATEGORY: "category",
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal",
    Kind.DATE: "date",
    Kind.DROP: "left out",
}
ORIGIN_NAME = {Origin.DEMO: "demo", Origin.PATH: "data folder", Origin.UPLOAD: "uploaded"}
ORIGIN_NAME[Origin.PENDING] = "no file yet"


def badge(provenance: Provenance) -> str:
    """Where a domain comes from, as a coloured word."""
    return f":{PROVENANCE_COLOUR[provenance]}-badge[{provenance.value}]"


def domain_of(column: Column) -> str:
    """The declared domain in a few words."""
    if column.kind is Kind.DROP:
        return "not synthesised"
    if column.buy:
        return "to be bought with budget"
    if column.kind.has_values:
        shown = ", ".join(str(v) for v in column.values[:4])
        more = len(column.values) - 4
        return f"{shown} and {more} more" if more > 0 else shown
    return (
        f"{column.min:,} to {column.max:,}"
        if column.kind is not Kind.DATE
        else f"{column.min} to {column.max}"
    )


def summary(project: Project, schema: Schema | None = None) -> str:
    """The earlier choices in one line; without a schema, those made before there is one."""
    name = plain(project.name if schema is None else schema.title or schema.name)
    if schema is None:
        return f"**{name}** ({ORIGIN_NAME[project.origin]})"
    parts = [
        f"**{name}** ({ORIGIN_NAME[project.origin]})",
        f"{len(schema.modelled)} columns",
        f"{_spending(project, schema)}, delta {delta(project.budget.delta)}",
        f"method {plain(method_title(project.method.name))}",
    ]
    return " · ".join(parts)


def summary_of(
    project: Project, *, run: str, columns: int, epsilon: float, at: float, method: str, day: str
) -> str:
    """What a run was asked, in one line: nothing in it is of a run that is being prepared."""
    parts = [
        f"**{plain(project.name)}** ({ORIGIN_NAME[project.origin]})",
        plain(run),
        f"{columns} columns",
        f"epsilon {epsilon:g}, delta {delta(at)}",
        f"method {plain(method)}",
        f"finished {plain(day)}" if day else "finished",
    ]
    return " · ".join(parts)


def _spending(project: Project, schema: Schema) -> str:
    budget = project.budget
    now = epsilon_now(schema, budget, project.method)
    return f"epsilon {now:g}" + ("" if now == budget.epsilon else f" of {budget.epsilon:g}")


def odds(posterior: float, power: float, epsilon: float) -> str:
    """What the promise means for one attacker."""
    return (
        "Someone who gives even odds that a given person is in the table can be right at most "
        f"**{posterior * 100:.0f} times in 100** after seeing the release (epsilon {epsilon:g}), instead "
        f"of 50. If they may accuse wrongly 5 times in 100, they catch at most **{power * 100:.0f} in "
        "100** who are in it."
    )


def counted(schema: Schema) -> str:
    """What a count counts: people where one fills one row, rows where one may fill several."""
    if schema.unit.max_rows > 1:
        return "rows"
    return "people" if schema.unit.name == "person" else f"{schema.unit.name}s"
