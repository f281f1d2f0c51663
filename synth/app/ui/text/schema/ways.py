"""Words of the ways by which columns come in: a dictionary, the names in the file, lines, the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synth.app.project.describe.sources import Loaded
from synth.app.ui.text import number_of, plain, some
from synth.core.schema import Kind
from synth.dictionaries import Format

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
NAMES_TYPED = (
    "Reads the names of the columns, and nothing else. The rest you then type. Columns that are called like "
    "an id or an address start as left out."
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
PASTE_PLACEHOLDER = (
    "age: 0 to 99\nsex: 1 = male, 2 = female\nhealth: poor < fair < good\nincome: whole numbers bought\n"
    "name: left out"
)
PASTE_BUTTON = "Take these lines"
PASTED = "{count} taken from the lines: {names}."
LISTS_BOUGHT = (
    "What is bought of these is the **list of values**: {names}. If one holds numbers or dates, type "
    "`whole numbers bought`, `decimal numbers bought` or `dates bought` for it: then the ends of its range "
    "are bought."
)
RANGES_BOUGHT = "What is bought of these are the **ends of the range**: {names}."
BUY_BODY = (
    "Where nobody knows what a column can hold, the run can ask the table with noise, for a share of the "
    "budget: `bought` buys a list of values; `whole numbers bought`, `decimal numbers bought` and "
    "`dates bought` buy the ends of a range."
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


def pasted(document: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """What came of lines that name these columns, and of those to be bought what it is that is bought."""
    said = [PASTED.format(count=number_of(len(names), "column"), names=plain(some(names)))]
    bought = {
        str(e["name"]): Kind(e["kind"]) for e in document["columns"] if e["name"] in names and e.get("buy")
    }
    for sentence, is_range in ((LISTS_BOUGHT, False), (RANGES_BOUGHT, True)):
        own = [name for name, kind in bought.items() if kind.has_range is is_range]
        said += [sentence.format(names=plain(some(own)))] if own else []
    return tuple(said)


def loaded(dictionary: Loaded, unit: Mapping[str, Any]) -> tuple[str, ...]:
    """What a dictionary turned out to be, what it lacks, and what of the declared `unit` stays."""
    notes = [
        LOADED.format(form=dictionary.format.value, count=number_of(dictionary.columns, "column")),
        *map(plain, dictionary.notes),
    ]
    if (claimed := dictionary.rows_claimed) is not None:
        rows = "one row" if claimed == 1 else f"{claimed} rows"
        notes.append(
            UNIT_KEPT.format(theirs=rows, ours=unit["max_rows"], unit=plain(unit.get("name", "person")))
        )
    further = {Format.SDV: SDV_NOTE, Format.STATISTICS: FOUND_NOTE, Format.DDI: FOUND_NOTE}
    return (*notes, further[dictionary.format]) if dictionary.format in further else tuple(notes)
