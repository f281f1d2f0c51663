"""Texts of the sources of columns: a dictionary, the names in the file, lines, the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synth.app.project.describe.sources import Loaded
from synth.app.ui.text import number_of, plain, some
from synth.core.schema import Kind
from synth.dictionaries import Format

DICTIONARY_HELP = (
    "CSV or Excel with one line per column; labels of SPSS, Stata or SAS; a DDI codebook. Also "
    "Frictionless, CSV on the Web, SDV metadata, or a Marginalia schema. PDF is not supported."
)


DICTIONARY_REPLACE = "Loading replaces the columns below."


NAMES_TYPED = "Reads the column names and nothing else."


NAMES_NEED = "Choose a file first, and state that its first line has names."


PASTE_HELP = (
    "Lines copied from a spreadsheet may have titles in the third cell. Existing columns are changed. "
    "`estimated` estimates an unknown value list with part of the budget; `whole numbers estimated`, "
    "`decimal numbers estimated` and `dates estimated` estimate a range."
)
PASTE_PLACEHOLDER = (
    "age: 0 to 99\nsex: 1 = male, 2 = female\nhealth: poor < fair < good\nincome: whole numbers "
    "estimated\nname: left out"
)
PASTE_BUTTON = "Use these lines"
PASTED = "{count} taken from the lines: {names}."
LISTS_ESTIMATED = (
    "For these, the **value list** is estimated: {names}. For numbers or dates, type `whole numbers "
    "estimated`, `decimal numbers estimated` or `dates estimated`."
)
RANGES_ESTIMATED = "For these, the **ends of the range** are estimated: {names}."


READ_PUBLIC = "This file is public: anyone may read all rows."
READ_PUBLIC_HELP = (
    "A list or range read from private rows would be published. For such columns there is **no "
    "guarantee**, and the report states it."
)


READ_NOTE = (
    "The columns were read from the file. **There is no guarantee for them**, and all documents "
    "state it. Text columns with very many different values are excluded."
)
LOADED = "{form}, {count}."
SDV_NOTE = (
    "SDV metadata is often made from the data. State a public document as source only if it was "
    "written without the file."
)
FOUND_NOTE = (
    "Value labels and ranges may come from a program that read the table. State a public document as "
    "source only if it was written without the file."
)
UNIT_KEPT = "The dictionary allows at most {theirs} per {unit}; your {ours} applies."


def pasted(document: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """State which columns the lines declare, and what will be estimated for some of them."""
    said = [PASTED.format(count=number_of(len(names), "column"), names=plain(some(names)))]
    estimated = {
        str(e["name"]): Kind(e["kind"]) for e in document["columns"] if e["name"] in names and e.get("buy")
    }
    for sentence, is_range in ((LISTS_ESTIMATED, False), (RANGES_ESTIMATED, True)):
        own = [name for name, kind in estimated.items() if kind.has_range is is_range]
        said += [sentence.format(names=plain(some(own)))] if own else []
    return tuple(said)


def loaded(dictionary: Loaded, unit: Mapping[str, Any]) -> tuple[str, ...]:
    """State the format of a dictionary, what is missing in it, and what stays of the declared `unit`."""
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
