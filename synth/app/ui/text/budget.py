"""Texts of the Budget page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synth.app.project.spend.accuracy import ExpectedAccuracy
from synth.app.project.spend.allocation import (
    CHOOSING,
    COLUMNS,
    DOMAIN,
    LATER,
    MEANS,
    METHOD,
    RELATIONS,
    SHARES,
    VERDICT,
    Allocation,
)
from synth.app.project.spend.forecast import Z95, Forecast, MeanError, Needed, half_width
from synth.app.project.spend.means import Precision
from synth.app.ui.text import count, counted, delta, number_of, plain, share
from synth.core.accounting import Odds, in_hundred
from synth.core.numbers import TIMES, about
from synth.core.schema import Schema
from synth.private.ledger.quote import OddsOf, Quote
from synth.release.verdict.share import Promise, promised

DELTA_HELP = (
    "A small probability with which epsilon may not hold. It is 1e-9, or a tenth of 1 divided by the "
    "number of rows if that is smaller."
)


ODDS_NOTE = (
    "Worst-case limits: they assume that the attacker knows every other row. They do not cover facts "
    "about the population as a whole."
)
ODDS_TOGETHER = "With all releases of this population so far"
ODDS_LIMIT = {
    True: "At the lifetime limit, without private training",
    False: "At the lifetime limit",
}
RISK = "Set epsilon by risk"
RISK_GUESS, RISK_CAUGHT = "Right guesses in 100, at most", "Detected members in 100, at most"
RISK_GUESS_HELP = "Without a release, 50 guesses in 100 are right. Try 55."
RISK_CAUGHT_HELP = "With 5 false alarms in 100, chance alone detects 5 members in 100. Try 7."
HIGH_EPSILON = "Above 5, protection is weak. Check what an attacker could gain."
LEDGER_NEW = "This population has no lifetime budget yet. This run would create one with a limit of {limit}."
LEDGER_NOTE = (
    "Losses add up as squares, so half the epsilon uses only a little more than a quarter of the budget. "
    "Percentages are shares of the lifetime budget on all pages and in all documents."
)

LEAD = "Set the privacy budget of this release. Nothing is read or spent here."


SHARING_NOTE = (
    "Set a priority for each part. *Normal* is the method's default. Doubling a share reduces that "
    "part's error by about 30%."
)

PRESETS = {
    "balanced": "Balanced",
    "columns": "Columns matter most",
    "relations": "Relations matter most",
    "half": "Keep half for later",
}
PART_NAME = {
    DOMAIN: "Estimated domains",
    COLUMNS: "Single columns",
    CHOOSING: "Choosing what to measure",
    RELATIONS: "Relations between columns",
    METHOD: "The method",
    SHARES: "Target proportions",
    MEANS: "Means and regressions",
    VERDICT: "Accuracy check",
    LATER: "Reserved for later",
}
PART_WHAT = {
    DOMAIN: "Estimates value lists, ranges, trees and merges of rare values that you did not declare.",
    COLUMNS: "How often each value of a column occurs.",
    CHOOSING: (
        "Finds which columns depend on each other. If this share is too small, the wrong pairs are measured."
    ),
    RELATIONS: "Counts of two or three columns at once, for the selected relations.",
    METHOD: "This method has a fixed split.",
    SHARES: "One count for each target proportion to be measured.",
    MEANS: "Measures what the means and regressions below need. The synthetic rows do not use it.",
    VERDICT: (
        "Measures how far the finished synthetic table is from the private one. The release states the "
        "result."
    ),
    LATER: "This run does not use it. It stays in the lifetime budget.",
}

COLUMNS_NOTE = (
    "Higher priority gives a column's pairs more of the budget. A column that is Off is still published, "
    "but its relations to other columns are not measured."
)

FORECAST_WITHOUT_START = "The chart does not use the starting table."
FORECAST_OF_TABLES = (
    "The stated errors hold in 95 of 100 cases. They combine all measurements of a count. The budget for "
    "pairs is divided among {pairs}. Actual errors vary by pair. Pairs that are not measured have no "
    "forecast."
)
LISTS_HOLD = (
    "An estimated list contains values with about **{rows}** or more. Rarer values become *Other*, or "
    "follow the column's rule. If no value is that frequent, the run ends, and the cost of the list stays "
    "spent. Typing a list on *Columns* costs nothing."
)
FORECAST_OF_INTERACTIONS = (
    "The stated errors hold in 95 of 100 cases. Columns with few values are measured by their "
    "interactions, which cost less than tables. Pairs that are not measured have no forecast."
)


BACK_ROWS = "error at most"

BACK_ALONE = "If this table got the whole budget, epsilon {alone} would be enough."
BACK_NEVER = "With these priorities, this table gets no budget."
BACK_TOO_MUCH = (
    "With this split it needs epsilon {epsilon}, which is too much. Accept a larger error, raise the "
    "priority, or use fewer columns."
)
BACK_USE = "Use epsilon {epsilon}"
PLANNED_HELP = (
    "How many releases, including this one, will share the remaining budget? The expected errors depend on "
    "epsilon."
)
PLANNED_USE = "Use epsilon {epsilon} each"
PLANNED_TOO_MANY = "The remaining budget is too small for so many releases. Plan fewer releases."
LIFETIME_USE = "Set lifetime limit {epsilon}"
DROWNS = (
    "About {cells} cells for {rows} {counted}: {each} per cell. Half the cells will have a larger error. Use "
    "fewer bins, or do not rely on single cells."
)
DROWNED = (
    "Too detailed for this budget: {names}. In these columns, half of the values are rarer than the noise. "
    "Use fewer values, wider bins, or a larger epsilon."
)
WIDE_MEANS = (
    "Noise alone would make these means useless: {means}. Declare a narrower range or fewer bins on "
    "the Columns page, or raise the share of single columns."
)
WIDE_MEAN = "*{name}* may move by {moved}, while half of its bins are within {within} of the middle"

MEANS_NOTE = (
    "One formula per line: `income ~ age + sex` for a regression, `logistic smokes ~ age` for a yes/no "
    "outcome, `income by town` for means of groups. Intervals for them need sums that synthetic rows cannot "
    "provide."
)
MEANS_EXAMPLE = "income ~ age + sex"
MEANS_HIDDEN = "the noise would probably hide it. Raise the priority, or use fewer columns or groups."
MEANS_ROWS = "Enter the rough number of rows to see how precise they will be."
MEANS_ROUGH = (
    "Typical figures for values all over the range. On three public tables, half of the measured widths were "
    "at most 1.9 times these figures. With most values near one end, they were up to 46 times these figures, "
    "or there was no answer. A narrower range on the Columns page helps."
)

NO_CHECK = (
    "No accuracy check: with this table and epsilon, even the mean error would be uncertain by more than "
    "10 points."
)

OVER_LIMIT = (
    "Your organisation allows epsilon {limit:g} for one release. To exceed this, give a written reason. It "
    "is printed in the report."
)

OVER_IN_ALL = (
    "Your organisation allows a lifetime epsilon of {limit:g}. With this run, all releases together "
    "reach epsilon {after:.4g}. Lower epsilon to continue."
)
REASON_LABEL = "Reason for exceeding the limit (printed in the report)"
NOT_READY = "Fix the errors and warnings above first."

REQUESTED = {
    "epsilon": "epsilon",
    "delta": "delta",
    "method": "method",
    "rows": "rows to make",
    "workload": "marginals to preserve",
    "preprocess_share": "division of the budget",
    "verdict": "division of the budget",
    "shares_part": "division of the budget",
    "means": "means and regressions",
    "means_share": "division of the budget",
    "schema": "columns",
    "rules": "rules",
    "start_digest": "starting table",
    "people": "people in the table",
    "new_to": "people in the table",
}
"""Names of the fields of a run's order. All other fields are settings of the method."""


