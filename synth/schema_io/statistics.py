"""Dictionaries that statistics packages keep in their files: SPSS, Stata and SAS, by their headers alone.

`pyreadstat` reads names, labels and formats without a row. What such a file knows of the data themselves is
left alone: a domain is taken from value labels and never from what occurs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

from synth.errors import Mistake
from synth.schema import Column, Kind, Provenance
from synth.schema_io.check import show, text_of
from synth.schema_io.reading import ForeignTable, Reading

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""Endings of the files, and what reads them."""
_DATES = ("DATE", "ADATE", "EDATE", "SDATE", "YYMMDD", "MMDDYY", "DDMMYY", "%TD", "E8601DA")
"""Beginnings of formats that show a number as a day."""
_NEEDED = (
    "Files of SPSS, Stata and SAS are read by pyreadstat, which is not installed here: pip install "
    "pyreadstat. Or export the dictionary as CSV."
)


def draft_statistics(raw: bytes, *, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A schema document from the header of such a file, and a sentence per column that lacks something.

    Raises: `Mistake` if `pyreadstat` is not there or takes the file for none of its kind.
    """
    try:
        import pyreadstat
    except ImportError:
        raise Mistake(_NEEDED) from None
    suffix = PurePath(name).suffix.lower()
    read: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, READERS[suffix])
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:  # only its owner may read it
        file.write(raw)
        file.flush()
        try:
            _, header = read(file.name, metadataonly=True)
        except Exception:  # a header may quote anything
            raise Mistake(f"{show(name)} cannot be read as a file of SPSS, Stata or SAS.") from None
    readings = [_reading(column, header) for column in header.column_names]
    return ForeignTable(name=Path(name).stem or "table", readings=readings).draft()


def _reading(name: str, header: Any) -> Reading:
    """One column as far as the header tells."""
    title = str((header.column_names_to_labels or {}).get(name) or "").strip()
    common: dict[str, Any] = {"name": name, "title": title, "provenance": Provenance.PUBLIC_DOCUMENT}
    measure = str((header.variable_measure or {}).get(name) or "")
    labels: Mapping[Any, str] = (header.variable_value_labels or {}).get(name) or {}
    if labels and measure != "scale":
        kind = Kind.ORDERED if measure == "ordinal" else Kind.CATEGORY
        values = tuple(text_of(value) for value in labels)
        return Reading(
            column=Column(**common, kind=kind, values=values, labels=tuple(map(str, labels.values())))
        )
    kind = _kind(name, header)
    what = {Kind.CATEGORY: "a list of values", Kind.DATE: "a first and a last day"}
    lacks = what.get(kind, "a smallest and a largest value")
    return Reading(column=Column(**common, kind=kind), lacking=f"Column {show(name)} lacks {lacks}.")


def _kind(name: str, header: Any) -> Kind:
    form = str((header.original_variable_types or {}).get(name) or "").upper()
    if (header.readstat_variable_types or {}).get(name) == "string":
        return Kind.CATEGORY
    if form.startswith(_DATES):
        return Kind.DATE
    decimals = form.rpartition(".")[2] if "." in form else ""
    whole = (header.readstat_variable_types or {}).get(name, "").startswith("int") or decimals in (
        "0",
        "0G",
        "",
    )
    return Kind.INTEGER if whole else Kind.DECIMAL
