"""Words of the columns page: the file, the dictionary, the grid, the panel, the checks, the fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.project.lookup import Lookup
from synth.project.sources import Loaded
from synth.schema import Column, DateOrder, Kind, LineBreaks, Provenance
from synth.schema_io import Format
from synth.schema_io.lists import known_lists
from synth.schema_io.words import Words
from synth.ui.text import number_of

PROVENANCE_COLOUR = {
    Provenance.PUBLIC_DOCUMENT: "green",
    Provenance.STEWARD: "blue",
    Provenance.BOUGHT: "violet",
    Provenance.READ_FROM_FILE: "red",
}
KIND_NAME = {
    Kind.CATEGORY: "category",
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal",
    Kind.DATE: "date",
    Kind.DROP: "left out",
}

LEAD = (
    "Say what every column can hold. None of it is looked up in the file: what the file happens to contain "
    "is a secret, what it **could** contain is not."
)

FROZEN = (
    "A run has used these columns, so they stay as they are. To change them, start another run on the run "
    "page; it prepares a new release from the same table."
)

# The file
FILE_TITLE = "The private file"
FILE_NONE = "No file chosen yet. You can describe the columns first and choose the file later."
FILE_CHOSEN = {
    "demo": ":material/check: The invented table of the demo.",
    "path": ":material/check: A file in the data folder{named}. It stays where it is.",
    "upload": ":material/check: An uploaded file{named}, kept in this project's own folder.",
}
FILE_NAMED = ", **{name}**"
FILE_UNREAD = "It stays unread until the run starts."
FILE_READ = "It has been read, as the note above says."
FILE_ANOTHER = "Choose another file"
FILE_CHOOSE = "Choose the file"
FILE_BUTTON = "Use this file"
FILE_PLACE = "Where the table is"
FILE_PATH = "In the data folder"
FILE_UPLOAD = "On this computer"
PATH_LABEL = "File, as a path inside the data folder"
PATH_HELP = (
    "The file stays where it is: nothing is copied, and any size will do. Only files under the data "
    "folder can be named. Whoever runs the app sets the folder with MARGINALIA_FOLDER."
)
UPLOAD_LABEL = "Table (CSV or Parquet, up to 200 MB)"
UPLOAD_HELP = (
    "It is moved, unread, into a folder only this app can open. Larger files go into the data folder."
)

FORMAT_TITLE = "How the file is written"
FORMAT_NOTE = (
    "For CSV files. This is declared too: the app does not try to find out. A number or a date in another "
    "form counts as blank, and so does a number whose thousands are parted. The synthetic CSV has decimal "
    "points and ISO dates whatever is declared here."
)
HEADER_LABEL = "The first line holds the names of the columns"
HEADER_HELP = "Without names the columns must be declared below in the order of the file, all of them."
DELIMITER_LABEL = "Between two cells stands"
DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
DECIMAL_LABEL = "Before the decimals stands"
DECIMALS = {".": "a point: 2.5", ",": "a comma: 2,5"}
DATES_LABEL = "Dates are written as"
DATES = {
    DateOrder.YEAR_FIRST: "year-month-day: 2025-12-31",
    DateOrder.DAY_FIRST: "day, month, year: 31.12.2025, 31/12/2025",
    DateOrder.MONTH_FIRST: "month, day, year: 12/31/2025",
}
DATES_HELP = "Below, ranges of dates are typed as year-month-day in any case."
BREAKS_LABEL = "A line break inside quotes"
BREAKS = {
    LineBreaks.JOIN: "belongs to the text: the row goes on in the next line",
    LineBreaks.SPLIT: "ends the row: every line is a row of its own",
    LineBreaks.REFUSE: "must not occur: the file is then refused",
}
BREAKS_HELP = (
    "Only the first allows texts of several lines. With it, a quotation mark that somebody forgot can make "
    "one row of two, and the promise counts what was read as rows. With the second, every line counts for "
    "itself. With the third, a run stops before anything is asked."
)
MISSING_LABEL = "Read as blank"
MISSING_HELP = "Texts that stand for no answer, parted by commas. An empty cell is always blank."

# Where the columns come from
WAYS_TITLE = "Where the columns come from"
WAYS_AGAIN = "Start the columns from somewhere else"
DICTIONARY_TITLE = "Load a data dictionary"
DICTIONARY_BODY = "The surest way: a codebook that exists without this file."
DICTIONARY_LABEL = "Dictionary"
DICTIONARY_HELP = (
    "A table with a line per column (name, kind, values parted by |, labels, min, max), as CSV or Excel; a "
    "file of SPSS, Stata or SAS, of which only the labels and formats are read; a DDI codebook; "
    "Frictionless, CSV on the Web or SDV metadata; a Marginalia schema or the config/spec.json of an "
    "earlier release. A code book that is a PDF cannot be read."
)
TABLE_LABEL = "Which table of the dictionary"
DICTIONARY_BUTTON = "Load it"
DICTIONARY_REPLACE = "Loading replaces the columns below."
NAMES_TITLE = "Take the names from the file"
NAMES_BODY = (
    "Reads the first line, where the names stand, and nothing else. The rest you then type. Columns that are "
    "called like an id or an address start as left out."
)
NAMES_BUTTON = "Read the names"
NAMES_NEED = "Choose a file first, and say that its first line holds names."
TYPE_TITLE = "Type or paste them"
TYPE_BODY = (
    "A line for each column: its name, then what it can hold. Lines copied from a spreadsheet may have a "
    "title in the third cell, or the headings of a dictionary in the first line. Columns already there are "
    "changed."
)
PASTE_LABEL = "Lines"
PASTE_PLACEHOLDER = "age: 0 to 99\nsex: 1 = male, 2 = female\nhealth: poor < fair < good\nname: left out"
PASTE_BUTTON = "Take these lines"
PASTED = "{count} taken from the lines: {names}."
BUY_BODY = (
    "Where nobody knows what a column can hold, choose *bought with budget* for it in the grid: the run then "
    "asks the table with noise, and takes a share of the budget."
)
READ_TITLE = "Read everything from the file"
READ_BODY = "Only for a public or invented file. Kinds, lists and ranges are taken as the file has them."
READ_PUBLIC = "This file is public: anybody may read every row of it."
READ_PUBLIC_HELP = (
    "A value list or a range read off private rows would be published with the release. For columns read "
    "from the file there is **no guarantee**; the report says so."
)
READ_BUTTON = "Read the columns"
READING = "Reading the public file"
READ_NOTE = (
    "The columns are as the file has them. **There is no guarantee for them**: every paper of a release says "
    "that their domain was read from the file. Columns with very many different texts are left out."
)

LOADED = "{form}, {count}."
SDV_NOTE = (
    "SDV metadata is often made by looking at the table. Call a list or a range a public document only if a "
    "person wrote it without the file."
)
FOUND_NOTE = (
    "Value labels and valid ranges may be made by a program that looked at the table (AUTORECODE, encode, an "
    "archive's publisher). Call them a public document only if a person wrote them without the file."
)
UNIT_KEPT = "The dictionary says at most {theirs} for one {unit}; your own {ours} stays in force."

# Names of file and declaration
MATCHED = "The names in the file and the columns declared here are the same."
NOT_IN_FILE = "Declared here, but not in the file: {names}. Rename or remove them, or the run cannot start."
NOT_DECLARED = "In the file, but not declared here: {names}. They will not be read."
ADD_BUTTON = "Add them"

# The grid
GRID_TITLE = "Columns"
GRID_NOTE = (
    "One line per column of the table, and beside its name what it can hold: `0 to 99`, `yes, no`, `1 = "
    "male, 2 = female`, `poor < fair < good`, `months`. Ids, names of people and free text are `left out`: "
    "they are never synthesised."
)
KINDS = {
    Kind.CATEGORY: "category",
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal number",
    Kind.DATE: "date",
    Kind.DROP: "left out",
}
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
    "its name: months. For ids, names and free text: left out."
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
EMPTY = (
    "There are no columns yet. Begin with a data dictionary if there is one; else take the names from the "
    "file, or type them, and say of each column what it can hold."
)
WAITING = (
    "**{count}** still {wait} for what {they} can hold: {names}. Type it beside {their} name in the grid, "
    "for example `0 to 99`, `yes, no` or `1 = male, 2 = female`. Ids, names of people and free text: `left "
    "out`."
)

# Finding columns, and several of them at once
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

# The panel
PANEL_TITLE = "One column in detail"
PANEL_LABEL = "Column"
PANEL_DROPPED = "This column is left out of the synthetic table, so there is nothing to say about it."
PANEL_NO_KIND = "Say in the grid what it can hold; then its details can be given here."
TITLE_LABEL = "Title, for people"
DESCRIPTION_LABEL = "Description"
VALUES_LABEL = "Values, one per line"
VALUES_ORDERED = "Values, one per line, from lowest to highest"
VALUES_HELP = (
    "Every value the column can hold, also rare ones; behind an equals sign what it means: 1 = male. On a "
    "single line commas part the values; on several lines a comma belongs to the value. Leave the box to "
    "see the count."
)
WRITE_LABELS = "Write what they mean into the CSV"
WRITE_LABELS_HELP = "Otherwise the CSV holds the codes, and the dictionary beside it says what they mean."
READS_LABEL = "Codes of the file that count as a value"
READS_HELP = (
    "For codes of a finer level than is published: the value, a colon, and its codes, parted by commas, "
    "one value per line. A star stands for any ending: J: J* takes every code that begins with J."
)
LEVEL_LABEL = "Publish only the first characters of the codes"
LEVEL_HELP = "As many as the level to publish has. Codes that begin alike become one value."
LEVEL_EMPTY = "all"
LEVEL_BUTTON = "Group them"
LOOKUP_TITLE = "From a table of codes and groups"
LOOKUP_NOTE = (
    "A code and its group in every line, and if wanted what the group means: as a CSV file, or pasted from a "
    "spreadsheet. The groups become the values, and every code counts as its group. Take it from a public "
    "classification, not from the file."
)
LOOKUP_FILE = "Table as a CSV file"
LOOKUP_TYPED = "or its lines"
LOOKUP_PLACEHOLDER = "I21, I, heart\nI22, I, heart\nJ10, J, lungs"
LOOKUP_HEADED = "The first line holds headings"
LOOKUP_BUTTON = "Use this table"
CUTS_LABEL = "Cut where a new band begins"
CUTS_HELP = "The first value of every band but the lowest, parted by commas: 18, 65. Instead of equal bins."
BANDS_LABEL = "Names of the bands"
BANDS_HELP = "From the lowest band up, parted by commas: child, adult, old. One more than there are cuts."
MEASURED_LABEL = "What the numbers count"
MEASURED_HELP = "Such as years or US dollars. It stands behind the title on every chart."
VALUES_MANY = "More than {most} values: noise is added to each, so fewer keep more of the signal."
VALUES_TWICE = "Stands more than once: {names}."
BOUGHT_NOTE = (
    ":material/shopping_cart: What this column can hold will be bought: the run asks the table with noise "
    "and keeps only what enough people share. It takes a share of the budget."
)
OTHER_LABEL = "Keep other values together"
OTHER_HELP = "Cells outside the list become one more value. Otherwise they count as blank."
OTHER_NAME = "Name of that value"
RARE_LABEL = "Model rare values together"
RARE_HELP = (
    "Values too rare to be told from noise share one place in the model. Useful for long lists; finding "
    "them costs a little budget."
)
BLANK_OUTSIDE = "Cells outside count as blank"
BLANK_OUTSIDE_HELP = "Otherwise they are moved to the nearest end of the range."
ADAPTIVE_LABEL = "Bins follow the data"
ADAPTIVE_HELP = (
    "Fine bins where many people are, coarse ones elsewhere, found with noise (PrivTree). It costs a "
    "little budget."
)
STEP_LABEL = "Width of one bin"
STEP_HELP = "Instead of a number of bins. For dates, in days."
STEP_EMPTY = "as in the grid"
POINTS_LABEL = "Values with a bin of their own"
POINTS_HELP = "Values that many people share, such as 0 for no income. Parted by commas."

# Checks
CHECKS_TITLE = "Checks"
CHECKS_SOUND = "The columns can be used."
WARNINGS_TITLE = "Worth a look ({count})"
OVERVIEW_TITLE = "As declared"
OVERVIEW_NOTE = (
    "Bins are what the synthetic table can tell apart, blanks included. The badge says how the domain is "
    "known."
)
OVERVIEW_ALT = "Table of what is declared: {count}."
NEXT_WHY = "Some columns are not finished; the checks name them."
NEXT_UNSAVED = "A line of the grid cannot be kept as it is; the sentence below the grid says why."
RULES_OFF = (
    "The rules do not go with these columns any more. Change them on the rules page, or take them out."
)

# Fit
FIT_TITLE = "Does my file fit?"
FIT_OPEN = "Compare the declaration with the private file"
FIT_NOTE = (
    ":material/visibility: **For your eyes only.** This reads the private file and tells, for each column, "
    "in a coarse band how many cells are not as declared. It costs no budget because it promises no "
    "privacy: do not pass it on. That you looked, and every change you make afterwards, is printed in the "
    "report of the release."
)
FIT_AGREE = "I understand that this is written into the report"
FIT_BUTTON = "Compare now"
FIT_AGAIN = "Compare again"
FIT_NEED = "A file and finished columns are needed for this."
FIT_RUNNING = "Comparing. This takes a few seconds, for large files some minutes; you may leave the page."
FIT_OLD = "Made for an earlier version of the columns. Compare again to see how they fit now."
FIT_GOOD = "Every column fits, or mostly."
FIT_BAD = (
    "These columns do not fit: {names}. Look into your codebook, not into the file, for what is missing. "
    "Numbers and dates are read in the form that is declared above, where the file is."
)
FIT_COLUMN, FIT_BAND = "Column", "How it fits"
FIT_ALT = "Table of {count} and the band in which each fits its declaration."

ALIKE = 3
"""Columns of which the same sentence is said one by one; of more it is said once."""
_OF_A_COLUMN = re.compile(r"Column ('.+?'): (.+)")

WORDS = Words(
    provenance="'known from'",
    open_kind="say in the grid what it can hold",
    drop="",
    values_missing="the list of values is missing",
    end_missing="the {end} value is missing",
    buy_list="choose 'bought with budget' for it",
    buy_range="choose 'bought with budget' for it",
    not_from_file="or have it bought with budget",
    bins="the number of bins",
    step="the width of a bin",
    cuts="the cuts",
    ask_bins="say how many bins in the grid",
    points_outside="every value with a bin of its own must lie in the range",
)
"""What the sentences of the checks call the boxes of this page."""


def looked_up(table: Lookup, left: Sequence[str]) -> str:
    """What came of a table of codes and groups.

    >>> looked_up(Lookup(codes={"I": ("I21", "I22")}, meanings={}), ())
    '2 codes are read as 1 group.'
    >>> looked_up(Lookup(codes={"I": ("I21",)}, meanings={}), ("Z",))
    '1 code is read as 1 group. Not in the table, and kept as a value: Z.'
    """
    read = f"{number_of(table.count, 'code')} {'is' if table.count == 1 else 'are'} read as "
    said = f"{read}{number_of(len(table.codes), 'group')}."
    kept = "a value" if len(left) == 1 else "values"
    return f"{said} Not in the table, and kept as {kept}: {some(left)}." if left else said


def rules_out(count: int) -> str:
    """The button that takes out rules whose columns are gone.

    >>> rules_out(1), rules_out(2)
    ('Take out the rule that does not fit', 'Take out the 2 rules that do not fit')
    """
    return (
        "Take out the rule that does not fit" if count == 1 else f"Take out the {count} rules that do not fit"
    )


def loaded(dictionary: Loaded, unit: Mapping[str, Any]) -> tuple[str, ...]:
    """What a dictionary turned out to be, what it lacks, and what of the declared `unit` stays."""
    notes = [
        LOADED.format(form=dictionary.format.value, count=number_of(dictionary.columns, "column")),
        *dictionary.notes,
    ]
    if (claimed := dictionary.rows_claimed) is not None:
        rows = "one row" if claimed == 1 else f"{claimed} rows"
        notes.append(UNIT_KEPT.format(theirs=rows, ours=unit["max_rows"], unit=unit.get("name", "person")))
    further = {Format.SDV: SDV_NOTE, Format.STATISTICS: FOUND_NOTE, Format.DDI: FOUND_NOTE}
    return (*notes, further[dictionary.format]) if dictionary.format in further else tuple(notes)


def waiting(names: Sequence[str]) -> str:
    """Which columns it is still to be said of what they can hold.

    >>> waiting(["age"]).partition(":")[0]
    '**1 column** still waits for what it can hold'
    """
    one = len(names) == 1
    return WAITING.format(
        count=number_of(len(names), "column"),
        wait="waits" if one else "wait",
        they="it" if one else "they",
        their="its" if one else "their",
        names=some(names),
    )


def list_name(name: str) -> str:
    """A known list as a menu shows it: its name, its first values and where it comes from."""
    known = known_lists()[name]
    shown = ", ".join(known.labels[:3] or known.values[:3])
    return f"{name}: {shown}{' ...' if len(known.values) > 3 else ''}{f' ({known.of})' if known.of else ''}"


def open_ends(count: int) -> str:
    """The line above the problems."""
    return (
        "One thing is missing or does not hold:"
        if count == 1
        else f"{count} things are missing or do not hold:"
    )


def gathered(problems: Sequence[str]) -> list[str]:
    """Sentences in their order, those that say the same of more than `ALIKE` columns made into one.

    >>> gathered([f"Column '{name}': choose its kind in the grid." for name in "abcde"])
    ["5 columns ('a', 'b', 'c' and 2 more), for each: choose its kind in the grid."]
    """
    said: dict[str, list[str]] = {}
    for sentence in problems:
        parts = _OF_A_COLUMN.fullmatch(sentence)
        said.setdefault(parts[2] if parts else sentence, []).append(parts[1] if parts else "")
    lines = []
    for what, names in said.items():
        if len(names) > ALIKE:
            lines.append(f"{len(names)} columns ({some(names, most=ALIKE)}), for each: {what}")
        else:
            lines += [f"Column {name}: {what}" if name else what for name in names]
    return lines


def some(names: Sequence[str], *, most: int = 8) -> str:
    """A list of names that stays readable when it is long."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def badge(provenance: Provenance) -> str:
    """Where a domain comes from, as a coloured word."""
    return f":{PROVENANCE_COLOUR[provenance]}-badge[{provenance.value}]"


def domain_of(column: Column) -> str:
    """The declared domain in a few words."""
    if column.kind is Kind.DROP:
        return "not synthesised"
    if column.buy:
        return "to be bought with budget"
    if column.kind.has_values:
        shown = ", ".join(column.label_of(v) for v in column.values[:4])
        more = len(column.values) - 4
        return f"{shown} and {more} more" if more > 0 else shown
    return (
        f"{column.min:,} to {column.max:,}"
        if column.kind is not Kind.DATE
        else f"{column.min} to {column.max}"
    )
