"""Read SDV metadata (of a single table, or of one of several tables), as far as possible.

The format contains the type of a column (its `sdtype`) but rarely its values: only a categorical column with
an `order` and a boolean column have a domain. Open parts are reported, as in Frictionless descriptors.
Reference: docs.sdv.dev, "Metadata JSON" (versions SINGLE_TABLE_V1, MULTI_TABLE_V1 and V1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Column, DateOrder, FileFormat, Kind, Provenance
from synth.dictionaries.check import show
from synth.dictionaries.reading import DATE_ORDERS, ForeignTable, Reading, common_order

ISO_DAY = "%Y-%m-%d"
TYPES = {"boolean", "categorical", "numerical", "datetime"}
"""The SDV types whose columns are read."""
PERSONAL = {"id", "unknown"}
"""The SDV types whose columns are excluded, regardless of `pii`."""


def draft_sdv(
    metadata: Mapping[str, Any], *, table: str | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema document with known kinds and open domains, and a sentence for each incomplete column.

    numerical becomes integer if its `computer_representation` is an integer type, otherwise decimal (the
    width of a machine word is not used as a domain); datetime becomes date if its format starts with
    year-month-day, or if the day or the month is first and there is no time (`FileFormat.date_order`);
    boolean becomes the two values false and true; categorical becomes a category, ordered if it has an
    `order`. Keys, IDs, unknown columns and personal columns (`pii`, which is the default of every other
    sdtype) are excluded. Raises: `Mistake` only if there is no table to read.
    """
    tables = metadata.get("tables")
    if not isinstance(tables, Mapping) or not tables:
        return _table("table", metadata).draft()
    if table is None and len(tables) > 1:
        raise Mistake(f"The metadata describes several tables ({', '.join(tables)}); choose one.")
    if table is not None and table not in tables:
        raise Mistake(f"The metadata has no table {show(table)}. It has: {', '.join(tables)}.")
    chosen = table if table is not None else next(iter(tables))
    return _table(str(chosen) or "table", tables[chosen]).draft()


def _table(name: str, table: Mapping[str, Any]) -> ForeignTable:
    columns = table.get("columns") if isinstance(table, Mapping) else None
    sound = isinstance(columns, Mapping) and columns and all(isinstance(c, Mapping) for c in columns.values())
    if not sound or not isinstance(columns, Mapping):
        raise Mistake("The metadata has no 'columns' with an 'sdtype' each; use SDV metadata as JSON.")
    keys = {*_named(table, "primary_key"), *_named(table, "alternate_keys"), *_named(table, "sequence_key")}
    dates = [_date_order(facts) for facts in columns.values() if facts.get("sdtype") == "datetime"]
    order = common_order(dates)
    readings = [_column(str(c), facts, order, is_key=c in keys) for c, facts in columns.items()]
    return ForeignTable(name=name, readings=readings, file=FileFormat(date_order=order))


def _date_order(facts: Mapping[str, Any]) -> DateOrder | None:
    """Return the order of dates of a column, or None if the format cannot be read.

    An ISO date may have a time.
    """
    form = str(facts.get("datetime_format") or ISO_DAY)
    return DateOrder.YEAR_FIRST if form.startswith((f"{ISO_DAY} ", f"{ISO_DAY}T")) else DATE_ORDERS.get(form)


def _named(table: Mapping[str, Any], field: str) -> list[str]:
    """Return the columns of a key, which can be a name, a list, or a list that contains lists."""
    given = table.get(field) or []
    listed = [given] if isinstance(given, str) else given
    return [name for entry in listed for name in ([entry] if isinstance(entry, str) else entry)]


def _column(name: str, facts: Mapping[str, Any], order: DateOrder, *, is_key: bool) -> Reading:
    sdtype = str(facts.get("sdtype", ""))
    common: dict[str, Any] = {"name": name, "provenance": Provenance.PUBLIC_DOCUMENT}
    if not sdtype:
        return Reading(
            column=Column(**common, kind=Kind.CATEGORY), unclear=f"Column {show(name)} has no sdtype."
        )
    if is_key or sdtype in PERSONAL or (sdtype not in TYPES and facts.get("pii", True)):
        return Reading(column=Column(**common, kind=Kind.DROP))
    if sdtype == "boolean":
        return Reading(column=Column(**common, kind=Kind.CATEGORY, values=(False, True)))
    if sdtype == "categorical":
        listed = facts.get("order")
        values = tuple(v for v in listed if v is not None) if isinstance(listed, list) else ()
        kind = Kind.ORDERED if values or facts.get("order_by") else Kind.CATEGORY
        return Reading(column=Column(**common, kind=kind, values=values))
    if sdtype == "numerical":
        whole = "int" in str(facts.get("computer_representation", "")).lower()
        return Reading(column=Column(**common, kind=Kind.INTEGER if whole else Kind.DECIMAL))
    if sdtype == "datetime":
        found = _date_order(facts)
        own = None if found in (DateOrder.YEAR_FIRST, order) else found
        return Reading(column=Column(**common, kind=Kind.DATE, date_order=own), unclear=_unclear(name, facts))
    return Reading(column=Column(**common, kind=Kind.CATEGORY))


def _unclear(name: str, facts: Mapping[str, Any]) -> str:
    """Return the reason why the dates of a column cannot be read, or "" if they can."""
    if _date_order(facts) is not None:
        return ""
    form = show(str(facts["datetime_format"]))
    return f"Column {show(name)} has dates in the form {form}, which is not supported."
