"""Create the columns of a schema document from a public file, with the kinds and domains found in it.

This is only for files that are declared public (`reading.files`), and every column is marked as read from the
file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.core.cells.days import day_of
from synth.core.cells.numbers import number_of
from synth.core.cells.words import plain
from synth.core.schema import Column, DateOrder, FileFormat, Kind, Provenance, iso_day
from synth.dictionaries.check import text_of

MOST_VALUES = 200
"""Maximum number of distinct strings in a column. A column with more strings is treated as IDs or free text
and excluded.
"""

LARGEST_WHOLE = 10**15
_CODE = re.compile(r"[+-]?0[0-9]")
"""Pattern of the start of digits that form a code and not a number, such as 007."""
FORM = ("missing", "decimal_sign", "thousands", "date_order")
_FORM_OF: dict[Kind, tuple[str, ...]] = {kind: FORM[:3] for kind in Kind}
_FORM_OF |= {Kind.DATE: ("missing", "date_order"), Kind.DROP: ()}
_ANY = Column(name="any", kind=Kind.DECIMAL)


def form_in(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a column's entry that describe how its cells are written."""
    return {field: entry[field] for field in FORM if entry.get(field) is not None}


def as_written(name: str, form: Mapping[str, Any]) -> Column:
    """Return a column with these fields and without a domain."""
    order = {"date_order": DateOrder(form["date_order"])} if "date_order" in form else {}
    missing = tuple(map(text_of, form.get("missing", ())))
    return Column(name=name, kind=Kind.CATEGORY, **{**form, **order, "missing": missing})


def columns_of(
    texts: Mapping[str, Sequence[str]],
    form: FileFormat | None = None,
    *,
    written: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return one entry per column.

    `texts` contains the distinct strings of each column, without blanks. `written` contains the format fields
    of columns with a different format (`form_in`). These fields are kept.
    """
    entries, file = [], form or FileFormat()
    for name, distinct in texts.items():
        own = (written or {}).get(name, {})
        domain = _domain(distinct, file.of(as_written(name, own)))
        kept = {field: value for field, value in own.items() if field in _FORM_OF[Kind(domain["kind"])]}
        entries.append({"name": name, **domain, **kept, "provenance": Provenance.READ_FROM_FILE.value})
    return entries


def _domain(texts: Sequence[str], form: FileFormat) -> dict[str, Any]:
    """Return the kind and the values or the range. The kind is *drop* if there are no strings or too many
    strings.
    """
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
