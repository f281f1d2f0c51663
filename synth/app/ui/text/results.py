"""Texts of the Results page."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from synth.app.jobs.store import Status
from synth.app.project.results.pairs import CLOSE, RELIABLE, Answer, above, expected_above
from synth.app.project.results.released import SURE, PairBound, RedFlag, ReleaseView
from synth.app.project.results.uses import GOOD, Uses
from synth.app.ui.text import delta, number_of, plain, share
from synth.core.numbers import about, per_cent
from synth.release.verdict.asking import INCLUDED
from synth.release.verdict.figures import Verdict
from synth.release.verdict.sentences import (
    CAREFUL,
    DEFINITION,
    about_above,
    against,
    as_sample,
    graded,
    points,
)

LEAD = "You may publish everything on this page."


# Verdict
CLEAR = ":green[:material/verified:] **Nothing blocks publication.**"
WARNED = ":orange[:material/flag:] **Nothing blocks publication. Read {warnings} first.**"
BLOCKED = (
    ":red[:material/block:] **This run cannot be published.** Fix what the warnings describe, then run again."
)

USES_HELP = (
    f"Good for: errors of at most {per_cent(GOOD)}. Not for: errors above {per_cent(CAREFUL)}. "
    f"Columns and pairs are named if this holds with a probability of {per_cent(SURE)}. {DEFINITION}"
)

ROWS_LABEL, EPSILON_LABEL, MEASURED_LABEL = "Synthetic rows", "Epsilon", "Measured tables"
MEASURED_HELP = "Noisy counts of one or more columns. They are part of the release."

ACCURACY_HELP = (
    f"{DEFINITION} It was measured with noise, with part of the privacy budget, after the rows were drawn. "
    "Grades of the mean error: up to 2% very accurate, up to 5% accurate, up to 10% rough, else poor. "
    f"If two grades are stated, the interval reaches from one to the other. {INCLUDED}"
)
CAREFUL_LABEL = "List errors above (%)"

AGAIN = "Prepare another run"

# Measure accuracy later

JUDGE_NOTE = (
    "Compares this table with the private table once, with noise. This uses budget in addition to the "
    "release. The release package does not change."
)
JUDGE_EPSILON_HELP = "By default, the measurement is as precise as the accuracy check of a run."
JUDGE_TARGET, JUDGE_NOTHING = "Column to predict (optional)", "None"
JUDGE_TARGET_HELP = (
    "Also measures how often a classifier trained on the synthetic rows predicts this column correctly."
)
JUDGE_STOP = "Budget that was spent stays spent. You can resume the measurement, or discard it."
JUDGE_DISCARD = "Releases the budget that is reserved but not spent."
JUDGE_DOWNLOAD = "Download accuracy (JSON)"


def judge_cost(status: Status, lifetime: int) -> str:
    """State the share of the `lifetime` limit that an interrupted measurement cost, and the share it still
    reserves.
    """
    spent, reserved = status.spent or 0, status.reserved or 0
    said = (
        f"Spent: **{share(spent / lifetime)}** of the lifetime budget." if spent else "No budget was spent."
    )
    held = (
        f" {share((reserved - spent) / lifetime)} is reserved so that you can resume."
        if reserved > spent
        else ""
    )
    return (said if spent else "No budget was spent.") + held


# One column


WHISKER_HELP = (
    "The interval covers all values of the column together. It does not include sampling error. Noisy "
    "counts can be negative."
)


# Residuals

RESIDUAL_FOLD = "Residuals of the measured tables"
RESIDUAL_NOTE = (
    "Each mark is one measurement: synthetic count minus measured count, in standard deviations of its "
    "noise. Crosses are beyond 3. About 3 in 1,000 are expected by chance."
)

# Rules


# Target proportions

SHARES_NOTE = (
    "Measured proportions have an interval, from all noisy counts of their columns. Declared "
    "proportions were not compared with the private table."
)

# Another table

ANOTHER_NOTE = (
    "Another generator can use the same noisy measurements. It reads no private row and uses no budget."
)


ANOTHER_LABEL, ANOTHER_ROWS, ANOTHER_BUTTON = "Generator", "Rows", "Generate table"


EVERY_HELP = "Runs one generator after another, the fastest first. Finished tables are kept if you stop."

# Rows


SAMPLE_NOTE = "None of these rows describes a real person. Each was drawn from a model of noisy measurements."


def verdict(release: ReleaseView) -> str:
    """State whether the run can be published."""
    if release.blocked:
        return BLOCKED
    return WARNED.format(warnings=number_of(len(release.flags), "warning")) if release.flags else CLEAR


def uses(stated: Uses) -> str:
    """Format the three statements about the use of a release, in Markdown.

    >>> print(uses(Uses(good="a.", bad="b.", better="c.")))
    - **Good for:** a\\.
    - **Not for:** b\\.
    - **To improve:** c\\.
    """
    lines = {"Good for": stated.good, "Not for": stated.bad, "To improve": stated.better}
    return "\n".join(f"- **{name}:** {plain(line)}" for name, line in lines.items())


def flags(alike: Sequence[RedFlag]) -> str:
    """Format warnings that share the same advice, in Markdown.

    >>> flags([RedFlag(sentence=said, blocks=False, advice="b") for said in "ac"])
    '- a\\n- c\\n\\nb'
    """
    sentences = [plain(flag.sentence) for flag in alike]
    advice = plain(alike[0].advice)
    if len(sentences) == 1:
        return f"{sentences[0]} {advice}".rstrip()
    listed = "\n".join(f"- {sentence}" for sentence in sentences)
    return f"{listed}\n\n{advice}".rstrip()


def grades(found: Answer, bounds: Sequence[float]) -> str:
    """Format a line for each use of the table, with a link to its section. `bounds` are the error bounds of
    the columns.
    """
    lines = [_line(found.close > 0, _columns(found, bounds), "Columns")]
    if found.pairs:
        lines.append(_line(not found.doubtful, _pairs(found), "Pairs"))
    return "\n".join([*lines, soundness(found)])


def soundness(found: Answer) -> str:
    """Format a line for the rules, and one for the fit of the model."""
    broken = f"**{number_of(found.broken, 'rule')}** broken" if found.broken else "no rule is broken"
    lines = [_line(not found.broken, f"Rules: {broken if found.rules else 'none declared'}", "Rules")]
    if found.cells:
        part = found.beyond / found.cells
        says = (
            f"Model fit: **{about(100 * part, digits=2)}%** of {found.cells:,} measurements are more than 3 "
            "standard deviations off (0.27% by chance)"
        )
        lines.append(_line(part <= 0.01, says, "Fit"))
    return "\n".join(lines)


def accuracy(verdict: Verdict, release: ReleaseView) -> str:
    """Format a line for each use of the table, with its measured error and what it means."""
    lines = [
        f"- **{plain(one.use)}:** {plain(one.words)}"
        for one in graded(verdict, release.confidence, release.titles)
    ]
    meaning = [as_sample(verdict)]
    if release.judgement is not None:
        paid = f"epsilon {release.judgement['epsilon']:g} at delta {delta(release.judgement['delta'])}"
        meaning.append(f"This accuracy was measured after the run, with {paid}, in addition to the release.")
    if not verdict.is_of_this_table:
        meaning.append("Another table of this run was measured; the distance to this one is included.")
    return "\n".join(lines) + "\n\n" + " ".join(filter(None, meaning))


def accuracy_help(verdict: Verdict, release: ReleaseView) -> str:
    """Explain the error and the grades, and state the forecast from before the run."""
    return f"{ACCURACY_HELP} {against(release.forecast, verdict, release.confidence)}".rstrip()


def careful(pairs: Sequence[PairBound], error: float) -> str:
    """State how many pairs have a higher error, and name those that need care, the worst first."""
    found, of = above(pairs, error), len(pairs)
    known = [p for p in found if p.shown is not None]
    without, kind = len(found) - len(known), "measured" if any(p.unmeasured for p in found) else "bounded"
    unknown = f" Not {kind}: {number_of(without, 'pair')}." if without else ""
    more = f" and {len(known) - 3:,} more" if len(known) > 3 else ""
    names = ", ".join(f"{plain(p.name)} ({_figure(p)})" for p in known[:3]) + more
    if (expected := expected_above(pairs, error)) is not None:
        chance = f"{per_cent(SURE)} probability of being above it"
        sure = f"With at least {chance}: {names}." if known else f"No pair has a {chance}."
        few = about_above(expected, of, error)
        return f"**{few[0].upper()}{few[1:]}.** {sure}{unknown}"
    if not known:
        return f"No pair is above this error.{unknown}"
    have = "have a measured error" if all(p.error for p in known) else "may have an error"
    return f"**{len(known):,} of {of:,} pairs** {have} above this: {names}.{unknown}"


def _figure(pair: PairBound) -> str:
    """Return the measured error of a pair, or its bound."""
    return f"{'' if pair.error else 'at most '}{points(pair.shown or 0.0)}"


def _columns(found: Answer, bounds: Sequence[float]) -> str:
    typical = f"median error bound **{share(median(bounds))}**, " if bounds else ""
    of = number_of(found.columns, "column")
    return f"Single columns: {typical}**{found.close:,} of {of}** within {per_cent(CLOSE)}"


def _pairs(found: Answer) -> str:
    good, of = found.pairs - found.doubtful, number_of(found.pairs, "pair")
    line = f"Pairs: **{good:,} of {of}** within {share(RELIABLE)}"
    return f"{line}; check the bound of the others before use" if found.doubtful else line


def _line(is_good: bool, words: str, place: str) -> str:
    icon = ":green[:material/check_circle:]" if is_good else ":orange[:material/error:]"
    return f"- {icon} {words}. [{place}](#{place.lower()})"


def every(tables: int) -> str:
    """Label the button that runs all remaining generators."""
    return f"Generate with all {tables}"


def delta_help(value: float) -> str:
    return f"At delta {delta(value)}."


def rules(release: ReleaseView) -> str:
    """State how many rows satisfy the rules, in one line."""
    kept = held(release.rules, release.never_blank)
    if not release.broken:
        return f"All {release.rows:,} rows satisfy the {kept}."
    return f"{number_of(release.broken, 'violation')} in {release.rows:,} rows, checked against {kept}."


def held(rules: int, never_blank: int) -> str:
    """State what the rows must satisfy.

    >>> held(6, 1), held(0, 2), held(1, 0)
    ('6 rules and 1 "never blank" column', '2 "never blank" columns', '1 rule')
    """
    stated, blank = number_of(rules, "rule"), number_of(never_blank, '"never blank" column')
    return " and ".join(words for words, some in ((stated, rules), (blank, never_blank)) if some)
