"""Columns of a schema document from what a public file holds: kinds and domains as they are found there.

Only for files declared public (`reading.public`); every column is marked as read from the file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.schema import Provenance

MOST_VALUES = 200
"""Distinct texts above which a column is taken for ids or free text and left out."""

WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,14})\Z", re.ASCII)
NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\Z", re.ASCII)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def columns_of(texts: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """One entry per column. `texts` are the distinct texts of each, blanks left out."""
    source = Provenance.READ_FROM_FILE.value
    return [{"name": name, **_domain(distinct), "provenance": source} for name, distinct in texts.items()]


def _domain(texts: Sequence[str]) -> dict[str, Any]:
    """Kind and values or range; no kind but *drop* for nothing at all and for too many texts."""
    texts = [text.strip() for text in texts]
    if not texts:
        return {"kind": "drop"}
    if all(WHOLE.match(text) for text in texts):
        whole = [int(text) for text in texts]
        if len(whole) > 2:
            return {"kind": "integer", "min": min(whole), "max": max(whole)}
        return {"kind": "category", "values": sorted(whole)}
    if all(NUMBER.match(text) for text in texts):
        numbers = [float(text) for text in texts]
        return {"kind": "decimal", "min": min(numbers), "max": max(numbers)}
    if all(_is_day(text) for text in texts):
        return {"kind": "date", "min": min(texts), "max": max(texts)}
    if len(texts) > MOST_VALUES:
        return {"kind": "drop"}
    return {"kind": "category", "values": sorted(set(texts))}


def _is_day(text: str) -> bool:
    if not DAY.match(text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True
