"""Read the dictionaries in files of statistics packages (SPSS, Stata and SAS) from their headers.

`pyreadstat` reads names, labels and formats without reading a row. Facts about the data in such a file are
not used: a domain comes from value labels, never from observed values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

from synth.core.cells.days import MONTHS, WEEKDAYS
from synth.core.cells.displays import IS_DATE, SAS, SPSS, STATA, Shows, shows
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries import apart
from synth.dictionaries.check import show, text_of
from synth.dictionaries.reading import ForeignTable, Reading

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""The readers of the files, by file extension."""
_PACKAGES = {".dta": STATA, ".sas7bdat": SAS, ".xpt": SAS}
"""The packages whose formats a file has, by file extension; all others have those of SPSS."""
_NEEDED = (
    "Files of SPSS, Stata and SAS are read with pyreadstat, which is not installed: pip install "
    "pyreadstat. Alternatively, export the dictionary as CSV."
)


def draft_statistics(source: bytes | Path, *, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema document from the header of such a file, and a sentence for each incomplete column.

    Raises: `Mistake` if `pyreadstat` is not installed, or does not recognise the file.
    """
    if find_spec("pyreadstat") is None:
        raise Mistake(_NEEDED)
    suffix = PurePath(name).suffix.lower()
    try:
        header = apart.content_of(source, way=READERS[suffix])
    except ValueError:
        raise Mistake(f"{show(name)} cannot be read as a file of SPSS, Stata or SAS.") from None
    package = _PACKAGES.get(suffix, SPSS)
    readings = [_reading(column, package) for column in header]
    return ForeignTable(name=PurePath(name).stem or "table", readings=readings).draft()


def _reading(header: Mapping[str, Any], package: str) -> Reading:
    """Return a column, as far as the header describes it.

    A code that means missing is a blank in the table, so it is not a value of the column. The description
    mentions the code.
    """
    common: dict[str, Any] = {
        "name": header["name"],
        "title": str(header["title"]).strip(),
        "description": _missing(header),
        "provenance": Provenance.PUBLIC_DOCUMENT,
    }
    named = [(value, label) for value, label in header["labels"] if not _is_missing(value, header)]
    if named and header["measure"] != "scale":
        kind = Kind.ORDERED if header["measure"] == "ordinal" else Kind.CATEGORY
        values, labels = zip(*named, strict=True)
        return Reading(
            column=Column(
                **common, kind=kind, values=tuple(map(text_of, values)), labels=tuple(map(str, labels))
            )
        )
    kind = _kind(header, package)
    if shows(str(header["format"]), package) in (Shows.WEEKDAY_NUMBER, Shows.MONTH_NUMBER):
        names = WEEKDAYS[-1:] + WEEKDAYS[:-1] if package == SPSS and "W" in header["format"] else MONTHS
        values = tuple(map(str, range(1, len(names) + 1)))
        return Reading(column=Column(**common, kind=Kind.ORDERED, values=values, labels=names))
    return Reading(column=Column(**common, kind=kind))


def _is_missing(value: Any, header: Mapping[str, Any]) -> bool:
    """Whether a labelled code means missing.

    It does if it is in a range of missing codes, or if it is a letter (as in Stata) in a column of numbers.
    """
    if isinstance(value, str) and header["type"] != "string":
        return True
    return any(low <= value <= high for low, high in header["missing"])


def _missing(header: Mapping[str, Any]) -> str:
    """Return a sentence about the codes that mean missing, or "" if there are none."""
    labels = {value: label for value, label in header["labels"] if _is_missing(value, header)}
    codes = [f"{text_of(value)} ({label})" for value, label in labels.items()]
    for low, high in header["missing"]:
        if low != high:
            codes.append(f"{text_of(low)} to {text_of(high)}")
        elif low not in labels:
            codes.append(text_of(low))
    return f"Missing in the source: {', '.join(codes)}." if codes else ""


def _kind(header: Mapping[str, Any], package: str) -> Kind:
    """Return the proposed kind of a column, from the type and the display format in its header.

    Numbers with a decimal point in memory are proposed as decimals, because the header does not state that
    all of them are whole, except where the format shows no decimal place (F8.0, %8.0f).
    """
    form = str(header["format"])
    if header["type"] == "string":
        return Kind.CATEGORY
    shown = shows(form, package)
    if shown in IS_DATE:
        return Kind.DATE
    if shown is Shows.TIME:
        return Kind.DECIMAL
    if shown is not Shows.NUMBER or str(header["type"]).startswith("int"):
        return Kind.INTEGER
    whole = r".*\.0[fc]*" if package == STATA else r"[A-Z]*\d+(?:\.0?)?"
    is_whole = re.fullmatch(whole, form, re.I) and not form.upper().startswith(_GENERAL)
    return Kind.INTEGER if is_whole else Kind.DECIMAL


_GENERAL = ("BEST", "E", "%E")
"""Beginnings of formats that show as many decimal places as a number needs."""
