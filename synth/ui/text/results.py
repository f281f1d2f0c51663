"""Words of the results page."""

from __future__ import annotations

from collections.abc import Sequence

from synth.project.paper_bounds import PaperBounds
from synth.ui.text import delta, number_of, share

LEAD = (
    "How good the synthetic table is, as far as anyone may know. Everything here is safe to publish: it is "
    "drawn from the release itself, never from the private table."
)
RUN_LABEL = "Run"

# Verdict
FLAGS_NONE = "No red flags: every column varies, every rule holds, and the fit has converged."
FLAGS_MORE = "{count} more red flags"
FLAGS_BLOCK = "This run cannot be released as it stands. Mend what the red flags name and run again."
ROWS_LABEL, EPSILON_LABEL, BROKEN_LABEL, MEASURED_LABEL = (
    "Synthetic rows",
    "Epsilon",
    "Rules broken",
    "Noisy tables",
)
MEASURED_HELP = (
    "Counts of one, two or three columns that were bought with the budget and are part of the release."
)
NEXT = "Next: release"
AGAIN = "Prepare another run"

# One column
COLUMN_TITLE = "One column"
COLUMN_LABEL = "Column"
WHISKER_NOTE = (
    "Bars are the synthetic rows. Hollow diamonds are the noisy counts that were paid for; negative ones "
    "are shown as they are. Whiskers cover the noise added for privacy, with {confidence} confidence for "
    "the whole column at once. They are not a sampling error of the survey."
)
NOT_MEASURED = (
    "No noisy count of this column by itself follows from what was measured, so there are no diamonds."
)

# Pairs
BOUNDS_TITLE = "How good each pair of columns is, at worst"
BOUNDS_NOTE = (
    "The share of people that would have to move for the synthetic pair table to match the real one is "
    "at most this, with {confidence} confidence each. Solid: the pair was measured. Hatched: inferred "
    "from what was not chosen, or from a noisy score. Dotted: no bound can be given."
)
BOUNDS_NONE = "There is only one column, so there are no pairs."

PAPER_TITLE = "Bounds of the MargNet paper"
PAPER_NO_SELECTIONS = (
    "Theorem 5, for pairs that were not measured, is not shown: it needs the scores that pairs were chosen "
    "by. A bundle keeps noisy tables and no scores, and only a method that chooses by how far each pair is "
    "from its estimate (MargNet, AIM, MWEM) has them when the run makes its own table."
)

# Residuals
RESIDUAL_TITLE = "How far the synthetic table is from what was measured"
RESIDUAL_NOTE = (
    "Each mark is one cell of one noisy count: synthetic less measured, in units of that count's noise. "
    "Marks beyond three are filled and drawn as crosses; about 3 in 1,000 would be there by chance."
)

# Rules
RULES_TITLE = "Rules"
RULES_NONE = "No rule was declared, so there is none to break."

# Shares
SHARES_TITLE = "Shares that were asked for"
SHARES_NOTE = (
    "The synthetic rows were moved to these shares after they were drawn. A bought number has noise: the "
    "true share lies within two sigmas of it 95 times in 100. A declared one was not compared with the table."
)

# Another table
ANOTHER_TITLE = "Another table from the same noisy counts"
ANOTHER_NOTE = (
    ":material/money_off: **Free.** The noisy counts of this run are paid for. Another way of making rows "
    "from them reads no private row and spends nothing. The new table appears beside this one here, on "
    "*Compare* and on *Release*."
)
ANOTHER_NONE = "Every way of making rows that suits this run has made its table already."
ANOTHER_OWNER = "Only whoever owns the project can ask for another table."
ANOTHER_LABEL, ANOTHER_ROWS, ANOTHER_BUTTON = "Made by", "Rows", "Make the table"
ANOTHER_HELP = "As many rows as this table has, unless you want more or fewer."
ANOTHER_STARTING = "Starting"
ANOTHER_STOP = "Stop"
ANOTHER_STOP_HELP = "Nothing is lost but the table that is being made; those that are finished stay."
EVERY_HELP = "One after another, the quick ones first. If you stop it, what is finished stays."

