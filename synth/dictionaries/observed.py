"""Create columns of a schema document from a public file: kinds and domains as found there.

Only for files declared public (`reading.files`); every column is marked as read from the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.core.cells.days import day_of
from synth.core.cells.numbers import number_of
from synth.core.cells.words import plain
from synth.core.schema import Column, FileFormat, Kind, Provenance, iso_day

MOST_VALUES = 200
"""A column with more distinct texts than this is taken for ids or free text and excluded."""

LARGEST_WHOLE = 10**15
_CODE = re.compile(r"[+-]?0[0-9]")
"""The start of digits that are a code and not a number, as in 007."""
_ANY = Column(name="any", kind=Kind.DECIMAL)


def columns_of(texts: Mapping[str, Sequence[str]], form: FileFormat | None = None) -> list[dict[str, Any]]:
    """Return one entry per column. `texts` are the distinct texts of each, without blanks, in this format."""
    source, form = Provenance.READ_FROM_FILE.value, form or FileFormat()
    return [
        {"name": name, **_domain(distinct, form), "provenance": source} for name, distinct in texts.items()
    ]


def _domain(texts: Sequence[str], form: FileFormat) -> dict[str, Any]:
    """Kind and values or range; no kind but *drop* for nothing at all and for too many texts."""
    texts = [plain(text) for text in texts]
    if not texts:
        return {"kind": "drop"}
    numbers = [number_of(text, form, _ANY) for text in texts if not _CODE.match(text)]
    if len(numbers) == len(texts) and all(map(math.isfinite, numbers)):
        if any(abs(n) >= LARGEST_WHOLE or not n.is_integer() for n in numbers):
            return {"kind": "decimal", "min": min(numbers), "max": max(numbers)}
        whole = sorted(set(map(int, numbers)))
        return (
            {"kind": "category", "values": whole}
            if len(whole) <= 2
            else {"kind": "integer", "min": whole[0], "max": whole[-1]}
        )
    days = [day for text in texts if (day := day_of(text, form)) is not None]
    if len(days) == len(texts):
        return {"kind": "date", "min": iso_day(min(days)), "max": iso_day(max(days))}
    if len(texts) > MOST_VALUES:
        return {"kind": "drop"}
    return {"kind": "category", "values": sorted(set(texts))}
