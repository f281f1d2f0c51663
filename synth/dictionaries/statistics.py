"""Read the dictionaries in files of statistics packages (SPSS, Stata and SAS) from their headers.

`pyreadstat` reads names, labels and formats without reading a row. Facts about the data in such a file are
not used: a domain comes from value labels, never from observed values.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

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
_DATES = ("DATE", "ADATE", "EDATE", "SDATE", "YYMMDD", "MMDDYY", "DDMMYY", "%TD", "E8601DA")
"""Prefixes of the formats that display a number as a date."""
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
    readings = [_reading(column) for column in header]
    return ForeignTable(name=PurePath(name).stem or "table", readings=readings).draft()


def _reading(header: Mapping[str, Any]) -> Reading:
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
    return Reading(column=Column(**common, kind=_kind(header)))


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


def _kind(header: Mapping[str, Any]) -> Kind:
    form = str(header["format"]).upper()
    if header["type"] == "string":
        return Kind.CATEGORY
    if form.startswith(_DATES):
        return Kind.DATE
    decimals = form.rpartition(".")[2] if "." in form else ""
    whole = str(header["type"]).startswith("int") or decimals in ("0", "0G", "")
    return Kind.INTEGER if whole else Kind.DECIMAL
