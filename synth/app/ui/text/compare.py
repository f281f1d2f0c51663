"""Texts of the Compare page."""

from __future__ import annotations

from collections.abc import Mapping

from synth.app.project.results.compare import Gap
from synth.app.project.results.released import PairBound
from synth.app.project.runs import SyntheticTable
from synth.app.ui.text import number_of, plain
from synth.core.numbers import share_at_most
from synth.release.verdict.sentences import DEFINITION

LEAD = "Compare finished runs using only publishable figures. Pick the metric that matters for your use."
ONE_TABLE = "A comparison needs two finished tables. Generate another one on *Results*. This uses no budget."

NO_TABLE = "A comparison needs two finished tables, and there is no table yet."


RUNS_HELP = (
    "Choose two to eight tables. Their accuracy was measured when they were made, so choosing by "
    "it uses no budget."
)

TABLE_HELP = (
    f"{DEFINITION} The intervals of one line hold together with {{confidence}} confidence. A difference is "
    "clear if its interval excludes 0. Runs with other columns or domains are compared with their own table."
)
UNMEASURED = (
    "Fewer than two of these tables have a measured accuracy, so only bounds can be compared. Measure "
    "accuracy on *Results* (uses budget)."
)


OTHER_LABELS = "Not shown, because the domain of the column differs: {names}."


FEWEST_DRAWN = 3
"""Minimum number of runs for which the trade-off is drawn."""

TRADEOFF_NOTE = "Bars show the interval of each measured error."
TRADEOFF_HELP = (
    "Time covers the final fit and sampling on this machine. It is not shown for further tables and "
    "multi-round methods: query timing can reveal information about private data."
)


MAP_NOTE = (
    "{rows} random rows per run, placed by t-SNE. Lines enclose the densest 30%, 60% and 90% of the rows."
)
MAP_HELP = (
    "Dots: {dots} rows. Rings in light colours: rows of other runs. Distances between clusters mean little."
)

UNMAPPED = "Not on the map, because the domain of a column differs: {names}."
STAGES = {
    "read": "Reading the synthetic tables",
    "map": "Drawing the map",
}


DRIFT_LEAD = "Compares the noisy measurements of two releases, such as two years. This uses no budget."
DRIFT_HELP = (
    "Each bar is an interval for the share of records that differ (TVD). All intervals hold together at this "
    "confidence. The analyst's kit has the same figures."
)
POPULATION = "About populations"
POPULATION_HELP = (
    "On: adds the uncertainty of two independent random samples. Off: compares the records themselves."
)
SAME_PACKAGE = "Choose two different releases."


def gaps(use: str, found: tuple[SyntheticTable, tuple[Gap, ...]]) -> str:
    """State which run has the lowest error for a use, and which other runs are clearly worse."""
    best, others = found
    real = [f"{gap.run.name} (by {_span(gap)})" for gap in others if gap.is_real]
    equal = [gap.run.name for gap in others if not gap.is_real]
    if not real:
        return f"**{use}:** no clear difference."
    said = f"**{use}:** {best.name} has the lowest error. Clearly worse: {', '.join(real)}."
    return f"{said} No clear difference: {', '.join(equal)}." if equal else said


def _span(gap: Gap) -> str:
    """Return a difference of two errors in percentage points."""
    return f"{100 * gap.low:.1f} to {100 * gap.high:.1f} points"


def apart(found: int, columns: int, *, shown: int) -> str:
    """State in how many columns the runs differ, and how many are drawn.

    >>> apart(0, 11, shown=9)
    'No two runs differ by more than the noise in any of 11 columns.'
    """
    of, drawn = number_of(columns, "column"), f" The {shown} largest differences:" if found > shown else ""
    if not found:
        return f"No two runs differ by more than the noise in any of {of}."
    return f"Runs differ by more than the noise in {found:,} of {of}.{drawn}"


def pair_note(bounds: Mapping[str, PairBound], *, down: str, across: str) -> str:
    """State what the axes show, and the bound of the pair in every run."""
    listed = "; ".join(f"{name} {_bound(bound)}" for name, bound in bounds.items())
    return f"Rows: {plain(down)}. Columns: {plain(across)}. Per cent of all rows. Error bounds: {listed}."


def _bound(bound: PairBound) -> str:
    if bound.share is not None:
        return f"at most {share_at_most(bound.share)}"
    if bound.coarse is not None:
        return f"at most {share_at_most(bound.coarse)} (groups only)"
    return "no bound"
