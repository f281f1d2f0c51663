"""Texts about pairs of columns: their bounds and the sources of the bounds."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.figures.heat import Quantity
from synth.app.figures.pairs import MOST_SIGNS
from synth.app.project.results.pairs import RELIABLE, Order, PairTable, PairView
from synth.app.project.results.released import GROUPS
from synth.app.ui.text import share
from synth.core.numbers import share_at_most
from synth.release.verdict.sentences import interval_of

SEARCH_HELP = "Part of a column name. Use a comma between two parts to find pairs that match both."
KINDS_LABEL, KINDS_ALL = "Source of the bound", "All"
KINDS = {
    "measured": "Measured",
    "inferred": "Inferred",
    GROUPS: "Grouped values only",
    "none": "No bound",
}

ORDERS = {
    Order.DECLARED: "As declared",
    Order.WORST: "Worst first",
    Order.TITLE: "By name",
}
DOUBTFUL = "Only pairs above {share}"


ONE, OTHER = "Column", "With column"

NOT_THERE = "This run has no bound for that pair. The synthetic table still contains it."

VALUES, OWN, MERGED = "Values", "All values", "Groups of values"
QUANTITY, UNIT = "Cells show", "Unit"
SYNTHETIC = "Synthetic rows"
QUANTITIES = {
    Quantity.SYNTHETIC: SYNTHETIC,
    Quantity.NOISY: "Noisy counts",
    Quantity.DIFFERENCE: "Synthetic minus noisy",
}
CELLS_HELP = (
    "The interval covers the noise of all cells at once. The model smooths the counts, and rules can change "
    "them."
)


ONLY_GROUPS = (
    "**Grouped values only.** With {confidence} confidence, the error of the groups is at most **{coarse}** "
    "of {who}. Single values inside a group follow the model."
)


def note(columns: int, *, confidence: str, is_measured: bool = False) -> str:
    """Describe what a cell of the matrix shows."""
    what = "the measured error" if is_measured else f"an error bound ({confidence} confidence)"
    shown = f"Each cell is {what}. Select one to open it."
    return shown if columns <= MOST_SIGNS else f"{shown} Search for a name to see fewer pairs."


def in_short(bounded: Sequence[tuple[str, float]]) -> str:
    """State the pairs with the lowest and the highest bound.

    >>> in_short([("a × b", 0.02), ("a × c", 0.3)])
    'Lowest bound: **a × b** (2.0%). Highest: **a × c** (30.0%).'
    """
    if not bounded:
        return ""
    (low, least), (high, most) = (of(bounded, key=lambda pair: pair[1]) for of in (min, max))
    lowest = f"Lowest bound: **{low}** ({share_at_most(least)})."
    return lowest if low == high else f"{lowest} Highest: **{high}** ({share_at_most(most)})."


def known(view: PairView) -> str:
    """State the bound of a pair and its source, or the reason why there is none."""
    bound, who = view.bound, "people" if view.people else "rows"
    confidence = share(view.confidence)
    if bound.incomplete:
        return "**No bound.** Some values of these columns could not be read from the file."
    measured = ""
    if bound.error is not None:
        measured = f"Measured error of the synthetic table: **{interval_of(bound.error, view.confidence)}**. "
    if bound.merged and bound.coarse is not None:
        coarse = share_at_most(bound.coarse)
        return measured + ONLY_GROUPS.format(confidence=confidence, coarse=coarse, who=who)
    if bound.share is None:
        return f"{measured}**No bound.** The pair was neither measured, selected nor scored."
    about = f"about {bound.share * view.total:,.0f}"
    limit = f"at most **{share_at_most(bound.share)}** of {who}, {about} ({confidence} confidence)."
    sentences = [f"{measured}With its bound, {limit}" if measured else f"Error {limit}"]
    if not measured and bound.share > RELIABLE:
        sentences.append("Too high to rely on.")
    if bound.grouped:
        sentences.append("**Measured in groups of values.**")
    elif bound.kind != "measured" and bound.error is not None:
        sentences.append("Its counts were not measured for the model.")
    elif bound.kind != "measured":
        sentences.append("**Inferred** from the selection, the scores or an earlier model of the same run.")
    else:
        sentences.append("**Measured** at full detail.")
    if bound.coarse is not None and bound.coarse < bound.share:
        sentences.append(f"For the groups, the error is at most **{share_at_most(bound.coarse)}**.")
    return " ".join(sentences)


def cells(view: PairView, table: PairTable) -> str:
    """Explain the cells of the heat map, and the interval of their counts."""
    who = "people" if view.people else "rows"
    scaled = f"Synthetic counts are scaled to {view.total:,.0f} {who}. " if view.weighed else ""
    if table.noisy is None:
        return f"{scaled}Not measured at this detail, so there is no interval."
    return (
        f"{scaled}Each true count lies within {table.reach.max():,.0f} of its noisy count, with "
        f"{share(view.confidence)} confidence for all of them together. Framed cells: the synthetic count is "
        "outside this interval."
    )


def units(view: PairView) -> dict[bool, str]:
    """Return the units in which a pair can be shown: people or rows, and per cent."""
    return {False: "People" if view.people else "Rows", True: "Per cent"}
