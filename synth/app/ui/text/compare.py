"""Words of the comparison: which of four kinds it is, what each question asks, what may be chosen by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synth.app.project.results.compare import Shift
from synth.app.project.results.released import PairBound
from synth.app.ui.text import count, number_of, plain
from synth.core.numbers import share_at_most

LEAD = (
    "Finished runs next to each other, by numbers that are safe to publish. Look at the question that "
    "matters to your users; there is no overall score, because no two uses weigh the questions alike."
)
ONE_TABLE = (
    "There is only one finished table so far, and a comparison needs two. *Results* makes further tables "
    "from answers that are paid for already and spends nothing; another run costs budget."
)
TO_RESULTS = "Go to Results"
NO_TABLE = "There is no finished table so far, and a comparison needs two. The first one comes of a run."
TO_RUN = "Go to Run"
RUNS_LABEL = "Runs to compare"
RUNS_HELP = "Two to eight. A further table made from a run's answers counts like a run, and cost nothing."
CHOOSE_MORE = "Choose at least two runs."

KIND = (
    "**On noisy answers that are already paid for.** Each table is judged by noisy counts its model never "
    "saw: those a run held back for comparing, and those the other runs bought. Choosing by these numbers "
    "is free."
)
KINDS_MORE = "The four kinds of comparison"
KINDS = (
    "1. **On public benchmark data.** Free, and says little about your table. A rehearsal on a public "
    "file is one.\n"
    "2. **On noisy answers already paid for.** Free, about your own table, and as sharp as the noise "
    "allows. *This page.*\n"
    "3. **By private selection.** The choice itself is bought with budget. Not offered: what a run holds "
    "back answers the same question, and for every later run as well.\n"
    "4. **On the private data.** Exact and confidential: the steward's view. Choosing by it is a "
    "data-dependent decision that the log records and the report prints."
)
PUBLIC_NOTE = (
    "This project is a rehearsal, so the comparison is also of the first kind: it concerns nobody's data."
)

TABLE_NOTE = (
    "**Off by**: the typical error of one count, noise removed, over {columns} columns and {pairs} pairs "
    "about which every run has a noisy count it never saw. *Below* means that the error is lost in the "
    "noise of those counts; of runs whose difference is lost in it, none is called the best alone. "
    "**Off by at most**: the share of rows that would have to change, with {confidence} confidence for each "
    "pair; a pair without a bound, or with one for groups of values only, counts as 100 %. A larger epsilon "
    "buys better numbers: compare runs with what they paid."
)
NO_PAIRS = (
    "No pair of columns has a noisy count that is new to every run. Hold a share of the budget back for "
    "comparing in a later run, on the budget page."
)

COLUMN_TITLE = "The same column in every run"
COLUMN_LABEL = "Column"
COLUMN_NOTE = "Same order, same scale. Diamonds are each run's own noisy counts, with the noise they carry."
OTHER_LABELS = (
    "Not shown, because the column was declared differently, or the list or range that was bought is "
    "another: {names}."
)

TRADEOFF_TITLE = "What more epsilon or more time buys"
SIZES = {1: "Columns", 2: "Pairs"}
SIZE_LABEL = "Error of"
NO_TRADEOFF = "Nothing was counted that every run can be judged by, so no error is drawn."
TRADEOFF_NOTE = (
    "A hollow mark is a run whose error is lost in the noise of the counts it is judged by: it is at most "
    "that. Runs of one epsilon, or of as many seconds, stand side by side around it. Seconds are those of "
    "the last fit and of drawing, to the second, on this machine; a further table, a run nobody watched, "
    "and a method that asks in rounds have none, as the time that questions take tells of the private file."
)

APART_TITLE = "Columns in which the runs differ"

PAIR_TITLE = "The same pair in every run"
AGAINST = "Show"
ITSELF = "Each run"

MAP_TITLE = "Map of the synthetic rows"
MAP_LEAD = (
    "Places the synthetic rows of these runs on one map, so that you see whether one run reaches places "
    "another does not. The private table is not read."
)
MAP_BUTTON = "Draw the map"
MAP_AGAIN = "Draw it for the runs chosen above"
MAP_NOTE = (
    "{rows} random rows of every run, placed together by t-SNE: rows that are alike lie close. Lines hold "
    "the densest 30, 60 and 90 per cent of them, dots are {dots} of them; pale rings are some rows of the "
    "other runs. Distances between clusters, and their sizes, mean little."
)
WAY_LABEL, APART_WAY, TOGETHER_WAY = "Show", "A panel for each run", "All runs in one layout"
PLACE_LABEL = "A place on the map"
PLACE_HELP = "Letters stand where rows are dense. With a mouse, draw round any other place instead."
BRUSH_FIRST = "Choose a place, or draw round one, to see which columns make it."
BRUSH_OLD = "This map does not know which rows it shows. Draw it again to look into a place."
UNMAPPED = (
    "Not on the map, because a column was declared differently, or the list or range that was bought is "
    "another: {names}."
)
STAGES = {
    "read": "Reading the synthetic tables",
    "elsewhere": "Waiting for a worker",
    "map": "Drawing the map",
}


def place(letter: str) -> str:
    """A place in the list."""
    return f"Place {letter}"


def brushed(rows: Mapping[str, int]) -> str:
    """How many rows of each run were chosen."""
    told = ", ".join(f"{number:,} of {plain(name)}" for name, number in rows.items() if number)
    return f"Rows chosen: {told}. What sets them apart from all rows of these runs on the map:"


def less(name: str) -> str:
    """The choice of a difference to a run."""
    return f"Each other run less {name}"


def basis(shown: int, *, of: int, chosen: int, marginals: int, columns: int) -> str:
    """Of which runs the errors are told, and by which counts.

    >>> basis(9, of=9, chosen=8, marginals=21, columns=2)
    'All 9 tables of this project, judged by the 21 pairs of which each has a noisy count it never saw.'
    >>> basis(2, of=3, chosen=2, marginals=1, columns=1).split(", ")[0]
    'The 2 tables chosen above'
    """
    counts = number_of(marginals, "pair" if columns == 2 else "column")
    by = f"judged by the {counts} of which each has a noisy count it never saw"
    if shown == of:
        every = "Both" if of == 2 else f"All {of:,}"
        return f"{every} tables of this project, {by}."
    return f"The {chosen:,} tables chosen above, {by}; no count is new to all {of:,} tables of this project."


def shifted(moved: Sequence[Shift], *, came: Sequence[str], left: Sequence[str]) -> str:
    """Which numbers are not what they were, and which runs have come and are left out since."""
    lines = [
        f"- {plain(one.run.name)}, {'pairs' if one.columns == 2 else 'columns'}: "
        f"{_off(one.before.is_lost, one.before.counts)} over {one.before.marginals:,}, now "
        f"{_off(one.after.is_lost, one.after.counts)} over {one.after.marginals:,}"
        for one in moved
    ]
    causes = [
        f"{plain(', '.join(names))} {'is' if len(names) == 1 else 'are'} {what}"
        for names, what in ((came, "compared too"), (left, "no longer compared"))
        if names
    ]
    cause = " and ".join(causes) or "Other counts are at hand"
    why = (
        f"**{cause}, so these errors are reckoned anew.** Runs are judged by the noisy "
        "counts that all of them never saw; the tables themselves have not changed."
    )
    return "\n".join([why, "", *lines])


def _off(is_lost: bool, counts: float) -> str:
    return f"{'below ' if is_lost else ''}{count(counts)}"


def apart(found: int, columns: int, *, shown: int) -> str:
    """In how many columns the runs differ, and how many are drawn.

    >>> apart(0, 11, shown=9)
    'In none of 11 columns do two runs differ by more than the noise of their counts can make.'
    """
    if not found:
        of = number_of(columns, "column")
        return f"In none of {of} do two runs differ by more than the noise of their counts can make."
    of, drawn = number_of(columns, "column"), f" The {shown} furthest apart:" if found > shown else ""
    return f"In {found:,} of {of} two runs differ by more than the noise of their counts can make.{drawn}"


def pair_note(bounds: Mapping[str, PairBound], *, down: str, across: str) -> str:
    """Which column stands where, and the bound of the pair in every run."""
    told = "; ".join(f"{name} {_bound(bound)}" for name, bound in bounds.items())
    axes = f"{plain(down)} downwards, {plain(across)} across; per cent of all rows, one scale for all runs."
    return f"{axes} How far each run may be off: {told}."


def _bound(bound: PairBound) -> str:
    if bound.share is not None:
        return f"at most {share_at_most(bound.share)}"
    if bound.coarse is not None:
        return f"at most {share_at_most(bound.coarse)}, for groups of values only"
    return "no bound"
