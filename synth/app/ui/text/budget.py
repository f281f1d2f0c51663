"""Words of the budget page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synth.app.project.spend.allocation import (
    CHOOSING,
    COLUMNS,
    COMPARISON,
    DOMAIN,
    LATER,
    METHOD,
    RELATIONS,
    SHARES,
    Allocation,
)
from synth.app.project.spend.forecast import Forecast, MeanError, Needed, half_width
from synth.app.ui.text import count, counted, delta, number_of, plain, share
from synth.core.numbers import TIMES, about
from synth.core.schema import Schema
from synth.private.ledger.quote import Quote

EPSILON_LABEL = "Privacy loss (epsilon)"
EPSILON_BOX = "Exact value"
EPSILON_HELP = (
    "Smaller protects more and blurs more. The slider has round values, unevenly far apart because their "
    "effect is, and the one that stands in the box beside it."
)
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

LEAD = (
    "Decide how much privacy to spend on this table, and on what. Everything here is computed from what you "
    "have declared; nothing is spent and nothing is read."
)
PROMISE_TITLE = "How much in all"
SHARING_TITLE = "What it is spent on"
SHARING_NOTE = (
    "Give every part a word; the bar always totals 100 %. *Normal* is what the method itself would do. "
    "Doubling a part's share makes its counts about a third more exact."
)
PRESET_LABEL = "Start from"
PRESETS = {
    "balanced": "Balanced",
    "columns": "Columns matter most",
    "relations": "Relations matter most",
    "half": "Keep half for later",
}
PART_NAME = {
    DOMAIN: "What the schema leaves open",
    COLUMNS: "Every column by itself",
    CHOOSING: "Choosing what to measure",
    RELATIONS: "Columns together",
    METHOD: "The method",
    SHARES: "Shares as in the table",
    COMPARISON: "Held back for comparing",
    LATER: "Kept for later",
}
PART_WHAT = {
    DOMAIN: "Buys value lists, ranges, trees and merges of rare values that you did not declare.",
    COLUMNS: "How often each value of a column occurs.",
    CHOOSING: "Finding out which columns depend on each other. With too little, the wrong ones are measured.",
    RELATIONS: "Counts of two or three columns at once, for the relations that were chosen.",
    METHOD: "This method divides its share by itself.",
    SHARES: "A count of its own for every share that the rules ask for as it is in the table.",
    COMPARISON: (
        "Five pairs of columns drawn by lot, measured and kept from the model, so that you can later compare "
        "methods fairly without looking at the private table."
    ),
    LATER: "Not touched by this run: it stays in the lifetime budget for a later one.",
}
COLUMNS_TITLE = "Which columns matter"
COLUMNS_NOTE = (
    "The word weighs a column's relations: the more it matters, the likelier they are measured and the more "
    "of the budget they get. A column that is off is still published, by itself. Beside each: how far a "
    "count will be off, 95 times in 100."
)
FORECAST = "A forecast from public facts: the parts as in the bar"
FORECAST_OF_COLUMNS = f"{FORECAST}. No pair is measured by its counts."
FORECAST_OF_TABLES = (
    f"{FORECAST}, the relations shared by {{pairs}}. Not every pair need be measured, nor each as exactly as "
    "the others: one can be nearer or further off, and for one that is not measured there is no forecast. "
    "The results page tells of every pair whether it was measured, has a bound that follows from other "
    "answers, or has none. Counts of a column profit from its pairs as well, which is not reckoned in."
)
LISTS_HOLD = (
    "A list of values that is bought will hold those of about **{rows}** or more. Rarer ones are not told "
    "apart: they become *Other*, or what the column says of values outside its list. Where no value of a "
    "column is that frequent, the run ends and has spent what the lists cost. More for *What the schema "
    "leaves open* brings rarer values; a list that you type on *Columns* costs nothing."
)
FORECAST_OF_INTERACTIONS = (
    "A forecast from public facts: the parts as in the bar, the relations shared by all pairs. No column "
    "here has more than three values, a blank being one, so the method asks of a pair only what its two "
    "columns do not tell, which costs less than its table, and puts the counts together. Where it finds few "
    "relations it asks of fewer pairs, and of each more exactly; for the others there is no forecast. With a "
    "large budget tables of three columns take a part of it, which is not reckoned in. The results page "
    "tells of every pair whether it was measured, has a bound that follows from other answers, or has none."
)
ALL_OFF = "Every column is off, so there would be nothing to keep faithful. Give at least one a word."
BACK_TITLE = "The other way round: from an error to a budget"
BACK_COLUMNS = "Counts of"
BACK_ROWS = "off by at most"
BACK_EMPTY = "Choose one column, or two for a table of the two together."
BACK_ALONE = "If the whole budget went to this one table, epsilon {alone} would do."
BACK_NEVER = "With the words above this table gets nothing, so no budget reaches that."
BACK_TOO_MUCH = (
    "With the budget divided as above this takes epsilon {epsilon}, more than anybody should spend. Accept a "
    "larger error, give these columns more weight, or use fewer."
)
BACK_USE = "Use epsilon {epsilon}"
LIFETIME_USE = "Open the line with a limit of {epsilon}"
DROWNS = (
    "About {cells} cells for {rows} {counted} leave {each} in a cell, and half the cells will be off by "
    "more than that. Use fewer bins, or do not rely on single cells of this table."
)
DROWNED = (
    "Too fine for this budget: {names}. Half of the values there are rarer than the noise on a count. Use "
    "fewer values or wider bins on the columns page, or a larger epsilon."
)
WIDE_MEANS = (
    "Noise alone would make these means useless: {means}. One far bin is enough for it. On the columns page "
    "declare a narrower range or fewer bins, or give single columns a larger share above."
)
WIDE_MEAN = (
    "that of *{name}* may move by {moved}, while half of its bins lie within {within} of the middle one"
)
LEDGER_TITLE = "The lifetime budget of {population}"
SMALL_COMPARISON = (
    "With an epsilon below 0.5 what is held back tells little. Consider switching that part off."
)
NO_LATER = "Nothing is kept for later, and this run would use up the lifetime budget of these people."
OVER_LIMIT = (
    "Your organisation allows epsilon {limit:g} for one release. Going beyond it takes a reason in writing, "
    "which the report prints."
)
OVER_LIFETIME = (
    "Your organisation allows epsilon {limit:g} for a lifetime. Lower the lifetime limit before you go on."
)
OVER_IN_ALL = (
    "Your organisation allows epsilon {limit:g} for a lifetime. With this run the releases about these "
    "people would come to epsilon {after:.4g}. Ask for less before you go on."
)
REASON_LABEL = "Why is more needed? (printed in the report)"
NOT_READY = "Something above has to be settled first; it is said there in red or yellow."
ROWS_AT_MOST_LABEL = "At most how many rows could it have?"
ROWS_AT_MOST_HELP = (
    "From public knowledge, never counted in the file: the size of the town, the number of customers you "
    "have told the press. The allowance delta is one in that number, and never more than one in ten million."
)
ROWS_AT_MOST_EMPTY = "up to 10 million"
ROWS_ABOUT_LABEL = "About how many rows?"
ROWS_ABOUT_HELP = (
    "A rough public figure, only to express errors in per cent. Leave it empty if only the file would tell."
)
ROWS_ABOUT_EMPTY = "not said"


ASKED = {
    "epsilon": "epsilon",
    "delta": "delta",
    "method": "method",
    "rows": "rows to make",
    "workload": "what is kept faithful",
    "preprocess_share": "division of the budget",
    "held_back": "division of the budget",
    "shares_part": "division of the budget",
    "schema": "columns",
    "rules": "rules",
}
"""What a run is asked, by the names of its order; anything else belongs to the method's settings."""


