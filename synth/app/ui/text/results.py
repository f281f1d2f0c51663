"""Words of the results page."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.project.results.pairs import CLOSE, RELIABLE, Answer
from synth.app.project.results.paper_bounds import PaperBounds
from synth.app.project.results.released import RedFlag, Residuals
from synth.app.ui.text import delta, number_of, plain, share
from synth.core.numbers import about, per_cent

LEAD = (
    "How good the synthetic table is, as far as anyone may know. Everything here is safe to publish: it is "
    "drawn from the release itself, never from the private table."
)
RUN_LABEL = "Run"

# Verdict
FLAGS_NONE = (
    "No red flags: every column varies, every synthetic row keeps every rule, and the fit has converged."
)
FLAGS_MORE = "{count} more red flags"
FLAGS_BLOCK = "This run cannot be released as it stands. Mend what the red flags name and run again."
PLACES = {"columns": "Columns", "pairs": "Pairs", "rules": "Rules", "fit": "Fit"}
ROWS_LABEL, EPSILON_LABEL, BROKEN_LABEL, MEASURED_LABEL = (
    "Synthetic rows",
    "Epsilon",
    "Rules broken",
    "Noisy tables",
)
MEASURED_HELP = (
    "Counts of one column or several that were bought with the budget and are part of the release."
)
NEXT = "Next: release"
AGAIN = "Prepare another run"

# One column
COLUMN_TITLE = "One column"
COLUMN_LABEL = "Column"
WHISKER_NOTE = (
    "Bars are the synthetic rows. Hollow diamonds are the noisy counts that were paid for, or follow from "
    "noisy numbers that were; negative ones are shown as they are. Whiskers cover the noise added for "
    "privacy, with {confidence} confidence for the whole column at once. They are not a sampling error of "
    "the survey."
)
NOT_MEASURED = (
    "No noisy count of this column by itself follows from what was measured, so there are no diamonds."
)

PAPER_TITLE = "Bounds of the MargNet paper"
PAPER_NONE = "Nothing was measured, so the paper has nothing to say."
PAPER_NO_SELECTIONS = (
    "Theorem 5, for pairs that were not measured, is not shown: it needs the scores that pairs were chosen "
    "by. A bundle keeps no private selections, and only a method that chooses by how far each pair is "
    "from its estimate (MargNet, AIM, MWEM) has them when the run makes its own table."
)

# Residuals
RESIDUAL_TITLE = "How far the synthetic table is from what was measured"
RESIDUAL_FOLD = "The tables furthest off, cell by cell, and all others as a histogram"
RESIDUAL_NOTE = (
    "Each mark is one noisy number: synthetic less measured, in units of that number's noise. "
    "Marks beyond three are filled and drawn as crosses; about 3 in 1,000 would be there by chance."
)

# Rules
RULES_TITLE = "Rules"
RULES_MORE = "{columns}, never blank by declaration, and never blank here"
RULES_NONE = "No rule was declared, so there is none to break."

# Shares
SHARES_TITLE = "Shares that were asked for"
SHARES_NOTE = (
    "The synthetic rows were moved to these shares after they were drawn. A bought number has noise: the "
    "true share lies within twice its typical noise of it 95 times in 100. A declared one was not "
    "compared with the table."
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
SAMPLE_FOLD = "The first {rows} rows as they will be released"
SAMPLE_NOTE = "None of these rows is a person: each was drawn from a model fitted to noisy counts."
SAMPLE_ALT = "The first {rows} synthetic rows."


def flags(alike: Sequence[RedFlag]) -> str:
    """Red flags of one advice, which is said once (Markdown).

    >>> flags([RedFlag(sentence=said, blocks=False, advice="b") for said in "ac"])
    '- a\\n- c\\n\\nb'
    """
    told = [plain(flag.sentence) for flag in alike]
    advice = plain(alike[0].advice)
    if len(told) == 1:
        return f"{told[0]} {advice}".rstrip()
    listed = "\n".join(f"- {sentence}" for sentence in told)
    return f"{listed}\n\n{advice}".rstrip()


def in_short(found: Answer) -> str:
    """The answer on one screen, a line for each question with the way to its place."""
    lines = [
        _line(
            found.close > 0,
            f"**{found.close:,} of {number_of(found.columns, 'column')}** "
            f"{'is' if found.close == 1 else 'are'} surely within {per_cent(CLOSE)} of the truth",
            "columns",
        )
    ]
    if found.pairs:
        lines.append(_pairs_line(found))
    broken = f"**{number_of(found.broken, 'rule')}** broken" if found.broken else "**No rule** is broken"
    lines.append(_line(not found.broken, broken if found.rules else "**No rule** was declared", "rules"))
    if found.cells:
        part = found.beyond / found.cells
        lines.append(
            _line(
                part <= 0.01,
                f"**{about(100 * part, digits=2)} % of {found.cells:,} noisy numbers** are further from the "
                "table than three times their typical noise; chance alone makes 0.27 %",
                "fit",
            )
        )
    return "\n".join(lines)


def _pairs_line(found: Answer) -> str:
    doubt, of = found.doubtful, number_of(found.pairs, "pair")
    if not doubt:
        return _line(True, f"**All {of}** can be relied on: off by {share(RELIABLE)} at most", "pairs")
    reasons = {
        f"off by more than {share(RELIABLE)} at worst": doubt - found.merged - found.unknown,
        "with a bound for groups of values only": found.merged,
        "without a bound": found.unknown,
    }
    why = "; ".join(f"{number:,} {reason}" for reason, number in reasons.items() if number)
    are = "is" if doubt == 1 else "are"
    return _line(False, f"**{doubt:,} of {of}** {are} not to be relied on ({why})", "pairs")


def _line(is_good: bool, words: str, place: str) -> str:
    icon = ":green[:material/check_circle:]" if is_good else ":orange[:material/error:]"
    return f"- {icon} {words}. [{PLACES[place]}](#{place})"


def residuals(found: Residuals) -> str:
    """How many noisy numbers lie further from the table than three times their typical noise."""
    if not found.worst:
        return "Nothing was measured, so there is nothing to be far from."
    tables = number_of(len(found.worst) + len(found.rest), "measured table")
    lie = "lies" if found.beyond == 1 else "lie"
    return (
        f"Of {found.cells:,} noisy numbers in {tables} {found.beyond:,} {lie} further from the table than "
        "three times their typical noise."
    )


def paper(found: PaperBounds, *, confidence: float) -> str:
    """What the bounds of the MargNet paper say, and of all measured tables together."""
    sure, tables = share(confidence), number_of(found.measured, "measured table")
    return (
        "At most this share of the rows lies in the wrong cells of a table, by our bound and by that of the "
        f"MargNet paper: ours each with {sure} confidence, those of one of its theorems with {sure} all at "
        f"once. Of {tables} together Theorem 4 says that the squared differences between released and true "
        f"counts add up to at most {about(found.l2**2)}; to {about(found.triangle**2)} by the triangle "
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
