"""Texts of the grid of columns, its search, and the panel for several columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.core.schema import Kind, Provenance
from synth.dictionaries.lists import known_lists

GRID_TITLE = "Columns"

SYNTAX = {
    "Range": "`0 to 99`, `2020-01-01 to 2020-12-31`",
    "Range in equal bins": "`0 to 99 by 5`",
    "Range in named bands": "`0 to 99 cut at 18, 65 as child, adult, old`",
    "Range of multiples, or rounded by many": "`0 to 100 steps of 10`, `0 to 5000 heaps of 500`",
    "Range with codes for missing": "`0 to 99 missing 999, -9`",
    "List": "`yes, no`, `1 = male, 2 = female`",
    "Ordered list": "`poor < fair < good`",
    "Several values in one cell": "`several of red, green, or only none`, `several by | of red, green`",
    "Known list": "`months`",
    "Excluded (IDs, names, free text)": "`left out`",
    "Generated IDs, never from the file": "`ids P-{:06d}`, `ids uuid`",
    "Computed in the output": "`= a + b`, `= year(visit) - birth`, `= 100 * a / b, 2 decimals`",
    "Unknown list, estimated (uses budget)": "`estimated`",
    "Unknown range, estimated (uses budget)": (
        "`whole numbers estimated`, `decimal numbers estimated`, `dates estimated`"
    ),
}
SYNTAX_NOTE = (
    "Each cell is saved when you leave it. *Ctrl+C* and *Ctrl+V* copy cells, also from a spreadsheet."
)
KINDS = {kind: kind.words for kind in Kind}
KIND_OF = {label: kind for kind, label in KINDS.items()}
SOURCES = {source: source.value for source in Provenance}
SOURCE_OF = {label: source for source, label in SOURCES.items()}
STEWARD_SOURCE = SOURCES[Provenance.STEWARD]
NAME_HEAD, HOLDS_HEAD, KIND_HEAD = "Name", "Domain", "Kind"
WEIGHT_HEAD, TITLE_HEAD = "Weight", "Title"
BINS_HEAD, BLANK_HEAD, SOURCE_HEAD = "Bins", "Can be blank", "Source"

HOLDS_HELP = (
    "What is possible, not what is in the file: 0 to 99, or yes, no. All forms are listed above the grid."
)
KIND_HELP = (
    "Optional. Choose *category* for numbers that are codes. An ordered category has values from low to high."
)
WEIGHT_HELP = "Importance: 2 counts twice as much as 1, and 0 not at all."

BINS_HELP = (
    "Number of equal bins; 16 to 32 is usual. Values in one bin cannot be distinguished later. "
    "Default: all values up to 64, else 32 bins."
)
BLANK_HELP = (
    "Can a cell be blank? This is declared, never read from the file. A column that is never blank has less "
    "noise. Unexpected blanks are not counted, and the results state their share."
)
SOURCE_HELP = (
    "Source of the domain. *Estimated with budget* estimates it from the data with part of the budget."
)

FIND_HELP = "Part of a name or title. The grid shows matching columns only."

FOUND = "Shown: {found} of {count}."


GROUP_NOTE = (
    "**Group of yes/no columns:** each row has exactly one of the chosen columns, at most one, or several."
)
SEVERAL_HELP = "The columns are the options of one question. Their combinations are modelled together."


def group_line(group: Mapping[str, Any]) -> str:
    """Describe a group of columns."""
    many = "at most" if group.get("at_most") else "exactly"
    if group.get("several"):
        alone = f"; {group['exclusive']} excludes the others" if group.get("exclusive") else ""
        return f"{group['name']}: any of {', '.join(group['columns'])} are {group.get('chosen', '1')}{alone}"
    return f"{group['name']}: {many} one of {', '.join(group['columns'])} is {group.get('chosen', '1')}"


SEVERAL_HOLDS = "Domain"
SEVERAL_HOLDS_HELP = "One range or list for all of them. Empty: unchanged."

SEVERAL_STAYS = "unchanged"
SEVERAL_BLANKS = {True: "may be blank", False: "never blank"}
SEVERAL_BUTTON = "Set for {count}"


def list_name(name: str) -> str:
    """Format a known list for a menu: its name, its first values and its source."""
    known = known_lists()[name]
    shown = ", ".join(known.labels[:3] or known.values[:3])
    return f"{name}: {shown}{' ...' if len(known.values) > 3 else ''}{f' ({known.of})' if known.of else ''}"


def syntax() -> str:
    """List the forms in which a domain can be written."""
    return "\n".join([*(f"- {what}: {how}" for what, how in SYNTAX.items()), "", SYNTAX_NOTE])
