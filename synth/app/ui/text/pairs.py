"""Words about pairs of columns: what is known of them, and how."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.figures.pairs import MOST_SIGNS, Quantity
from synth.app.project.results.pairs import RELIABLE, Order, PairTable, PairView
from synth.app.project.results.released import GROUPS
from synth.app.ui.text import number_of, share
from synth.core.numbers import share_at_most

TITLE = "How good each pair of columns is, at worst"
NONE = "There is only one column, so there are no pairs."

SEARCH = "Search columns"
SEARCH_HELP = "A part of a name. Two parts with a comma between them leave the pairs that have both."
KINDS_LABEL, KINDS_ALL = "How it is known", "All"
KINDS = {
    "measured": "Measured",
    "inferred": "Inferred",
    GROUPS: "For groups of values only",
    "none": "No bound",
}
ORDER = "Order of the columns"
ORDERS = {
    Order.DECLARED: "As declared",
    Order.WORST: "Loosest pairs first",
    Order.TITLE: "By name",
}
DOUBTFUL = "Only pairs not to be relied on (above {share}, or without a bound for single values)"
NO_MATCH = "No pair matches. Search for less, or choose *All*."

ONE_TITLE = "One pair"
ONE, OTHER = "Column", "With column"
TWICE = "Choose two different columns."
NOT_THERE = "This run gave no bound for that pair. It is in the table all the same."

VALUES, OWN, MERGED = "Values", "Its own values", "The groups of values it was counted in"
QUANTITY, UNIT = "Cells show", "In"
SYNTHETIC = "Synthetic rows"
QUANTITIES = {
    Quantity.SYNTHETIC: SYNTHETIC,
    Quantity.NOISY: "Noisy counts",
    Quantity.DIFFERENCE: "Synthetic less noisy",
}


def note(columns: int, *, confidence: str) -> str:
    """Under the matrix: what a cell says, and what can be done with it at this width."""
    said = (
        "The share of rows that would have to move for the synthetic pair table to match the real one is "
        f"at most this, with {confidence} confidence each. "
    )
    look = "Point at a cell for its columns and its bound; press it to look into the pair"
    if columns > MOST_SIGNS:
        return f"{said}{look}. Search by a part of one name, or of two with a comma, for a closer view."
    signs = (
        "A slash marks a pair whose bound is inferred from what was not chosen, or from a noisy score; an "
        "upright stroke one with a bound for groups of values only; a dash one without a bound; all others "
        "were measured. "
    )
    return f"{said}{signs}{look}."


def in_short(bounded: Sequence[tuple[str, float]], *, merged: int, without: int) -> str:
    """The pairs in a sentence: the surest, the least sure, how many have a bound for groups of values only,
    and how many nothing is promised about.

    >>> in_short([("a × b", 0.02), ("a × c", 0.3)], merged=0, without=1)
    'Surest: **a × b** (at most 2.0 %). Least sure: **a × c** (30.0 %). Nothing is promised about 1 pair.'
    >>> in_short([], merged=398, without=0)
    'Of 398 pairs there is a bound for groups of values only.'
    """
    sentences = []
    if bounded:
        best, worst = min(bounded, key=lambda p: p[1]), max(bounded, key=lambda p: p[1])
        sentences.append(f"Surest: **{best[0]}** (at most {share_at_most(best[1])}).")
        if len(bounded) > 1:
            sentences.append(f"Least sure: **{worst[0]}** ({share_at_most(worst[1])}).")
    if merged:
        sentences.append(f"Of {number_of(merged, 'pair')} there is a bound for groups of values only.")
    if without:
        sentences.append(f"Nothing is promised about {number_of(without, 'pair')}.")
    return " ".join(sentences)


def supports(
    *,
    measured: int,
    grouped: int,
    inferred: int,
    merged: int,
    unasked: int,
    grouped_only: int = 0,
    incomplete: int = 0,
) -> str:
    """What the bounds of all pairs rest on, and why some have none. `grouped` are those whose counts were
    bought in groups of values, from which a bound in all of them follows, and `grouped_only` those from whose
    none does; `merged` have one for groups alone, from a choice or a score.

    >>> supports(measured=1, grouped=0, inferred=2, merged=0, unasked=0)
    'Of 3 pairs 1 was measured in all their values. For 2 a bound follows from what was chosen or scored.'
    >>> supports(measured=2, grouped=3, inferred=0, merged=0, unasked=0)
    'Of 5 pairs 2 were measured in all their values, 3 in groups of them.'
    >>> supports(measured=0, grouped=1, grouped_only=2, inferred=0, merged=0, unasked=0)[-76:]
    '3 in groups of them. Of those in groups 2 have a bound for the groups alone.'
    """
    of = measured + grouped + grouped_only + inferred + merged + unasked + incomplete
    were = "was" if measured == 1 else "were"
    in_groups = grouped + grouped_only
    others = f", {in_groups:,} in groups of them" if in_groups else ""
    sentences = [f"Of {number_of(of, 'pair')} {measured:,} {were} measured in all their values{others}."]
    if grouped_only:
        sentences.append(f"Of those in groups {grouped_only:,} have a bound for the groups alone.")
    if inferred:
        sentences.append(f"For {inferred:,} a bound follows from what was chosen or scored.")
    if merged:
        sentences.append(
            f"For {merged:,} a bound for groups of values only follows from what was chosen or scored."
        )
    if incomplete:
        sentences.append(f"For {incomplete:,} it is not known: records of one of the columns were lost.")
    if unasked:
        sentences.append(f"For {unasked:,} no answer was bought that a bound could follow from.")
    return " ".join(sentences)


def known(view: PairView) -> str:
    """A pair's bound, what it rests on or why there is none, and the one for groups of values."""
    bound, who = view.bound, "people" if view.people else "rows"
    sure = share(view.confidence)
    if bound.incomplete:
        return (
            "**No bound is known.** Records of one of these columns were lost when the file was read, so "
            "nothing that was counted is about the whole file."
        )
    if bound.merged and bound.coarse is not None:
        return (
            "**A bound for groups of values only**: what was asked, was asked in groups of values. With "
            f"{sure} confidence at most **{share_at_most(bound.coarse)}** of the {who} would have to be "
            "moved for the table of these groups to be exact; how they are spread inside a group is as "
            "the model guesses it."
        )
    if bound.share is None:
        said = (
            "**No bound**: no answer was bought that one could follow from, and the pair is as the model "
            "guesses it."
        )
    else:
        said = (
            f"With {sure} confidence **at most {share_at_most(bound.share)}** of the {who} (about "
            f"{bound.share * view.total:,.0f}) would have to be moved for the pair to be exact. "
        )
        if bound.share > RELIABLE:
            said += "That is too much to rely on it. "
        if bound.kind != "measured":
            said += (
                "**Inferred**: its counts were not bought; the bound follows from what was chosen or "
                "scored, or from an earlier table of the same run."
            )
        elif bound.grouped:
            said += "**Measured in groups of values**: the bound in its own values follows from those counts."
        else:
            said += "**Measured**: its counts were bought, by themselves or within a larger table."
    if bound.coarse is not None and bound.share is not None and bound.coarse < bound.share:
        asked = "counted" if bound.counted else "chosen or scored"
        said += f" For the groups of values it was {asked} in, at most **{share_at_most(bound.coarse)}**."
    return said


def cells(view: PairView, table: PairTable) -> str:
    """What the cells of the heat map are, and how sure the counts behind them."""
    who = "people" if view.people else "rows"
    weighed = f"weighed to {view.total:,.0f} {who}"
    if table.noisy is None:
        return (
            f"Synthetic rows{f', {weighed}' * view.weighed}. No count in these values follows from "
            "what was bought, so no interval can be told."
        )
    said = f"{weighed.capitalize()}. " if view.weighed else ""
    return (
        f"{said}Every true count lies within {table.reach:,.0f} of its noisy one, with "
        f"{share(view.confidence)} confidence for all cells at once; the table below has the ends. A "
        "synthetic count outside that is framed: the model smooths, or a rule or another answer pulls."
    )


def units(view: PairView) -> dict[bool, str]:
    """People or per cent."""
    return {False: "People" if view.people else "Rows", True: "Per cent"}
