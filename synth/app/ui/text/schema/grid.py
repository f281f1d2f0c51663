"""Words of the grid of columns, of the search in it, and of what is said of several at once."""

from __future__ import annotations

from synth.core.schema import Kind, Provenance
from synth.dictionaries.lists import known_lists

GRID_TITLE = "Columns"
GRID_NOTE = (
    "One line per column of the table, and beside its name what it can hold: `0 to 99`, `yes, no`, `1 = "
    "male, 2 = female`, `poor < fair < good`, `months`. Ids, names of people and free text are `left out`: "
    "they are never synthesised."
)
KINDS = {kind: kind.words for kind in Kind}
KIND_OF = {label: kind for kind, label in KINDS.items()}
SOURCES = {source: source.value for source in Provenance}
SOURCE_OF = {label: source for source, label in SOURCES.items()}
STEWARD_SOURCE = SOURCES[Provenance.STEWARD]
NAME_HEAD, HOLDS_HEAD, KIND_HEAD = "Name", "What it can hold", "Kind"
WEIGHT_HEAD, TITLE_HEAD = "Weight", "Title"
BINS_HEAD, BLANK_HEAD, SOURCE_HEAD = "Bins", "Blanks", "Known from"
NAME_HELP = "As it stands in the file."
HOLDS_HELP = (
    "What is possible, not what is in the file. A range: 0 to 99, 0.0 to 1.5, 2020-01-01 to 2020-12-31; "
    "behind it, if wanted, by 5, or cut at 18, 65 as child, adult, old. A list: yes, no, or with what the "
    "codes mean: 1 = male, 2 = female. From low to high: poor < fair < good. A list everybody knows, by "
    "its name: months. For ids, names and free text: left out. Where nobody knows it: bought for a list; "
    "whole numbers bought, decimal numbers bought or dates bought for a range."
)
KIND_HELP = (
    "May stay empty: it follows from what the column can hold. Choose *category* for numbers that are codes. "
    "An ordered category has values from low to high, such as poor to good."
)
WEIGHT_HELP = "How much the column matters: 2 counts twice as much as 1, and 0 not at all."
TITLE_HELP = "What people call the column. It stands on every chart and in the report."
BINS_HELP = (
    "Into how many equal bins a range is cut. 16 to 32 is usual. What falls into one bin can never be told "
    "apart later. Empty: every value up to 64 values, else 32 bins."
)
BLANK_HELP = "Whether a cell can be blank. This is asked and never looked up."
SOURCE_HELP = (
    "How you know what the column can hold. *Bought with budget* asks the table itself, with noise, and "
    "takes a share of the privacy budget."
)
KEPT = (
    ":material/cloud_done: Every cell is kept as soon as it is left. *Enter* goes down a line, *Tab* to "
    "the right; *Ctrl+C* and *Ctrl+V* copy cells, also from a spreadsheet; a cell's corner can be pulled "
    "down to fill those below."
)
FIND_LABEL = "Find columns"
FIND_HELP = "Part of a name or a title. Only columns that have it are shown in the grid."
FIND_OPEN = "Only those still open"
FOUND = "Shown: {found} of {count}."
SEVERAL_TITLE = "Several columns at once"
SEVERAL_LABEL = "Columns"
SEVERAL_FOUND = "All {count} that are shown"
SEVERAL_HOLDS = "What they can hold"
SEVERAL_HOLDS_HELP = "One range or list for all of them, typed as in the grid. Empty: stays as it is."
SEVERAL_LIST = "or a list everybody knows"
SEVERAL_STAYS = "stays as it is"
SEVERAL_BLANKS = {True: "may be blank", False: "never blank"}
SEVERAL_BUTTON = "Set for {count}"
COPY_BUTTON, REMOVE_BUTTON = "Duplicate", "Remove"
MOVE_UP, MOVE_DOWN, MOVE_FIRST, MOVE_LAST = "Up", "Down", "To the top", "To the end"


def list_name(name: str) -> str:
    """A known list as a menu shows it: its name, its first values and where it comes from."""
    known = known_lists()[name]
    shown = ", ".join(known.labels[:3] or known.values[:3])
    return f"{name}: {shown}{' ...' if len(known.values) > 3 else ''}{f' ({known.of})' if known.of else ''}"
