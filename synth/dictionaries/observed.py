"""Columns of a schema document from what a public file holds: kinds and domains as they are found there.

Only for files declared public (`reading.files`); every column is marked as read from the file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.core.schema import FileFormat, Provenance, iso_of

MOST_VALUES = 200
"""Distinct texts above which a column is taken for ids or free text and left out."""

WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,14})\Z", re.ASCII)
NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\Z", re.ASCII)
_POINTS_FOR_COMMAS = str.maketrans(",.", ".,")
"""Makes a number with a decimal comma one with a point, and no number of one with a point."""
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def columns_of(texts: Mapping[str, Sequence[str]], form: FileFormat | None = None) -> list[dict[str, Any]]:
    """One entry per column. `texts` are the distinct texts of each, blanks left out, written in this form."""
    source, form = Provenance.READ_FROM_FILE.value, form or FileFormat()
    return [
        {"name": name, **_domain(distinct, form), "provenance": source} for name, distinct in texts.items()
    ]


def _domain(texts: Sequence[str], form: FileFormat) -> dict[str, Any]:
    """Kind and values or range; no kind but *drop* for nothing at all and for too many texts."""
    texts = [text.strip() for text in texts]
    if not texts:
        return {"kind": "drop"}
    if all(WHOLE.match(text) for text in texts):
        whole = [int(text) for text in texts]
        if len(whole) > 2:
            return {"kind": "integer", "min": min(whole), "max": max(whole)}
        return {"kind": "category", "values": sorted(whole)}
    plain = texts if form.decimal_sign == "." else [text.translate(_POINTS_FOR_COMMAS) for text in texts]
    if all(NUMBER.match(text) for text in plain):
        numbers = [float(text) for text in plain]
        return {"kind": "decimal", "min": min(numbers), "max": max(numbers)}
    days = [_day(text, form) for text in texts]
    if all(days):
        return {"kind": "date", "min": min(days), "max": max(days)}
    if len(texts) > MOST_VALUES:
        return {"kind": "drop"}
    return {"kind": "category", "values": sorted(set(texts))}


def _day(text: str, form: FileFormat) -> str:
    """The ISO date that a text says, empty for none."""
    try:
        day = iso_of(text, form.date_order)
        dt.date.fromisoformat(day)
    except ValueError:
        return ""
    return day if DAY.match(day) else ""
