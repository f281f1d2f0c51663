"""Texts of the private evaluation."""

from __future__ import annotations

from synth.app.figures.words import plain
from synth.app.ui.text import rows_of_one
from synth.core.schema import Unit

LEAD = (
    "Compare the synthetic data with the real data. The comparison is exact, only for you, and not "
    "differentially private."
)
MARK = "Confidential: exact numbers about real people. Do not publish it, copy it or pass it on."

GATE = (
    "**You may not need this.** *Results* states the measured accuracy without revealing anything, and "
    "*Compare* states which run is better.\n\n"
    "This view is computed from the private rows **without noise**, so no privacy budget accounts for it.\n\n"
    "- **Do not publish it**, not even rounded.\n"
    "- **Your later choices are logged.** The report lists each access and each change made afterwards."
)


# The order


TARGETS_HELP = (
    "Up to three. For each, one model learns from synthetic rows and one from real rows. Both are tested on "
    "real rows."
)
HELD_OUT_LABEL = "File of test rows (optional)"
HELD_OUT_HELP = (
    "A file in the data folder with rows that were in no run. By default, a random fifth of the table is "
    "used."
)

MAP_HELP = "The map takes most of the time. The rest takes seconds for a few thousand rows."

STAGES = {
    "read": "Reading the tables",
    "compare": "Comparing columns, pairs and triples",
    "predict": "Training prediction models",
    "map": "Drawing the map",
}
NEWER = "Not in this comparison: {names}."
FORGET_BUTTON = "Delete this comparison"
FORGET_HELP = "Deletes the numbers from the disk. The log still records that they were viewed."

# Findings


SIDE_HELP = (
    "Distance: mean share of rows to move over all columns, all pairs, or up to 300 triples. Query error: "
    "error of a random three-column selection, in percentage points. The random sample is drawn with "
    "replacement, unlike on *Results*, so it is larger."
)


ONE_PAIR_WAYS = {False: "Real and synthetic", True: "Synthetic minus real"}


PAIR_NOTE = "Share of rows to move for the pair to match the real one, in per cent, rounded to 0.1%."

PREDICT_NOTE = {
    True: "Tested on rows that were in no run.",
    False: "Tested on a random fifth of the real rows, which affected the synthetic rows only through noise.",
}


MAP_NOTE = "{rows} random rows per table, placed by t-SNE. Lines enclose the densest 30, 60 and 90%."
MAP_HELP = (
    "Dots: {dots} rows of each synthetic table. Real rows have lines only: a dot would be a person's record."
)


# Which comparison this is
PRIVATE_KIND = "Choosing a run by these numbers depends on private data. The log and the report record it."
PUBLIC_KIND = "The schema declares this file public, so choosing by these numbers costs no privacy."


def capped(unit: Unit) -> str:
    """State which rows of the real table are used if an ID column limits the rows of a privacy unit."""
    return (
        f"In the real table, each {plain(unit.name)} keeps {rows_of_one(unit)}. Further rows and rows with "
        f"a blank {plain(unit.id_column or '')} are removed."
    )


def one_pair_note(down: str, across: str, shown: int, pairs: int) -> str:
    """State the axes of a pair, and whether every pair can be chosen."""
    said = f"Rows: {plain(down)}. Columns: {plain(across)}."
    return said if shown == pairs else f"{said} The {shown:,} worst of {pairs:,} pairs are available."
