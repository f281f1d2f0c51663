"""SDV metadata (single table or one table of several), read as far as it goes.

The format tells what a column holds (its `sdtype`) and nearly never which values: only a categorical column
with an `order` and a boolean one bring their domain. What is left open is asked for, as with Frictionless.
Reference: docs.sdv.dev, "Metadata JSON" (versions SINGLE_TABLE_V1, MULTI_TABLE_V1 and V1).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Column, DateOrder, FileFormat, Kind, Provenance, Schema
from synth.dictionaries.check import show
from synth.dictionaries.document import read_json
from synth.dictionaries.reading import DATE_ORDERS, ForeignTable, Reading, common, dropped

ADVICE = (
    "SDV metadata names kinds, not domains: state these in a schema, drop the columns, or have them bought "
    "with budget."
)
ISO_DAY = "%Y-%m-%d"
PERSONAL = {"id", "unknown"}
"""Kinds that are left out regardless of their `pii` says."""


def from_sdv(
    metadata: Mapping[str, Any] | str | Path,
    *,
    population: str,
    max_rows: int,
    name: str | None = None,
    table: str | None = None,
    id_column: str | None = None,
    rows_public: int | None = None,
    drop: Collection[str] = (),
    buy_missing: bool = False,
) -> Schema:
    """A schema from SDV metadata, given as a parsed object or as the path of its JSON file.

    numerical becomes integer if its `computer_representation` says so, else decimal (the width of a machine
    word is no domain and is not used); datetime becomes date if its format starts year-month-day, or if all
    dates have the day, or all the month, first and no time (`FileFormat.date_order`); boolean
    becomes the two values false and true; categorical becomes a category, ordered if it has an `order`.
    Keys, ids, unknown and personal columns (`pii`, the default of every other sdtype) are dropped. Raises
    Mistake listing the columns without a domain, unless `drop` names them or `buy_missing` buys them.
    """
    described = _read(metadata, table)
    unknown = sorted(
        {*drop, *([id_column] if id_column else [])} - {r.column.name for r in described.readings}
    )
    if unknown:
        raise Mistake(f"The metadata has no column {show(unknown[0])}.")
    left_out = {*drop, id_column}
    readings = [
        Reading(column=dropped(r.column)) if r.column.name in left_out else r for r in described.readings
    ]
    return replace(described, readings=readings).schema(
        population=population,
        max_rows=max_rows,
        name=name,
        id_column=id_column,
        rows_public=rows_public,
        buy_missing=buy_missing,
    )


def draft_sdv(
    metadata: Mapping[str, Any], *, table: str | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A schema document with the kinds filled in and the domains open.

    Returns the document and one sentence per column that lacks something. Raises Mistake only where there is
    no table to read.
    """
    return _read(metadata, table).draft()


def _read(metadata: Mapping[str, Any] | str | Path, name: str | None) -> ForeignTable:
    """The one table that is meant; "table" where the metadata has no name for it."""
    document = metadata if isinstance(metadata, Mapping) else read_json(metadata, what="metadata")
    tables = document.get("tables")
    if not isinstance(tables, Mapping) or not tables:
        return _table("table", document)
    if name is None and len(tables) > 1:
        raise Mistake(f"The metadata describes several tables ({', '.join(tables)}); say which one.")
    if name is not None and name not in tables:
        raise Mistake(f"The metadata has no table {show(name)}. It has: {', '.join(tables)}.")
    chosen = name if name is not None else next(iter(tables))
    return _table(str(chosen) or "table", tables[chosen])


def _table(name: str, table: Mapping[str, Any]) -> ForeignTable:
    columns = table.get("columns") if isinstance(table, Mapping) else None
    sound = isinstance(columns, Mapping) and columns and all(isinstance(c, Mapping) for c in columns.values())
    if not sound or not isinstance(columns, Mapping):
        raise Mistake("The metadata holds no 'columns' with an 'sdtype' each; give SDV metadata as JSON.")
    keys = {*_named(table, "primary_key"), *_named(table, "alternate_keys"), *_named(table, "sequence_key")}
    dates = [_date_order(facts) for facts in columns.values() if facts.get("sdtype") == "datetime"]
    order = common([found for found in dates if found], DateOrder.YEAR_FIRST)
    readings = [_column(str(c), facts, order, is_key=c in keys) for c, facts in columns.items()]
    return ForeignTable(name=name, readings=readings, advice=ADVICE, file=FileFormat(date_order=order))


def _date_order(facts: Mapping[str, Any]) -> DateOrder | None:
    """How a column writes its dates; None for a form that we do not read. An ISO date may have a time."""
    form = str(facts.get("datetime_format") or ISO_DAY)
    return DateOrder.YEAR_FIRST if form.startswith((f"{ISO_DAY} ", f"{ISO_DAY}T")) else DATE_ORDERS.get(form)


def _named(table: Mapping[str, Any], field: str) -> list[str]:
    """The columns a key consists of: one name, a list, or a list that holds lists."""
    given = table.get(field) or []
    listed = [given] if isinstance(given, str) else given
    return [name for entry in listed for name in ([entry] if isinstance(entry, str) else entry)]


def _column(name: str, facts: Mapping[str, Any], order: DateOrder, *, is_key: bool) -> Reading:
    sdtype = str(facts.get("sdtype", ""))
    told: dict[str, Any] = {"name": name, "provenance": Provenance.PUBLIC_DOCUMENT}
    if not sdtype:
        column = Column(**told, kind=Kind.CATEGORY)
        return Reading(column=column, lacking=f"Column {show(name)} has no sdtype.", known=False)
    if is_key or sdtype in PERSONAL:
        return Reading(column=dropped(Column(**told, kind=Kind.CATEGORY)))
    if sdtype == "boolean":
        return Reading(column=Column(**told, kind=Kind.CATEGORY, values=(False, True)))
    if sdtype == "categorical":
        return _categorical(facts, told)
    if sdtype == "numerical":
        whole = "int" in str(facts.get("computer_representation", "")).lower()
        column = Column(**told, kind=Kind.INTEGER if whole else Kind.DECIMAL)
        return Reading(column=column, lacking=f"Column {show(name)} lacks a smallest and a largest value.")
    if sdtype == "datetime":
        return _datetime(facts, told, order)
    if facts.get("pii", True):
        return Reading(column=dropped(Column(**told, kind=Kind.CATEGORY)))
    column = Column(**told, kind=Kind.CATEGORY)
    return Reading(column=column, lacking=f"Column {show(name)} lacks a list of values.")


def _categorical(facts: Mapping[str, Any], told: Mapping[str, Any]) -> Reading:
    order = facts.get("order")
    if isinstance(order, list) and order:
        values = tuple(v for v in order if v is not None)
        return Reading(column=Column(**told, kind=Kind.ORDERED, values=values))
    kind = Kind.ORDERED if facts.get("order_by") else Kind.CATEGORY
    lacking = f"Column {show(told['name'])} lacks a list of values."
    return Reading(column=Column(**told, kind=kind), lacking=lacking)


def _datetime(facts: Mapping[str, Any], told: Mapping[str, Any], order: DateOrder) -> Reading:
    column, name = Column(**told, kind=Kind.DATE), show(told["name"])
    found = _date_order(facts)
    if found is None:
        lacking = (
            f"Column {name} writes dates as {show(str(facts['datetime_format']))}, a form we do not read."
        )
        return Reading(column=column, lacking=lacking, known=False)
    if found is not order:
        return Reading(
            column=column, lacking=f"Column {name} writes dates in another order than others.", known=False
        )
    return Reading(column=column, lacking=f"Column {name} lacks a first and a last day.")
