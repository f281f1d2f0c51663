"""Texts of the compare page."""

from __future__ import annotations

from collections.abc import Mapping

from synth.app.project.results.released import PairBound
from synth.app.ui.text import number_of, plain
from synth.core.numbers import share_at_most

LEAD = "Compare finished runs by publishable numbers only. Pick the metric that matters for your use."
ONE_TABLE = "A comparison needs two finished tables. Generate another one on *Results*, without budget."

NO_TABLE = "A comparison needs two finished tables, and there is no table yet."


RUNS_HELP = (
    "Two to eight runs or further tables. Each is judged by noisy measurements that its model did not use, "
    "so choosing by these numbers costs no budget."
)


TABLE_NOTE = "Estimated on {columns} columns and {pairs} pairs of hold-out measurements."
TABLE_HELP = (
    "**Error**: typical error per count, corrected for the noise of the hold-out measurements. **Below**: "
    "too small to separate from that noise. Runs that cannot be separated are not ranked. **Mean bound**: "
    "the mean over all pairs, with {confidence} confidence each. A pair without a bound counts as 100%."
)
NO_PAIRS = (
    "No hold-out measurement of a pair is new to every run. Set a hold-out share on *Budget* next time."
)


OTHER_LABELS = "Not shown, because the column has another domain: {names}."


FEWEST_DRAWN = 3
"""Runs from which on the trade-off is drawn."""
SIZES = {1: "Columns", 2: "Pairs"}

TRADEOFF_NOTE = "Hollow marks: the error is too small to separate from the noise."
TRADEOFF_HELP = (
    "Time covers the final fit and sampling on this machine. It is not shown for further tables and "
    "multi-round methods: query timing can reveal information about private data."
)


MAP_NOTE = "{rows} random rows per run, placed by t-SNE. Lines enclose the densest 30, 60 and 90%."
MAP_HELP = "Dots: {dots} rows. Pale rings: rows of other runs. Distances between clusters mean little."

UNMAPPED = "Not on the map, because a column has another domain: {names}."
STAGES = {
    "read": "Reading the synthetic tables",
    "elsewhere": "Waiting for a worker",
    "map": "Drawing the map",
}


def basis(shown: int, *, of: int, marginals: int, columns: int) -> str:
    """Which runs are drawn, and the measurements they are judged by.

    >>> basis(2, of=3, marginals=1, columns=1)
    '2 of 3 tables, judged by 1 hold-out column.'
    """
    counts = number_of(marginals, "hold-out pair" if columns == 2 else "hold-out column")
    return f"{shown} of {of} tables, judged by {counts}."


def apart(found: int, columns: int, *, shown: int) -> str:
    """In how many columns the runs differ, and how many are drawn.

    >>> apart(0, 11, shown=9)
    'No two runs differ by more than the noise in any of 11 columns.'
    """
    of, drawn = number_of(columns, "column"), f" The {shown} largest differences:" if found > shown else ""
    if not found:
        return f"No two runs differ by more than the noise in any of {of}."
    return f"Runs differ by more than the noise in {found:,} of {of}.{drawn}"


def pair_note(bounds: Mapping[str, PairBound], *, down: str, across: str) -> str:
    """The axes, and the bound of the pair in every run."""
    listed = "; ".join(f"{name} {_bound(bound)}" for name, bound in bounds.items())
    return f"Rows: {plain(down)}. Columns: {plain(across)}. Per cent of all rows. Error bounds: {listed}."


def _bound(bound: PairBound) -> str:
    if bound.share is not None:
        return f"at most {share_at_most(bound.share)}"
    if bound.coarse is not None:
        return f"at most {share_at_most(bound.coarse)} (groups only)"
    return "no bound"
