"""Read a schema from a dictionary in the form of a table, and create a first schema from a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from io import StringIO
from typing import Any

from synth.core.columns.combinations import EMPTY
from synth.core.errors import Mistake
from synth.core.schema import FileFormat, Kind, Provenance
from synth.dictionaries.check import show
from synth.dictionaries.document import dumped, shape_problems
from synth.dictionaries.domain_text import ESTIMATES, decimals_in

KNOWN_FROM, IN_CSV, ID_FORMAT = "known from", "labels in csv", "id format"
SURVEY_WEIGHT = "survey weight"
DECIMAL_SIGN, DATE_ORDER = "decimal sign", "date order"
NEITHER = "none"
"""The text that means that there is no thousands sign."""
HEADINGS = (
    "name", "kind", "values", "labels", "reads", "min", "max", "unit", "decimals", "bins", "step", "multiple",
    "heaps", "cuts", "blank", "missing", "weight", "title", "description", KNOWN_FROM, IN_CSV, "formula",
    ID_FORMAT, "separator", "exclusive", "combinations", "limit", "totals", SURVEY_WEIGHT, DECIMAL_SIGN,
    "thousands", DATE_ORDER, "outside", "group",
)  # fmt: skip
DERIVED = ("starts",)
"""Headings of a released dictionary that are ignored, because their content follows from the other
headings.
"""
GROUP = re.compile(
    r"(?P<name>.+): (?:(?P<many>exactly|at most) one is (?P<one>.+)"
    r"|any number are (?P<several>.+?)(?:, or only (?P<exclusive>.+))?)"
)
"""Pattern of the description of a group, which a released dictionary contains for each column of the
group.
"""
DOMAIN = {"values", "min", "max"}
"""Headings that declare a domain. If a column is marked as estimated and has none of them, its domain is not
estimated yet.
"""
GUARD = re.compile(r"'(?=[\s']*[=+\-@])")
"""Pattern of the apostrophe in a released dictionary that prevents spreadsheets from running a cell."""
ALIASES = {"type": "kind", "column": "name", "variable": "name", "label": "title"}
KINDS = {
    "string": "category",
    "text": "category",
    "boolean": "category",
    "categorical": "category",
    "ordinal": "ordered",
    "int": "integer",
    "number": "decimal",
    "float": "decimal",
    "real": "decimal",
    "ignore": "drop",
    "skip": "drop",
}
WRITTEN = FileFormat()
"""The default file format."""
ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def draft_dictionary(text: str, *, name: str) -> dict[str, Any]:
    """Return a schema document from the text of a CSV with one line per column of the table.

    Headings: name, kind (or type), values (separated by |), labels of these or of the bands between cuts
    (separated by |; or values as `0 = male|1 = female`), reads (codes read as each value, separated by ;
    inside |), min, max, unit (of measurement), decimals, bins, step, multiple, heaps, cuts (separated by |),
    blank (yes or no), missing (separated by |), weight, title, description, known from, labels in csv (yes or
    no), formula, id format, separator (in cells with several values), limit (a formula), totals (of strata,
    separated by |), survey weight (yes or no), decimal sign, thousands (a sign or `none`) and date order (of
    this column, if not as in the file), outside (missing, clamp or `other: LABEL`), group (`NAME: exactly one
    is CHOSEN` or `at most one`). Only name and kind are required. A blank cell means that nothing is
    declared. The cells are separated by commas, semicolons or tabs. *known from* is a value of `Provenance`,
    or a word for estimation as in typed lines; without it, the source of a domain is a public document. By
    default, *decimals* is the number of decimal places in min, max, step and cuts.

    The population and the unit must be declared separately. Cells are used as written, and `problems` reports
    invalid cells. Raises: `Mistake` for an unknown heading or a line with too many cells.
    """
    lines = _lines(text)
    groups: dict[str, list[str]] = {}
    for line in lines:
        if stated := line.pop("group", ""):
            groups.setdefault(stated, []).append(line.get("name", ""))
    return {
        "name": name,
        "population": None,
        "unit": {"max_rows": None},
        "rows_public": False,
        "columns": [_entry(line) for line in lines],
        **({"groups": [_group(*group) for group in groups.items()]} if groups else {}),
    }


def _group(stated: str, columns: Sequence[str]) -> dict[str, Any]:
    found = GROUP.fullmatch(stated)
    if found is None:
        raise Mistake(
            f"The dictionary states the group {show(stated)} in an unknown form. Write for example: "
            "'way: exactly one is 1'."
        )
    group = {"name": found["name"], "columns": [*columns], "chosen": found["one"] or found["several"]}
    if found["several"] is not None:
        return {**group, "several": True, **({"exclusive": e} if (e := found["exclusive"]) else {})}
    return {**group, **({"at_most": True} if found["many"] == "at most" else {})}


def _lines(text: str) -> list[dict[str, str]]:
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = [
        row for row in csv.reader(StringIO(text), delimiter=delimiter) if any(cell.strip() for cell in row)
    ]
    if len(rows) < 2:
        raise Mistake("The dictionary needs a line of headings and one line per column.")
    headings = [ALIASES.get(h.strip().lower(), h.strip().lower()) for h in rows[0]]
    for heading in headings:
        if heading not in (*HEADINGS, *DERIVED):
            near = get_close_matches(heading, HEADINGS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the known headings are: {', '.join(HEADINGS)}."
            raise Mistake(f"The dictionary has an unknown heading {show(heading)}; {hint}")
        if headings.count(heading) > 1:
            raise Mistake(f"The dictionary has the heading {show(heading)} twice.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) > len(headings):
            raise Mistake(
                f"Line {number} of the dictionary has {len(row)} cells but {len(headings)} headings; put "
                "cells that contain the separator in quotes."
            )
    cells = ((GUARD.sub("", cell.strip(), count=1) for cell in row) for row in rows[1:])
    lines = (dict(zip(headings, row, strict=False)) for row in cells)
    return [{name: cell for name, cell in line.items() if name in HEADINGS} for line in lines]


def _entry(line: Mapping[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {k: v for k, v in line.items() if v or k in ("name", "kind")}
    entry.setdefault("kind", "")
    entry["kind"] = KINDS.get(entry["kind"].lower(), entry["kind"].lower()) or None
    source = entry.pop(KNOWN_FROM, Provenance.PUBLIC_DOCUMENT.value).lower()
    entry["provenance"] = Provenance.ESTIMATED.value if source in ESTIMATES else source
    with suppress(ValueError):
        entry["provenance"] = Provenance(entry["provenance"]).value  # also the words of earlier versions
    if "unit" in entry:
        entry["measured_in"] = entry.pop("unit")
    for heading in (ID_FORMAT, DECIMAL_SIGN, DATE_ORDER):
        if heading in entry:
            entry[heading.replace(" ", "_")] = entry.pop(heading)
    if entry.get("thousands") == NEITHER:
        entry["thousands"] = ""
    for heading, field in ((IN_CSV, "write_labels"), (SURVEY_WEIGHT, "is_weight"), ("blank", "blank")):
        if heading in entry:
            answer = entry.pop(heading)
            entry[field] = ANSWERS.get(answer.lower(), answer)
    if entry["kind"] == Kind.DECIMAL and "decimals" not in entry:
        typed = decimals_in(
            *(entry.get(field, "") for field in ("min", "max", "step", "multiple", "heaps", "cuts"))
        )
        entry |= {} if typed is None else {"decimals": typed}
    entry |= _lists(entry)
    for field in (
        "decimals",
        "bins",
        "step",
        "multiple",
        "heaps",
        "weight",
        *(("min", "max") if entry["kind"] != "date" else ()),
    ):
        if field in entry:
            entry[field] = _number(entry[field])
    is_kept = entry["kind"] != Kind.DROP
    rule, _, label = entry.pop("outside", "").partition(": ")
    if rule and is_kept and "formula" not in entry:
        entry |= {"outside": rule, **({"other_label": label} if label else {})}
    if is_kept and entry["provenance"] == Provenance.ESTIMATED and not DOMAIN & entry.keys():
        entry["buy"] = True
    return entry


def _lists(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with several parts: values with their labels, finer codes, cuts."""
    lists: dict[str, Any] = {
        field: [part.strip() for part in cells[field].split("|")]
        for field in ("values", "labels", "cuts", "reads", "missing", "totals")
        if field in cells
    }
    values = lists.get("values", [])
    if values and "labels" not in lists and all(" = " in value for value in values):
        pairs = [value.split(" = ", 1) for value in values]
        lists |= {"values": [v.strip() for v, _ in pairs], "labels": [w.strip() for _, w in pairs]}
    if "reads" in lists:
        lists["reads"] = [[t.strip() for t in own.split(";") if t.strip()] for own in lists["reads"]]
    if "totals" in lists:
        lists["totals"] = [_number(total) for total in lists["totals"]]
    if "combinations" in cells:
        mark = cells.get("separator", ";")
        sets = (part.strip() for part in cells["combinations"].split("|"))
        lists["combinations"] = [[] if own == EMPTY else own.split(mark) for own in sets]
    if cells["kind"] != Kind.DATE and "cuts" in lists:
        lists["cuts"] = [_number(cut) for cut in lists["cuts"]]
    return lists