def requested(fields: Sequence[str]) -> str:
    """Return the differences between two runs in words, given the names of the fields that differ.

    >>> requested(("epsilon", "preprocess_share", "verdict", "workload_of"))
    'epsilon, division of the budget, settings of the method'
    """
    return ", ".join(dict.fromkeys(REQUESTED.get(field, "settings of the method") for field in fields))


def drowned(names: tuple[str, ...]) -> str:
    """State which columns have bins that are finer than the noise allows."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return DROWNED.format(names=", ".join(plain(name) for name in names[:5]) + more)


def wide_means(errors: Sequence[MeanError]) -> str:
    """State for which columns noise alone would make the mean useless.

    >>> wide_means([MeanError(name="pay", moved=382.0, within=240.0)]).partition(":")[2].partition(".")[0]
    ' *pay* may move by 382, while half of its bins are within 240 of the middle'
    """
    said = [
        WIDE_MEAN.format(name=plain(e.name), moved=about(e.moved), within=about(e.within)) for e in errors[:3]
    ]
    more = [f"and {len(errors) - 3} more"] * (len(errors) > 3)
    return WIDE_MEANS.format(means="; ".join([*said, *more]))


def over_lifetime(how: str, limit: float, price: Quote) -> str:
    """State why the organisation's lifetime limit does not allow a run. `how` comes from
    `runs.beyond_lifetime`.
    """
    return (
        f"Your organisation allows a lifetime epsilon of {limit:g}. Lower the lifetime limit to continue."
        if how == "limit"
        else OVER_IN_ALL.format(limit=limit, after=price.claim_after)
    )


def means(known: Sequence[Precision]) -> str:
    """State the precision of measured means and regressions, one line for each formula.

    >>> found = Precision(formula="pay ~ age", sums=6, halves={"slope of age": 1.5}, is_clear=True)
    >>> means([found])
    '- `pay ~ age`: slope of age ± 1.5, from privacy noise alone.'
    """
    lines = []
    for one in known:
        if not one.is_clear:
            lines.append(f"- `{one.formula}`: {MEANS_HIDDEN}")
            continue
        each = ", ".join(f"{plain(name)} ± {about(half, digits=2)}" for name, half in one.halves.items())
        lines.append(f"- `{one.formula}`: {each}, from privacy noise alone.")
    return "\n".join(lines)


def allowance(value: float) -> str:
    """Explain delta in a sentence."""
    return f"Delta: {delta(value)}"


def part_error(
    part: str,
    allocation: Allocation,
    forecast: Forecast,
    *,
    rho: float,
    rows: int | None,
    share_count: int = 0,
) -> str:
    """Describe what the share of a part is used for. `share_count` is the number of measured target
    proportions.
    """
    share_of, schema = allocation.shares.get(part, 0.0), forecast.schema
    if part == LATER:
        return f"this run spends epsilon {allocation.epsilon:g}" if share_of else "all of it is for this run"
    if not share_of:
        return "nothing"
    if part == VERDICT:
        return check_buys(promised(schema, rho=rho * share_of, rows=rows) if rows else None)
    if part == SHARES:
        each = half_width(schema, rho * share_of / max(share_count, 1))
        return f"{number_of(share_count, 'count')}, each {off_by(each, schema, rows=rows)}"
    if part == COLUMNS:
        return _one(forecast.columns()[0].alone, schema, "a value", rows=rows)
    if part in (RELATIONS, METHOD) and forecast.pairs:
        paired = [c.paired for c in forecast.columns() if c.paired is not None]
        return _one(sum(paired) / len(paired) if paired else None, schema, "a typical pair", rows=rows)
    return ""


def check_buys(check: Promise | None) -> str:
    """State how precise the accuracy check will be, as half-widths of 95% intervals.

    >>> check_buys(Promise(column=0.002, pair=0.005, mean=0.0005))
    'error of a pair \u00b1 0.98 points, of their mean \u00b1 0.098'
    """
    if check is None:
        return "enter the rough number of rows to see how precise it is"
    mean = f"of their mean ± {about(100 * Z95 * check.mean, digits=2)}"
    if check.pair is None:
        return f"error {mean} points; pairs are not measured one by one"
    return f"error of a pair ± {about(100 * Z95 * check.pair, digits=2)} points, {mean}"


FORECAST_HELP = (
    "As a test, each benchmark table was forecast from the others. Half of the measured errors were in the "
    "range that follows *often*."
)


def accuracy(known: ExpectedAccuracy, *, start: float | None = None) -> str:
    """State the expected accuracy, and how precisely it will be measured.

    `start` is the error s of pairs if nothing has changed since the starting table. It is independent of a,
    the error from noise. So an average weighted by precision has an error of at least 1 / sqrt(1 / a^2 + 1 /
    s^2).
    """
    said = []
    if known.errors:
        alone, source = known.errors["pairs"], plain(known.source)
        pairs, ends = share(alone), ""
        often = "" if known.often is None else ", often {} to {}".format(*map(share, known.often))
        if start is not None:
            often = ""
            pairs = f"{share(alone * start / math.hypot(alone, start))} to {pairs}"
            ends = (
                " The first applies if nothing changed since the starting table, the second if that table "
                "is wrong."
            )
        said.append(
            f"**Forecast: average error of pairs about {pairs}**{often} (scaled from *{source}*).{ends}"
        )
    if known.check is not None:
        mean = about(100 * Z95 * known.check.mean, digits=2)
        what = "it" if said else "the average error of pairs"
        said.append(f"The accuracy check will measure {what} to ± {mean} points.")
    return " ".join(said)


def cell_error(error: float | None, *, rows_about: int | None) -> str:
    """Format the error of a count, which is None if the count is not measured."""
    if error is None or error != error:
        return "not measured"
    return f"± {count(error)}" + (f" ({share(error / rows_about)})" if rows_about else "")


def forecast_note(forecast: Forecast) -> str:
    """Describe what the forecast of pairs assumes."""
    every = math.comb(len(forecast.schema.modelled), 2)
    if not forecast.pairs:
        return "The stated errors hold in 95 of 100 cases. The counts of pairs are not measured."
    if forecast.of_interactions:
        return FORECAST_OF_INTERACTIONS
    some = f"about {forecast.pairs:,} of {number_of(every, 'pair')}"
    return FORECAST_OF_TABLES.format(pairs=some if forecast.pairs < every else "all pairs")


def lists_hold(least: int, schema: Schema, *, rows: int | None) -> str:
    """State how frequent a value must be to appear in an estimated list."""
    percent = f" ({share(least / rows)})" if rows else ""
    return LISTS_HOLD.format(rows=f"{least:,} {counted(schema)}{percent}")


def off_by(error: float, schema: Schema, *, rows: int | None) -> str:
    """Format a half-width in people, and as a percentage of the rows if their number is known."""
    percent = f" ({share(error / rows)})" if rows else ""
    return f"± {count(error)} {counted(schema)}{percent}"


def needed(answer: Needed, columns: list[str], rows: float, schema: Schema) -> str:
    """State which epsilon is needed for a given error in a table of these columns, which are named by
    title.
    """
    words = TIMES.join(f"*{plain(title)}*" for title in columns)
    if answer.divided is None:
        return f"{BACK_NEVER} {BACK_ALONE.format(alone=epsilon(answer.alone))}"
    return (
        f"± {count(rows)} {counted(schema)} in a cell of {words}, 95 times in 100, needs **epsilon "
        f"{epsilon(answer.divided)}** with the budget divided as above. "
        f"{BACK_ALONE.format(alone=epsilon(answer.alone))}"
    )


def epsilon(value: float) -> str:
    """Format an epsilon, rounded to its precision but never to zero."""
    return f"{value:.2f}" if value >= 0.1 else about(value, digits=2)


def _one(error: float | None, schema: Schema, what: str, *, rows: int | None) -> str:
    return "nothing" if error is None else f"{what}: {off_by(error, schema, rows=rows)}"


def odds(found: OddsOf, epsilon: float) -> str:
    """State the limits on an attacker's success: for this release, for all releases so far with it, and at
    the lifetime limit. All are rounded up as in the report.
    """
    return (
        f"An attacker guesses whether a person is in the data. Without a release, 50 guesses in 100 are "
        f"right. With epsilon {epsilon:g}, at most **{in_hundred(found.alone.guess)} in 100** are right. "
        f"With 5 false alarms in 100, the attacker detects at most "
        f"**{in_hundred(found.alone.caught)} in 100** members. {ODDS_TOGETHER}: at most "
        f"{_both(found.together)}. {ODDS_LIMIT[found.is_gdp]}: at most {_both(found.limit)}."
    )


def _both(one: Odds) -> str:
    return f"{in_hundred(one.guess)} right guesses and {in_hundred(one.caught)} detected members"
