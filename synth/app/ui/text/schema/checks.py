"""Texts of the checks, of the table of declared columns, and of the comparison with the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from synth.app.ui.text import number_of, some
from synth.core.numbers import places
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries.words import Words

PROVENANCE_COLOUR = {
    Provenance.PUBLIC_DOCUMENT: "green",
    Provenance.STEWARD: "blue",
    Provenance.ESTIMATED: "violet",
    Provenance.EARLIER: "violet",
    Provenance.UNSTATED: "gray",
    Provenance.READ_FROM_FILE: "red",
}
FROZEN = "A run used these columns, so they are fixed. To change them, start another run."
EMPTY = "No columns yet. Load a data dictionary, read the names from the file, or type them."
WAITING = (
    "**{count}** still {need} a domain: {names}. Type {their} domain in the grid, such as `0 to 99` or "
    "`yes, no`."
)


OVERVIEW_ALT = "Table of the declarations: {count}."
RULES_OFF = "Some rules do not fit these columns. Change them on the Rules page, or remove them."
FIT_OPEN = "Does my file fit?"
FIT_NOTE = (
    ":material/visibility: **Confidential.** This reads the private file and counts the cells that do not "
    "fit, with the reason. It is not differentially private and costs no budget. The report "
    "states that you viewed it, and every later change."
)


FIT_RUNNING = "Comparing. This can take minutes for large files; you may leave the page."
FIT_OLD = "This check is for an earlier version of the columns. Compare again to see how they fit now."

FIT_BAD = (
    "These columns do not fit: {names}. Use your codebook, not the file, to find what is missing. Check "
    "also the number and date format under *How the file is written*."
)
FIT_ESTIMATED = "Not compared, because the run estimates their domains: {names}."
FIT_ALIKE = "{count} ({names})"
FIT_COLUMN, FIT_BAND, FIT_FOUND = "Column", "How it fits", "Cells that do not match"
FIT_ALT = "Table of {count}: how well each fits its declaration, and the cells that do not fit."
ALIKE = 3
"""Maximum number of columns for which the same sentence is repeated. For more columns, it appears once."""
_WIDTH = re.compile(r", about [\d,.]+( days)? each")
"""Pattern of the only part of a sentence that differs between columns with the same number of bins."""
_OF_A_COLUMN = re.compile(r"Column '(.+?)': (.+)")
WORDS = Words(
    provenance="'known from'",
    open_kind="enter its domain in the grid",
    drop="",
    id_place="on the page 'Who is protected'",
    values_missing="the list of values is missing",
    end_missing="the {end} value is missing",
    buy_list="choose 'estimated with budget' for it",
    buy_range="choose 'estimated with budget' for it",
    buy_numbers="type 'whole numbers estimated', 'decimal numbers estimated' or 'dates estimated'",
    not_from_file="or estimate it with part of the budget",
    bins="the number of bins",
    step="the width of a bin",
    cuts="the cuts",
    ask_bins="enter the number of bins in the grid",
    points_outside="every value with its own bin must be in the range",
    by_title=True,
)
"""How the sentences of the checks name the fields of the page."""


def rules_out(count: int) -> str:
    """Label the button that removes rules whose columns no longer exist.

    >>> rules_out(1), rules_out(2)
    ('Remove the rule that does not fit', 'Remove the 2 rules that do not fit')
    """
    return "Remove the rule that does not fit" if count == 1 else f"Remove the {count} rules that do not fit"


def waiting(names: Sequence[str]) -> str:
    """Name the columns without a domain.

    >>> waiting(["age"]).partition(":")[0]
    '**1 column** still needs a domain'
    """
    one = len(names) == 1
    return WAITING.format(
        count=number_of(len(names), "column"),
        need="needs" if one else "need",
        their="its" if one else "their",
        names=some(names),
    )


def open_ends(count: int) -> str:
    """Return the line above the problems."""
    return "One point is open:" if count == 1 else f"{count} points are open:"


def gathered(problems: Sequence[str], titles: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return the sentences in order, and merge sentences that are the same for more than `ALIKE` columns.
    A column at the beginning of a sentence is shown by its title. `titles` maps names to titles.

    >>> gathered([f"Column '{name}': choose its kind in the grid." for name in "abcde"])
    ["5 columns ('a', 'b', 'c' and 2 more), for each: choose its kind in the grid."]
    """
    said: dict[str, list[tuple[str, str]]] = {}
    for sentence in problems:
        parts = _OF_A_COLUMN.fullmatch(sentence)
        name, what = (parts[1], parts[2]) if parts else ("", sentence)
        said.setdefault(_WIDTH.sub("", what), []).append((titles.get(name, name), what))
    lines = []
    for shared, own in said.items():
        if len(own) > ALIKE:
            listed = some([f"'{name}'" for name, _ in own], most=ALIKE)
            is_same = len({what for _, what in own}) == 1
            lines.append(f"{len(own):,} columns ({listed}), for each: {own[0][1] if is_same else shared}")
        else:
            lines += [f"Column '{name}': {what}" if name else what for name, what in own]
    return lines


def badge(provenance: Provenance) -> str:
    """Return the source of a domain as a coloured badge."""
    return f":{PROVENANCE_COLOUR[provenance]}-badge[{provenance.value}]"


def domain_of(column: Column, decimals: int | None = None) -> str:
    """Describe the declared domain briefly, with the decimals of the CSV if they are given.

    >>> domain_of(Column(name="a", kind=Kind.INTEGER, min=0, max=9, missing=("-9", "999")))
    '0 to 9; missing if -9, 999'
    """
    missing = f"; missing if {', '.join(column.missing)}" if column.missing else ""
    return _domain_of(column, decimals) + missing


def _domain_of(column: Column, decimals: int | None) -> str:
    if column.id_format:
        return f"generated IDs, {column.id_format}"
    if column.kind is Kind.DROP:
        return "not synthesised"
    if column.formula:
        return f"computed: {column.formula}"
    if column.buy:
        what = f"range of {column.kind.words}s" if column.kind.has_range else "list of values"
        return f"{what}, estimated with part of the budget"
    if column.kind.has_values:
        shown = ", ".join(column.label_of(v) for v in column.values[:4])
        more = len(column.values) - 4
        several = "several of " if column.separator else ""
        return several + (f"{shown} and {more} more" if more > 0 else shown)
    written = "" if decimals is None else f", {places(decimals)}"
    ends = " to ".join(column.written(end) for end in (column.min, column.max) if end is not None)
    named = f" ({', '.join(column.labels)})" if column.labels else ""
    return f"{ends}{written}{named}"
