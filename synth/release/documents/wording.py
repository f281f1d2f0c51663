"""Write figures and facts in words, in the same form for all documents. Most sentences are in `templates`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from synth.core import accounting
from synth.core.accounting import (
    GAUSSIAN,
    MIXED,
    Law,
    Odds,
    exact,
    in_hundred,
    law_in,
    law_named,
    odds_at_limit,
    rho_of,
    upwards,
)
from synth.core.axis import Axis
from synth.core.evidence import COMPARISON, FIT, MEANS, SHARES, VERDICT, Evidence
from synth.core.measurements.formula import Formula
from synth.core.measurements.logistic import ASK, Score
from synth.core.measurements.moments import Block, Term
from synth.core.numbers import TIMES, about, number_of, per_cent
from synth.core.request import People
from synth.core.schema import Unit
from synth.private.ledger import Claim, lapse_sentence
from synth.release.plan import generator_title, method_title


def rows(unit: Unit) -> str:
    """Return the maximum number of rows of a privacy unit in words."""
    return "one row" if unit.max_rows == 1 else f"at most {unit.max_rows} rows"


PARTS = {
    "mechanism": "the method",
    "preprocess": "domains estimated from the data",
    COMPARISON: "hold-out measurements",
    SHARES: "measured target proportions",
    MEANS: "means and regressions",
    VERDICT: "the accuracy check",
    FIT: "cells that do not fit the declaration",
}
"""Readable names for the parts of a privacy cost. The app uses the same names."""


def means(formulas: Sequence[str], evidence: Evidence) -> list[str]:
    """Return one text for each formula, which states what was measured for it and its use.

    The texts are in the order of the measurements.
    """
    requested = [answer.requested for answer in evidence.numbers if answer.part == MEANS]
    axes = {axis.name: axis for axis in evidence.codebook.axes}
    lines = []
    for formula, facts in zip(sorted(map(Formula.of, formulas), key=_is_last), requested, strict=True):
        if facts["ask"] == ASK:
            score = Score.of(facts)
            block, use = score.block, "a logistic regression"
            sums = f"{number_of(len(score.entries), 'sum')} at a fit to the synthetic rows"
        else:
            block = Block.of(facts)
            use = "linear regressions" if formula.regressors else "means"
            sums = f"{number_of(len(block.entries), 'sum')} of products"
        numbers = {term.column: _range(term, axes[term.column]) for term in block.terms if term.code is None}
        groups = f" in each group of {TIMES.join(block.by)}" if block.by else ""
        line = f"{formula.text}: {sums}{groups}, over the records with a value in these columns, for {use}."
        if numbers:
            limits = ", ".join(f"{name} ({ends})" for name, ends in numbers.items())
            line += f" Values outside these ranges are treated as declared for each column: {limits}."
        lines.append(line)
    return lines


def _range(term: Term, axis: Axis) -> str:
    """Return the range of a column of numbers or dates, or of a list of numbers."""
    return axis.span(0, axis.cells - 1) if axis.edges else f"{term.low:g} to {term.high:g}"


def _is_last(formula: Formula) -> bool:
    """Whether a formula is a logistic regression, which is measured after all other formulas."""
    return formula.is_logistic


def start(evidence: Evidence) -> str | None:
    """Return the sentence on the starting table, None if there is no starting table."""
    if evidence.start is None:
        return None
    rows = number_of(len(evidence.start.codes), "row")
    return (
        f"The starting table, {evidence.start.source} ({rows} used, SHA-256 {evidence.start.digest}). The "
        "steward declared that it is public. The run measured the columns, and the pairs of columns that "
        "seem to differ from this table."
    )


DECLARED = "It is declared, not checked, that"
"""Beginning of a sentence about the people in a table."""

PEOPLE = {
    People.SAME: (
        "this table is about the same people as the earlier releases of its population. The costs of these "
        "releases add up. Measurements may be combined only if the declaration is true."
    ),
    People.CHANGING: (
        "people come and go between the releases of its population. The costs of these releases add up, and "
        "the privacy unit is a {unit} in all of them."
    ),
    People.NEW: (
        "no {unit} of this table is in a release of {populations}. So the release counts only against a "
        "separate lifetime budget. If a {unit} is in several of the tables, the costs of their releases "
        "add up for this {unit}. This sum also covers the information about which tables contain the {unit}."
    ),
}
"""Texts of the possible declarations about the people in the table of a repeated release."""


def people(stated: People, new_to: Sequence[str], unit: Unit) -> str | None:
    """Return the sentence on the people in the table of a repeated release, None if nothing was declared."""
    if stated is People.UNDECLARED:
        return None
    words = PEOPLE[stated].format(unit=unit.name, populations=" or ".join(map(repr, new_to)))
    return f"{DECLARED} {words}"


def changes(stated: Mapping[str, Any], titles: Mapping[str, str]) -> list[list[str]]:
    """Return a row for each table that changed: its name, the share of records that moved, and its clearest
    change.
    """
    rows = []
    for one in stated["tables"]:
        if one["is_found"]:
            name = TIMES.join(titles.get(column, column) for column in one["table"])
            low, high = one["interval"]
            before, after = (per_cent(one[when], 1) for when in ("before", "after"))
            moved = f"{per_cent(math.floor(1000 * low) / 1000, 1)} to {at_most(high)}"
            rows.append([name, moved, f"{', '.join(one['cell'])}: {before} to {after}"])
    return rows


def at_most(share: float) -> str:
    """Return a share as a percentage with one decimal, rounded up.

    >>> at_most(0.23401)
    '23.5%'
    """
    return per_cent(math.ceil(1000 * share) / 1000, 1)


def part_name(part: str) -> str:
    """Return the name of a part of the privacy cost for people.

    If there is none, return the name that the ledger uses.

    >>> part_name("mechanism"), part_name("reserved, never asked")
    ('the method', 'reserved, never asked')
    """
    return PARTS.get(part, part)


def made_by(statement: Mapping[str, Any]) -> tuple[str, str]:
    """Return the titles of the method and of the generator of a release."""
    method = statement["method"]
    return method_title(method["name"]), generator_title(method["generator"])


def exact_share(share: float) -> str:
    """Return a share as a percentage with three decimals.

    >>> exact_share(0.2), exact_share(0.016171)
    ('20.000%', '1.617%')
    """
    return per_cent(share, 3)


def rho_text(units: int) -> str:
    """Return a cost in units of the ledger as rho, to four digits.

    >>> rho_text(15_000_000_000)
    '0.015'
    """
    return about(rho_of(units), digits=4)


def software(statement: Mapping[str, Any]) -> str:
    """Return the software that was used, with its versions."""
    return ", ".join(f"{name} {version}" for name, version in statement["software"].items())


ODDS = ("this_release", "all_releases_so_far", "lifetime_limit")
"""Names of the odds of a statement: of the release, of it with all earlier releases and open runs of its
population, and of a lifetime budget that is used up.
"""


def odds_of(
    promise: tuple[float, float], law: Law, units: int, history: Mapping[str, Any]
) -> dict[str, Odds]:
    """Return the odds of a release with this guarantee and this cost in units, by the names in `ODDS`.

    `history` is the part of the statement with this name. Statements of early versions do not contain the
    lifetime guarantee, so they have only the odds of the release.
    """
    alone = accounting.odds_of(*promise, law=law, units=units)
    if "lifetime" not in history or history["limit_units"] is None:
        return {ODDS[0]: alone}
    lifetime = history["lifetime"]["epsilon"], history["lifetime"]["delta"]
    line = _law_of(history)
    others = history["spent_before_units"] + history["reserved_by_open_runs_units"]
    return {
        ODDS[0]: alone,
        ODDS[1]: accounting.odds_of(*lifetime, law=line, units=others + units),
        ODDS[2]: odds_at_limit(
            *lifetime,
            law=line,
            units=history["limit_units"],
            gaussian_units=history.get("whole_units"),
        ),
    }


def _law_of(history: Mapping[str, Any]) -> Law:
    """Return the accounting rule of a lifetime budget.

    If it is not stated, it is GDP or unknown. The odds of a rule that covers the unknown ones are valid.
    """
    if "law" in history:
        return law_named(history["law"])
    return GAUSSIAN if history.get("is_gaussian") else MIXED


def odds_fields(odds: Mapping[str, Odds]) -> dict[str, dict[str, float]]:
    """Return odds for the statement: numbers out of 100, rounded up."""
    return {
        name: {
            "right_guesses_in_100": float(in_hundred(one.guess)),
            "members_detected_in_100": float(in_hundred(one.caught)),
        }
        for name, one in odds.items()
    }


def budget_line(statement: Mapping[str, Any]) -> str:
    """Return sentences about the population's lifetime budget and the date of its figures."""
    taken = f"at the end of this run, which began on {statement['release']['date']}"
    return f"{history(statement['history'])} These are the figures {taken}; later releases are not included."