def _number(text: str) -> int | float | str:
    """Return the number in a cell, or its text, so that the check can quote it."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def starter(
    columns: Sequence[Mapping[str, Any]], *, name: str, population: str, file: FileFormat = WRITTEN
) -> dict[str, Any]:
    """Return a first schema with these columns. Every open decision is null.

    It deliberately cannot be loaded until it is complete: the steward must declare the kinds, the domains and
    the maximum number of rows per unit, because they are not read from the file.
    """
    return {
        "name": name,
        "population": population,
        "unit": {"max_rows": None},
        "rows_public": False,
        **({"file": dumped(file)} if file != WRITTEN else {}),
        "columns": [dict(column) for column in columns],
    }


def starter_notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return notes on the open decisions of a first schema: how to choose, then the open fields."""
    return (
        (
            "No row of the file was read. Everything except the column names must come from you or a public "
            "document."
        ),
        "unit.max_rows is the maximum number of rows per person: an upper bound, not a typical value.",
        "kind: category or ordered with 'values'; integer, decimal or date with 'min' and 'max'.",
        "kind: drop for IDs, names and free text.",
        "'blank': true for each column that can have empty cells. Otherwise, these cells are not counted.",
        "'buy': true estimates the values of a column from the data. This uses part of the budget.",
        "rows_public: the number of rows, but only if it is public. Never count it in the file.",
        *shape_problems(document),
    )