# Rows
SAMPLE_TITLE = "The first rows"
SAMPLE_NOTE = "None of these rows is a person: each was drawn from a model fitted to noisy counts."
SAMPLE_ALT = "The first {rows} synthetic rows."


def paper(found: PaperBounds, *, confidence: float) -> str:
    """What the bounds of the MargNet paper say, and of all measured tables together."""
    sure, tables = share(confidence), number_of(found.measured, "measured table")
    return (
        "At most this share of the rows lies in the wrong cells of a table, by our bound and by that of the "
        f"MargNet paper: ours each with {sure} confidence, those of one of its theorems with {sure} all at "
        f"once. Of {tables} together Theorem 4 says that the squared differences between released and true "
        f"counts add up to at most {found.l2**2:,.3g}; to {found.triangle**2:,.3g} by the triangle "
        "inequality, by which the shares here are reckoned."
    )


def every(tables: int) -> str:
    """The button for all tables that can still be made."""
    return f"Make all {tables}, one by every way that suits"


def delta_help(value: float) -> str:
    return f"Together with delta: {delta(value)}."


def rules_help(rules: int, never_blank: int) -> str:
    return f"Counted over the synthetic rows, for {held(rules, never_blank)}."


def held(rules: int, never_blank: int) -> str:
    """What the rows must keep to.

    >>> held(6, 1), held(0, 2), held(1, 0)
    ('6 rules and 1 column that is never blank', '2 columns that are never blank', '1 rule')
    """
    stated = number_of(rules, "rule")
    blank = f"{number_of(never_blank, 'column')} that {'is' if never_blank == 1 else 'are'} never blank"
    return " and ".join(words for words, some in ((stated, rules), (blank, never_blank)) if some)


def supports(*, measured: int, inferred: int, merged: int, unasked: int, incomplete: int = 0) -> str:
    """What the bounds of all pairs rest on, and why some have none.

    >>> supports(measured=1, inferred=2, merged=0, unasked=0)
    'Of 3 pairs 1 was measured in all their values. For 2 a bound follows from what was chosen or scored.'
    """
    of = measured + inferred + merged + unasked + incomplete
    pairs, were = "pair" if of == 1 else "pairs", "was" if measured == 1 else "were"
    sentences = [f"Of {of:,} {pairs} {measured:,} {were} measured in all their values."]
    if inferred:
        sentences.append(f"For {inferred:,} a bound follows from what was chosen or scored.")
    if merged:
        sentences.append(f"For {merged:,} there is one only in the merged values they were asked about in.")
    if incomplete:
        sentences.append(f"For {incomplete:,} it is not known: records of one of the columns were lost.")
    if unasked:
        sentences.append(f"For {unasked:,} no answer was bought that a bound could follow from.")
    return " ".join(sentences)


def in_short(bounded: Sequence[tuple[str, float]], without: int) -> str:
    """The pairs in a sentence: the surest, the least sure, and how many nothing is promised about.

    >>> in_short([("a × b", 0.02), ("a × c", 0.3)], 1)
    'Surest: **a × b** (at most 2.0 %). Least sure: **a × c** (30 %). Nothing is promised about 1 pair.'
    """
    sentences = []
    if bounded:
        best, worst = min(bounded, key=lambda p: p[1]), max(bounded, key=lambda p: p[1])
        sentences.append(f"Surest: **{best[0]}** (at most {share(best[1])}).")
        if len(bounded) > 1:
            sentences.append(f"Least sure: **{worst[0]}** ({share(worst[1])}).")
    if without:
        sentences.append(f"Nothing is promised about {number_of(without, 'pair')}.")
    return " ".join(sentences)