def history(line: Mapping[str, Any]) -> str:
    """Return one or two sentences about the population's lifetime budget, in per cent of it.

    `line` is the part of the statement with this name.
    """
    whole = line.get("whole_units", line["limit_units"])
    before = line["spent_before_units"]
    own = line["spent_with_this_units"] - before

    def part(units: int) -> str:
        if not whole:
            return f"rho {rho_text(units)}"
        return "under 0.1%" if 0 < units / whole < 0.0005 else per_cent(units / whole, 1)

    others = f"{part(before)} on other releases" if before else "nothing on other releases"
    kind = f" All of these queries were {law_in(line).answers}." if law_in(line).answers else ""
    text = (
        f"In this ledger, population {line['population']} had spent {others} and "
        f"{part(own)} on this one, in per cent of its lifetime budget.{kind}"
    )
    if line["limit_units"] is not None:
        promised = ""
        if "lifetime" in line:
            epsilon, delta = line["lifetime"]["epsilon"], line["lifetime"]["delta"]
            promised = f"epsilon {upwards(epsilon)} at delta {exact(delta)} or "
        text += (
            f" Its lifetime limit is {promised}rho {rho_text(line['limit_units'])} in total, of "
            f"which {part(line['left_units'])} remained."
        )
    if whole and line["limit_units"] < whole:
        lost = part(whole - line["limit_units"])
        text += f" Some queries needed another accounting rule, so {lost} can no longer be used."
    if line["reserved_by_open_runs_units"]:
        text += f" Open runs had reserved {part(line['reserved_by_open_runs_units'])}."
    if line.get("lapsed"):
        lifetime = line["lifetime"]["epsilon"], line["lifetime"]["delta"]
        text += f" {lapse_sentence([Claim(**claim) for claim in line['lapsed']], lifetime)}"
    return text
