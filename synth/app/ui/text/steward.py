"""Words of the steward's view: what is seen there, what it may be used for, and what it costs."""

from __future__ import annotations

from synth.app.figures.words import plain, sample
from synth.app.ui.text import rows_of_one
from synth.core.schema import Unit

LEAD = (
    "How close the synthetic table comes to the real one, measured on the real one. For you alone: "
    "nothing on this page is protected by noise."
)
MARK = "Confidential: exact numbers about real people. Do not publish, copy, photograph or pass on."
GATE_TITLE = "Before you look"
GATE = (
    "Everything behind this door is computed from the private rows **without noise**. It spends none of "
    "the budget, and that is the danger: no ledger sees it.\n\n"
    "- **Use it to understand** what a release is good for, and to find a mistake in a schema.\n"
    "- **Do not publish it**, not even rounded. Exact scores, next to the release, have let attackers "
    "recover people.\n"
    "- **What you choose afterwards is written down.** A method, an epsilon or a range picked because of "
    "what you saw here gives away a little about real people. The decision log records each look and each "
    "later change, and the report of the release prints it.\n\n"
    "The Compare page answers many of the same questions safely."
)
GATE_BUTTON = "I understand: open it, and record what I look at"

# The order
ORDER_TITLE = "Compare with the real table"
ORDER_AGAIN = "Compare again, or other runs"
RUNS_LABEL = "Runs"
RUNS_HELP = "Up to eight at once; they share one map."
TARGETS_LABEL = "Columns to predict (up to three, optional)"
TARGETS_HELP = (
    "A model learns each of them from all other columns, once on synthetic and once on real rows, and "
    "both are tested on real rows. Choose what your users will want to predict."
)
HELD_OUT_LABEL = "File of rows that never entered a run (optional)"
HELD_OUT_HELP = (
    "A path inside the data folder, with the same columns. Without it a random fifth of the table is set "
    "aside for the test; those rows did enter the release, through its noise."
)
MAP_LABEL = "Draw the map"
MAP_HELP = "The rest takes seconds for a table of some thousand rows; a map is most of the work."
START_BUTTON = "Compare"
STAGES = {
    "read": "Reading the tables",
    "compare": "Comparing columns, pairs and triples",
    "predict": "Learning to predict",
    "map": "Drawing the map",
}
NEWER = "There are runs that this comparison does not cover: {names}."
FORGET_BUTTON = "Delete this comparison"
FORGET_HELP = "Removes the numbers from the disk. The log keeps that they were seen."

# Findings
SHOWN_RUN = "Run shown below"
SIDE_TITLE = "Runs side by side"
SIDE_NOTE = (
    "Distances: the share of rows that would have to change for the synthetic counts to match the real "
    "ones, on average over all columns, pairs, or up to 300 triples. Query error: how far the share of "
    "rows in a random three-column selection is off, in percentage points. Smallest is best, except for "
    "the sample, where largest is. No column is the verdict."
)
COLUMN_TITLE = "Columns, worst first"
COLUMN_LABEL = "Column, worst first"
COLUMN_NOTE = (
    "Distance between the real and the synthetic column. Shares are rounded to a tenth of a per cent, so "
    "that the picture does not hand out exact counts; it is still confidential."
)
PAIR_TITLE = "Pairs of columns"
PAIR_NOTE = (
    "Per cent of rows that would have to change for the pair's table to match the real one. The stronger the "
    "colour, the further off."
)
ONE_PAIR_LABEL = "One pair, worst first"
ONE_PAIR_SHOW = "Show"
ONE_PAIR_WAYS = {False: "Real beside synthetic", True: "Synthetic less real"}
PAIR_NONE = "There is only one column, so there are no pairs."
PREDICT_TITLE = "Learned on synthetic rows, tested on real ones"
PREDICT_NOTE = {
    True: "Tested on the held-out file: rows that never entered a run.",
    False: (
        "Tested on a random fifth of the real rows. The real model did not learn from them; the synthetic "
        "table met them through its noise only."
    ),
}
PREDICT_NONE = "No column was chosen to be predicted. Compare again and choose one."
MAP_TITLE = "Map of the rows"
MAP_NOTE = (
    "Every table gives {rows} random rows, and t-SNE places all of them together: rows that are alike lie "
    "close. Lines hold the densest 30, 60 and 90 per cent of those rows. Dots are {dots} of them for each "
    "synthetic table; of real rows only the lines are drawn, because a dot would be somebody's record. Look "
    "for places that only one table reaches. Distances between clusters, and their sizes, mean little."
)
MAP_NONE = "The map was not asked for. Compare again with the map switched on."
UNMAPPED = (
    "Not on the map, because a column was declared differently, or the list or range that was bought is "
    "another: {names}."
)

# Which comparison this is
PRIVATE_KIND = (
    "**On private data, for the steward only.** Choosing a run by these numbers is a data-dependent "
    "decision: it is recorded in the decision log and printed in the report."
)
PUBLIC_KIND = (
    "**On public data, free.** The schema says that this file is public, so choosing by these numbers costs "
    "nobody any privacy."
)


def capped(unit: Unit) -> str:
    """What the real table is where an id column caps the rows of one unit."""
    return (
        f"The real table is here what is left of it when each {plain(unit.name)} keeps {rows_of_one(unit)}: "
        f"further rows, and rows in which {plain(unit.id_column or '')} is blank, are in no figure below."
    )


def worth(name: str, shares: dict[int, float]) -> str:
    """The headline: as good as how large a random sample of the real rows."""
    words = {1: "single columns", 2: "pairs of columns", 3: "triples of columns"}
    sizes = [f"for {words[k]} as a random **{sample(share)}**" for k, share in sorted(shares.items())]
    return f"{name} is about as good {', '.join(sizes)} of the real table."


def one_pair_note(down: str, across: str, told: int, pairs: int) -> str:
    """Which column goes where, what the cells of a pair are, and whether every pair can be chosen."""
    said = (
        f"{plain(down)} downwards, {plain(across)} across. Shares are rounded to a tenth of a per cent; they "
        "are of real people all the same: confidential."
    )
    return said if told == pairs else f"{said} The {told:,} worst of {pairs:,} pairs can be looked into."