def asked(fields: Sequence[str]) -> str:
    """In what two runs differ, by the fields of their orders.

    >>> asked(("epsilon", "preprocess_share", "held_back", "workload_of"))
    'epsilon, division of the budget, settings of the method'
    """
    return ", ".join(dict.fromkeys(ASKED.get(field, "settings of the method") for field in fields))


def drowned(names: tuple[str, ...]) -> str:
    """Which columns are cut finer than the noise allows."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return DROWNED.format(names=", ".join(plain(name) for name in names[:5]) + more)


def wide_means(errors: Sequence[MeanError]) -> str:
    """Which columns have a mean that noise alone moves too far.

    >>> wide_means([MeanError(name="pay", moved=382.0, within=240.0)]).partition(":")[2].partition(".")[0]
    ' that of *pay* may move by 382, while half of its bins lie within 240 of the middle one'
    """
    said = [
        WIDE_MEAN.format(name=plain(e.name), moved=about(e.moved), within=about(e.within)) for e in errors[:3]
    ]
    more = [f"and {len(errors) - 3} more"] * (len(errors) > 3)
    return WIDE_MEANS.format(means="; ".join([*said, *more]))


def over_lifetime(how: str, limit: float, price: Quote) -> str:
    """Why the organisation's limit for a lifetime forbids a run; `how` as `runs.beyond_lifetime` says."""
    return (
        OVER_LIFETIME.format(limit=limit)
        if how == "limit"
        else OVER_IN_ALL.format(limit=limit, after=price.claim_after)
    )


def allowance(value: float) -> str:
    """What delta means, in a sentence."""
    return f"Allowance (delta): the promise may fail with a chance of at most {delta(value)}."


def part_error(
    part: str,
    allocation: Allocation,
    forecast: Forecast,
    *,
    rho: float,
    rows: int | None,
    bought: int = 0,
) -> str:
    """What a part's share buys, beside its control; `bought` is how many shares of records are bought."""
    share_of, schema = allocation.shares.get(part, 0.0), forecast.schema
    if part == LATER:
        return f"this run spends epsilon {allocation.epsilon:g}" if share_of else "all of it is for this run"
    if not share_of:
        return "nothing"
    if part == COMPARISON:
        return f"five tables, each {off_by(half_width(schema, rho * share_of / 5), schema, rows=rows)}"
    if part == SHARES:
        each = half_width(schema, rho * share_of / max(bought, 1))
        return f"{number_of(bought, 'count')}, each {off_by(each, schema, rows=rows)}"
    if part == COLUMNS:
        return _one(forecast.columns()[0].alone, schema, "a value", rows=rows)
    if part in (RELATIONS, METHOD) and forecast.pairs:
        paired = [c.paired for c in forecast.columns() if c.paired is not None]
        return _one(sum(paired) / len(paired) if paired else None, schema, "a typical pair", rows=rows)
    return ""


def heads(schema: Schema) -> tuple[str, str, str, str]:
    """Headings of the list of columns; a count counts what the schema says it does."""
    return ("Column", "How much it matters", f"Alone ({counted(schema)})", f"In a pair ({counted(schema)})")


def cell_error(error: float | None, *, rows_about: int | None) -> str:
    """What a count will be off by, in a cell of the list of columns."""
    if error is None:
        return "not asked for"
    return f"± {count(error)}" + (f" ({share(error / rows_about)})" if rows_about else "")


def forecast_note(forecast: Forecast) -> str:
    """What the errors of pairs are reckoned from."""
    every = math.comb(len(forecast.schema.modelled), 2)
    if not forecast.pairs:
        return FORECAST_OF_COLUMNS
    if forecast.of_interactions:
        return FORECAST_OF_INTERACTIONS
    some = f"about {forecast.pairs:,} of {number_of(every, 'pair')}"
    return FORECAST_OF_TABLES.format(pairs=some if forecast.pairs < every else "all pairs")


def lists_hold(least: int, schema: Schema, *, rows: int | None) -> str:
    """From which size on a value is on a bought list."""
    percent = f" ({share(least / rows)})" if rows else ""
    return LISTS_HOLD.format(rows=f"{least:,} {counted(schema)}{percent}")


def off_by(error: float, schema: Schema, *, rows: int | None) -> str:
    """A half-width in people, and in per cent of the rows if their number was typed."""
    percent = f" ({share(error / rows)})" if rows else ""
    return f"± {count(error)} {counted(schema)}{percent}"


def needed(answer: Needed, columns: list[str], rows: float, schema: Schema) -> str:
    """The epsilon for an error of a table of columns, by their titles, in a sentence."""
    words = TIMES.join(f"*{plain(title)}*" for title in columns)
    if answer.divided is None:
        return f"{BACK_NEVER} {BACK_ALONE.format(alone=epsilon(answer.alone))}"
    return (
        f"± {count(rows)} {counted(schema)} in a cell of {words}, 95 times in 100, takes **epsilon "
        f"{epsilon(answer.divided)}** with the budget divided as above. "
        f"{BACK_ALONE.format(alone=epsilon(answer.alone))}"
    )


def epsilon(value: float) -> str:
    """An epsilon, not finer than it deserves, never rounded down to nothing."""
    return f"{value:.2f}" if value >= 0.1 else about(value, digits=2)


def _one(error: float | None, schema: Schema, what: str, *, rows: int | None) -> str:
    return "nothing" if error is None else f"{what}: {off_by(error, schema, rows=rows)}"


def odds(posterior: float, power: float, epsilon: float) -> str:
    """What the promise means for one attacker: ceilings, rounded up as in the report."""
    right, caught = (f"{math.ceil(1000 * share - 1e-9) / 10:g}" for share in (posterior, power))
    return (
        "Someone who gives even odds that a given person is in the table can be right at most "
        f"**{right} times in 100** after seeing the release (epsilon {epsilon:g}), instead "
        f"of 50. If they may accuse wrongly 5 times in 100, they catch at most **{caught} in 100** "
        "who are in it."
    )
